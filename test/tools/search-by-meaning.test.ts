// Searches by meaning as an agent makes them: through MCP, with a made embedding model.

import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { writeEmbedder } from '../fixtures/embedder-folder.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

async function launch(settings: Record<string, string>): Promise<Fovea> {
  const fovea = await launchFovea(settings);
  onTestFinished(() => fovea.close());
  return fovea;
}

const colours = { a: '#f01818', b: '#18f018', c: '#1818f0', d: '#f0f018' };

/** Images whose names say nothing; gives the ids by the names. */
async function withImages(fovea: Fovea): Promise<ReadonlyMap<string, string>> {
  const files: string[] = [];
  for (const [name, background] of Object.entries(colours)) {
    const image = sharp({ create: { width: 48, height: 40, channels: 3, background } });
    const file = join(fovea.folder, `${name}.png`);
    await writeFile(file, await image.png().toBuffer());
    files.push(file);
  }
  await fovea.ok('projects_create', { name: 'Things', type: 'object-detection', annotation: 'x' });
  await fovea.ok('images_upload', { project: 'things', files });
  const { data } = await fovea.call('workspace_search', { query: '*', fields: ['id', 'name'] });
  const results: readonly { id: string; name: string }[] = Object(data).results;
  return new Map(results.map(({ id, name }) => [name, id]));
}

async function namesFound(fovea: Fovea, query: string) {
  const fields = ['id', 'name'];
  const { data } = await fovea.call('workspace_search', { query, fields });
  const results: readonly { name: string }[] = Object(data).results;
  const notes: readonly string[] = Object(data).notes ?? [];
  return { names: results.map(({ name }) => name), notes };
}

it('finds images by what a text says, by an example, and says by which model', async () => {
  const folder = await writeEmbedder(join(await temporaryFolder(), 'tiny-clip'));
  const fovea = await launch({ FOVEA_EMBEDDER: folder });
  const ids = await withImages(fovea);
  const green = await namesFound(fovea, 'like-text:"a green thing"');
  expect(green.names[0]).toBe('b.png');
  expect(green.names).toHaveLength(4);
  expect(green.notes).toEqual(['Similar by meaning, as the model "tiny-clip" sees it.']);
  const blue = await namesFound(fovea, 'project:things like-text:blue -filename:b.png');
  expect([blue.names[0], blue.names.length]).toEqual(['c.png', 3]);
  const like = await namesFound(fovea, `like-image:${ids.get('d.png')}`);
  expect(like.names[0]).toBe('d.png');
  expect(like.notes[0]).toBe('Similar by meaning, as the model "tiny-clip" sees it.');
  const file = join(fovea.folder, 'c.png');
  const { data } = await fovea.call('images_search', { project: 'things', image: file, limit: 1 });
  expect(data).toMatchObject({
    total: 4,
    results: [{ name: 'c.png', similarity: expect.closeTo(1, 2) }],
    notes: ['Similar by meaning, as the model "tiny-clip" sees it.'],
  });
  const prompt = { project: 'things', prompt: 'something blue', limit: 1 };
  const { data: prompted } = await fovea.call('images_search', prompt);
  expect(prompted).toMatchObject({
    results: [{ name: 'c.png' }],
    notes: [expect.stringContaining('in no name and no tag'), expect.stringContaining('tiny-clip')],
  });
  const { data: named } = await fovea.call('images_search', { ...prompt, prompt: 'png' });
  expect(named).toMatchObject({ total: 4 });
  await expect
    .poll(async () => (await fovea.call('workspace_get')).data, { timeout: 10_000 })
    .toMatchObject({ workspace: { embeddings: { model: 'tiny-clip', waiting: 0 } } });
  const words = await namesFound(fovea, 'green');
  expect(words).toMatchObject({
    names: [],
    notes: expect.arrayContaining([expect.stringContaining('like-text:"..."')]),
  });
});

it('says without a model what it always said', async () => {
  const fovea = await launch({});
  const ids = await withImages(fovea);
  const { text, isError } = await fovea.call('workspace_search', { query: 'like-text:green' });
  expect(isError).toBe(true);
  expect(text).toContain('Set FOVEA_EMBEDDER to a folder with one');
  const like = await namesFound(fovea, `like-image:${ids.get('a.png')}`);
  expect(like.notes).toEqual(['Similar by look (colours and their layout), not by meaning.']);
  const words = await namesFound(fovea, 'green');
  expect(words.notes).toContain('Words are looked for in file names and tags, not by meaning.');
});

it('names the setting where its folder is none', async () => {
  const fovea = await launch({ FOVEA_EMBEDDER: await temporaryFolder() });
  await withImages(fovea);
  const { text, isError } = await fovea.call('workspace_search', { query: 'like-text:green' });
  expect(isError).toBe(true);
  expect(text).toContain('FOVEA_EMBEDDER: names a folder without onnx/vision_model.onnx');
  await expect
    .poll(async () => JSON.stringify((await fovea.call('workspace_get')).data), { timeout: 10_000 })
    .toContain('names a folder without onnx/vision_model.onnx');
});

it('says why images are not embedded, in the answer and in the workspace', async () => {
  const folder = await writeEmbedder(join(await temporaryFolder(), 'tiny-clip'));
  // Texts can be embedded, images cannot.
  await copyFile(join(folder, 'onnx/text_model.onnx'), join(folder, 'onnx/vision_model.onnx'));
  const fovea = await launch({ FOVEA_EMBEDDER: folder });
  await withImages(fovea);
  const { names, notes } = await namesFound(fovea, 'like-text:green');
  expect(names).toEqual([]);
  const why = 'has an image encoder that takes "input_ids", and not pixel_values alone';
  expect(notes.at(-1)).toContain(`Embedding failed: FOVEA_EMBEDDER: ${why}`);
  await expect
    .poll(async () => (await fovea.call('workspace_get')).data, { timeout: 10_000 })
    .toMatchObject({ workspace: { embeddings: { problem: expect.stringContaining(why) } } });
});

it('finds no image that is deleted, and no vector of another model', async () => {
  const models = await temporaryFolder();
  const folder = await writeEmbedder(join(models, 'tiny-clip'));
  const fovea = await launch({ FOVEA_EMBEDDER: folder });
  const ids = await withImages(fovea);
  expect((await namesFound(fovea, 'like-text:red')).names[0]).toBe('a.png');
  await fovea.ok('images_delete', {
    project: 'things',
    images: [ids.get('a.png')],
    confirm: 'things',
  });
  const left = await namesFound(fovea, 'like-text:red');
  expect([left.names[0], left.names.length]).toEqual(['d.png', 3]);
  // In its place: red is where blue was.
  await writeEmbedder(folder, { isTurned: true });
  const turned = await namesFound(fovea, 'like-text:blue');
  expect([turned.names[0], turned.names.length]).toEqual(['c.png', 3]);
});

it('finds by look, and says why, where the embedding model is broken; a text it cannot', async () => {
  const folder = await writeEmbedder(join(await temporaryFolder(), 'tiny-clip'));
  await writeFile(join(folder, 'onnx', 'vision_model.onnx'), 'garbage');
  await writeFile(join(folder, 'onnx', 'text_model.onnx'), 'garbage');
  const fovea = await launch({ FOVEA_EMBEDDER: folder });
  const ids = await withImages(fovea);
  const broken = expect.stringMatching(/^Not by meaning, as the embedding model cannot be used: /);
  const byLook = 'Similar by look (colours and their layout), not by meaning.';
  const like = await namesFound(fovea, `like-image:${ids.get('d.png')}`);
  expect(like.names[0]).toBe('d.png');
  expect(like.notes.slice(0, 2)).toEqual([broken, byLook]);
  const file = join(fovea.folder, 'c.png');
  const { data } = await fovea.call('images_search', { project: 'things', image: file, limit: 1 });
  expect(data).toMatchObject({ results: [{ name: 'c.png' }], notes: [broken, byLook] });
  const prompt = { project: 'things', prompt: 'something blue' };
  const { data: prompted } = await fovea.call('images_search', prompt);
  expect(prompted).toMatchObject({ total: 0, notes: [expect.anything(), broken] });
  const query = 'like-text:"a green thing"';
  const { isError, text } = await fovea.call('workspace_search', { query });
  expect([isError, text]).toEqual([true, expect.stringContaining('FOVEA_EMBEDDER')]);
});
