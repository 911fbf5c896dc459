// The embedding model: a made one, in the layout of transformers.js.

import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { createEmbedder } from '../../src/model-inference/embedder.ts';
import { tryEmbedder } from '../../src/model-inference/try-embedder.ts';
import { preprocessor, writeEmbedder } from '../fixtures/embedder-folder.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const { signal } = new AbortController();

async function embedderIn(folder: string) {
  const embedder = createEmbedder(folder);
  onTestFinished(() => embedder.close());
  return embedder;
}

async function made(options: Parameters<typeof writeEmbedder>[1] = {}) {
  const folder = await writeEmbedder(join(await temporaryFolder(), 'tiny-clip'), options);
  return { folder, embedder: await embedderIn(folder) };
}

function plain(colour: string, width = 40, height = 40) {
  return sharp({ create: { width, height, channels: 3, background: colour } });
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

it('gives images and texts vectors of one space, of length 1', async () => {
  const { embedder } = await made();
  const red = await embedder.embedImage(await plain('#ff0000').png().toBuffer(), signal);
  const expected = [1, -1, -1, 0].map((value) => value / Math.sqrt(3));
  expect([...red].map((value) => value.toFixed(3))).toEqual(
    expected.map((value) => value.toFixed(3)),
  );
  const [asRed, asBlue] = [
    await embedder.embedText('A  RED thing', signal),
    await embedder.embedText('blue', signal),
  ];
  expect(cosine(red, asRed)).toBeGreaterThan(0.99);
  expect(cosine(red, asBlue)).toBeLessThan(0);
  expect(await embedder.dimensions(signal)).toBe(4);
});

/** 100 x 200 pixels, of which so many at the upper and the lower end have another colour. */
function redBetween(background: string, height: number): Promise<Buffer> {
  const ends = { create: { width: 100, height, channels: 3, background } } as const;
  return plain('#ff0000', 100, 200)
    .composite([
      { input: ends, gravity: 'north' },
      { input: ends, gravity: 'south' },
    ])
    .png()
    .toBuffer();
}

it('looks at the middle of an image, upright', async () => {
  const { embedder } = await made();
  // Blue at the ends, which are cut off; the file lies on its side.
  const file = await redBetween('#0000ff', 30);
  const turned = await sharp(file).rotate(-90).withMetadata({ orientation: 6 }).jpeg().toBuffer();
  const asRed = await embedder.embedText('red', signal);
  for (const bytes of [file, turned]) {
    expect(cosine(await embedder.embedImage(bytes, signal), asRed)).toBeGreaterThan(0.98);
  }
});

it('takes the form of SigLIP: stretched images, and texts that are filled up', async () => {
  const { embedder } = await made({ isSiglip: true });
  const [red, green] = ['red', 'a green thing'].map((text) => embedder.embedText(text, signal));
  // Green at its ends: nothing is cut off.
  const file = await redBetween('#00ff00', 90);
  const image = await embedder.embedImage(file, signal);
  const [asRed, asGreen] = [await red, await green];
  expect(cosine(image, asGreen ?? image)).toBeGreaterThan(0.9);
  expect(cosine(image, asRed ?? image)).toBeLessThan(0);
  expect(await embedder.embedText('red '.repeat(5_000), signal)).toHaveLength(4);
});

it('cuts off what is too long, and takes any text', async () => {
  const { embedder } = await made();
  const long = await embedder.embedText('red '.repeat(5_000), signal);
  const asRed = await embedder.embedText('red', signal);
  expect(cosine(long, asRed)).toBeGreaterThan(0.99);
  for (const text of ['', '\u{1F600}\0', 'ß 漢字', '<|endoftext|>']) {
    expect(await embedder.embedText(text, signal)).toHaveLength(4);
  }
});

it('knows a model by what is in its files, and takes one that was put in its place', async () => {
  const { folder, embedder } = await made();
  const first = await embedder.identity(signal);
  expect(first.name).toBe('tiny-clip');
  expect(first.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  const elsewhere = await made();
  expect((await elsewhere.embedder.identity(signal)).fingerprint).toBe(first.fingerprint);
  const before = await embedder.embedText('red', signal);
  await writeEmbedder(folder, { isTurned: true });
  expect((await embedder.identity(signal)).fingerprint).not.toBe(first.fingerprint);
  expect(cosine(before, await embedder.embedText('red', signal))).toBeLessThan(0);
});

it('follows links, of which folders in caches consist', async () => {
  const { folder } = await made();
  const cache = await temporaryFolder();
  await mkdir(join(cache, 'onnx'));
  const names = ['preprocessor_config.json', 'tokenizer.json', 'onnx/text_model.onnx'];
  for (const name of names) await symlink(join(folder, name), join(cache, name));
  const quantised = join(cache, 'onnx/vision_model_quantized.onnx');
  await symlink(join(folder, 'onnx/vision_model.onnx'), quantised);
  const embedder = await embedderIn(cache);
  expect(await embedder.dimensions(signal)).toBe(4);
});

it.each([
  ['onnx/vision_model.onnx', 'names a folder without onnx/vision_model.onnx'],
  ['onnx/text_model.onnx', 'names a folder without onnx/text_model.onnx'],
  ['preprocessor_config.json', 'names a folder without preprocessor_config.json'],
  ['tokenizer.json', 'names a folder without tokenizer.json'],
])('names the setting where %s is missing', async (name, message) => {
  const { folder, embedder } = await made();
  await rm(join(folder, name));
  await expect(embedder.identity(signal)).rejects.toMatchObject({
    code: 'invalid_input',
    problems: [{ path: 'FOVEA_EMBEDDER', message }],
  });
});

it.each([
  ['tokenizer.json', '{"model": {}}', 'has a tokenizer.json that makes no tokens of a text'],
  ['tokenizer.json', '[]', 'has a tokenizer.json that is no JSON object'],
  [
    'preprocessor_config.json',
    JSON.stringify({ ...preprocessor, crop_size: { height: 100_000, width: 32 } }),
    'has a preprocessor_config.json whose crop_size must have sides of 1 to 2048 pixels',
  ],
  [
    'preprocessor_config.json',
    JSON.stringify({ ...preprocessor, image_std: [0, 1, 1] }),
    'has a preprocessor_config.json whose image_std must be three numbers, none of them 0',
  ],
  ['preprocessor_config.json', '{', 'has a preprocessor_config.json that is no JSON object'],
])('says what is wrong with %s', async (name, content, message) => {
  const { folder, embedder } = await made();
  await writeFile(join(folder, name), content);
  await expect(embedder.dimensions(signal)).rejects.toMatchObject({
    code: 'invalid_input',
    problems: [{ path: 'FOVEA_EMBEDDER', message }],
  });
});

it('refuses encoders that are no pair, no encoders, and no models', async () => {
  const { embedder } = await made({ textDimensions: 6 });
  await expect(embedder.dimensions(signal)).rejects.toThrow(
    'vectors of images have 4 numbers, those of texts 6',
  );
  const mixed = await made();
  const vision = join(mixed.folder, 'onnx/vision_model.onnx');
  await rm(vision);
  await symlink(join(mixed.folder, 'onnx/text_model.onnx'), vision);
  await expect(mixed.embedder.dimensions(signal)).rejects.toThrow(
    'has an image encoder that takes "input_ids", and not pixel_values alone',
  );
  await rm(vision);
  await writeFile(vision, 'no model');
  await expect(mixed.embedder.dimensions(signal)).rejects.toThrow(
    'FOVEA_EMBEDDER: has an image encoder that the ONNX runtime cannot load',
  );
});

it('says that an image cannot be read as of any other image', async () => {
  const { embedder } = await made();
  await expect(embedder.embedImage(Buffer.from('no image'), signal)).rejects.toMatchObject({
    code: 'unsupported_media',
  });
});

it('is tried with one image and one text, which garbage does not survive', async () => {
  const { folder } = await made();
  expect(await tryEmbedder(folder)).toMatchObject({ name: 'tiny-clip' });
  await writeFile(join(folder, 'onnx', 'text_model.onnx'), 'garbage');
  await expect(tryEmbedder(folder)).rejects.toMatchObject({ code: 'invalid_input' });
});
