// Previews over HTTP: a sheet that can be looked at, and words and figures that are true.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { images } from '../../src/contract/images.ts';
import type { Input } from '../../src/contract/operation.ts';
import { previews } from '../../src/contract/previews.ts';
import { projects } from '../../src/contract/projects.ts';
import { search } from '../../src/contract/search.ts';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import { versions } from '../../src/contract/versions.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { readZip } from '../fixtures/read-zip.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  await createProject('squares', 'object-detection');
  for (const index of [0, 1, 2, 3, 4, 5]) {
    const imageId = await upload('squares', index, index < 4 ? 'train' : 'valid');
    if (index % 2 === 1) await annotate('squares', imageId, '0 0.25 0.25 0.5 0.5');
  }
});

afterAll(() => platform.close());

async function createProject(name: string, type: Input<typeof projects.projects_create>['type']) {
  const input = { workspace: 'acme', name, type, annotation: 'x' };
  await platform.client.call(projects.projects_create, input);
}

async function upload(project: string, index: number, split: 'train' | 'valid'): Promise<string> {
  const file = { name: `square-${index}.png`, content: await testImage(index) };
  const { body } = await platform.client.call(images.images_upload, { project, file, split });
  return body.id;
}

async function annotate(project: string, imageId: string, annotationFile: string): Promise<void> {
  const labelmap = { 0: 'square' };
  const input = { project, imageId, name: 'a.txt', annotationFile, labelmap };
  await platform.client.call(images.images_annotate, input);
}

type Settings = Partial<Input<typeof previews.versions_preview>>;

async function preview(settings: Settings = {}, project = 'squares') {
  const input = { workspace: 'acme', project, preprocessing: {}, augmentation: {}, ...settings };
  return (await platform.client.call(previews.versions_preview, input)).body;
}

/** The green of the first pixel of each augmented copy of a new version. */
async function greensOfVersion(project: string, settings: Required<VersionSettings>) {
  const at = { workspace: 'acme', project };
  const { client } = platform;
  const { body: made } = await client.call(versions.versions_generate, { ...at, ...settings });
  const wanted = { ...at, version: Number(made.version), format: 'coco' };
  const path = join(platform.data, 'copies.zip');
  const link = await vi.waitFor(
    async () => {
      const { body } = await client.call(versions.versions_export, wanted);
      return z.object({ link: z.string() }).parse(body.export).link;
    },
    { timeout: 10_000, interval: 100 },
  );
  await client.download(link, path);
  const copies = [...(await readZip(path))].filter(([name]) => /_copy\d\.jpg$/.test(name));
  const colours = copies
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(async ([, bytes]) => {
      const pixels = await sharp(bytes).raw().toBuffer();
      return pixels[1] ?? Number.NaN;
    });
  return Promise.all(colours);
}

const flips = { flip: { horizontal: true, vertical: true }, image: { versions: 4 } };

describe('a preview of a project', () => {
  test('is a JPEG of the size that it says', async () => {
    const { sheet, contentType, width, height } = await preview({ augmentation: flips });
    const bytes = Buffer.from(sheet, 'base64');
    expect(contentType).toBe('image/jpeg');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width, height });
  });

  test('shows train images, those with labels first, and tells what was done', async () => {
    const {
      images: shown,
      classes,
      warnings,
    } = await preview({
      preprocessing: { resize: { width: 32, height: 32, format: 'Stretch to' } },
      augmentation: flips,
      sources: 4,
    });
    const names = shown.map(({ name }) => name);
    expect(names.slice(0, 2).sort()).toEqual(['square-1.png', 'square-3.png']);
    expect(names.slice(2).sort()).toEqual(['square-0.png', 'square-2.png']);
    expect(shown[0]).toMatchObject({ width: 64, height: 48, boxes: 1 });
    expect(shown[0]?.preprocessed).toEqual({
      width: 32,
      height: 32,
      boxes: 1,
      dropped: 0,
      words: [],
    });
    const words = shown[0]?.samples.map((sample) => sample.words.join(', '));
    expect(words?.toSorted()).toEqual(['flip both ways', 'flip left-right', 'flip up-down']);
    expect(classes).toEqual({ square: 2 });
    expect(warnings).toEqual([]);
  });

  test('shows the images that are named, in their order', async () => {
    const { body } = await platform.client.call(search.images_search, {
      workspace: 'acme',
      project: 'squares',
      fields: ['name'],
    });
    const idOf = (name: string) => body.results.find((image) => image.name === name)?.id ?? '';
    const named = await preview({ images: [idOf('square-5.png'), idOf('square-0.png')] });
    expect(named.images.map(({ name }) => name)).toEqual(['square-5.png', 'square-0.png']);
    await expect(preview({ images: [idOf('square-0.png'), 'missing'] })).rejects.toThrow(
      'status 400',
    );
  });

  test('shows all pieces of an image, and what tiles leave of its boxes', async () => {
    const settings = { preprocessing: { tile: { rows: 3, columns: 2 } }, sources: 1 };
    const { images: shown, warnings, effects } = await preview({ ...settings, pieces: 'all' });
    expect(
      shown[0]?.pieces?.map(({ piece, width, height, boxes }) => {
        return [piece, width, height, boxes];
      }),
    ).toEqual([
      ['tile-1-1', 32, 16, 1],
      ['tile-1-2', 32, 16, 0],
      ['tile-2-1', 32, 16, 1],
      ['tile-2-2', 32, 16, 0],
      ['tile-3-1', 32, 16, 0],
      ['tile-3-2', 32, 16, 0],
    ]);
    expect(shown[0]?.samples).toEqual([]);
    expect(effects).toEqual([
      'preprocessing.tile: tiles of 32 x 16 pixels; the smallest box in a tile has 32 x 8 pixels ' +
        '(of 1 image looked at, before resize)',
    ]);
    expect(warnings).toEqual([
      'preprocessing.resize is missing: tiles of images of different sizes differ in size',
    ]);
    const { warnings: first } = await preview(settings);
    expect(first).toContain('tile: of each image, only the first piece is shown');
  });

  test('is the same for the same seed, and another for another one', async () => {
    const augmentation = { rotate: { degrees: 30 }, noise: { percent: 3 }, image: { versions: 3 } };
    const [first, again, other] = [
      await preview({ augmentation, seed: 5 }),
      await preview({ augmentation, seed: 5 }),
      await preview({ augmentation, seed: 6 }),
    ];
    expect(again).toEqual(first);
    expect(other.sheet).not.toBe(first.sheet);
    expect(other.images[0]?.samples).not.toEqual(first.images[0]?.samples);
  });

  test('with seed 0 shows the copies that a version gets', async () => {
    await createProject('copied', 'object-detection');
    await upload('copied', 60, 'train');
    const settings = {
      preprocessing: {},
      augmentation: {
        brightness: { brighten: true, darken: true, percent: 30 },
        image: { versions: 3 },
      },
    };
    const { images: shown } = await preview({ ...settings, samples: 2 }, 'copied');
    const words = shown[0]?.samples.map((sample) => sample.words.join());
    const greens = await greensOfVersion('copied', settings);
    expect(greens).toHaveLength(2);
    for (const [index, green] of greens.entries()) {
      const percent = Number(/^brightness (-?[\d.]+) %$/.exec(words?.[index] ?? '')?.[1]);
      // All pixels of the image have green 90; it comes back from a JPEG.
      expect(Math.abs(green - 90 - 2.55 * percent)).toBeLessThanOrEqual(2);
    }
  });

  test('counts boxes that are gone', async () => {
    const crop = { x_min: 90, x_max: 100, y_min: 90, y_max: 100 };
    const { images: shown } = await preview({ preprocessing: { 'static-crop': crop }, sources: 1 });
    expect(shown[0]).toMatchObject({ boxes: 1, preprocessed: { boxes: 0, dropped: 1 } });
  });

  test('says where a figure cannot be told, and what is left out', async () => {
    const tiled = await preview({ preprocessing: { tile: { rows: 2, columns: 2 } }, sources: 1 });
    expect(tiled.images[0]?.preprocessed).toEqual({
      width: 32,
      height: 24,
      boxes: 1,
      words: [],
      piece: 'tile-1-1',
    });
    expect(tiled.warnings).toContain('tile: of each image, only the first piece is shown');
    const isolated = await preview({ preprocessing: { isolate: true }, sources: 4 });
    expect(isolated.images.map(({ preprocessed }) => preprocessed !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isolated.warnings).toContain(
      'isolate: 2 of the 4 images shown give none, without a box to cut out',
    );
  });

  test('warns of unusual settings', async () => {
    const { warnings } = await preview({
      augmentation: { rotate: { degrees: 90 }, image: { versions: 2 } },
    });
    expect(warnings).toEqual([expect.stringContaining('augmentation.rotate.degrees is 90')]);
  });

  test('without train images shows others, and says so', async () => {
    await createProject('tested', 'object-detection');
    await upload('tested', 40, 'valid');
    const { images: shown, warnings } = await preview({ augmentation: flips }, 'tested');
    expect(shown.map(({ samples }) => samples.length)).toEqual([3]);
    expect(warnings).toContain('no image is in train: a version has no copies of any');
  });

  test('of classes has them instead of boxes', async () => {
    await createProject('sorted', 'single-label-classification');
    const imageId = await upload('sorted', 50, 'train');
    await annotate('sorted', imageId, 'cat');
    const { images: shown, classes } = await preview({}, 'sorted');
    expect(shown[0]).toMatchObject({ boxes: 0, labels: ['cat'] });
    expect(classes).toEqual({ cat: 1 });
  });

  test.each<[string, Settings, string, RegExp]>([
    ['a misspelt key', { augmentation: Object({ fliip: {} }) }, 'squares', /augmentation\.fliip/],
    ['too many samples', { samples: 9 }, 'squares', /samples/],
    ['too many sources', { sources: 9 }, 'squares', /sources/],
    ['a seed that is no whole number', { seed: 0.5 }, 'squares', /seed/],
    ['a cap', { augmentation: { image: { versions: 51 } } }, 'squares', /50 at most/],
    [
      'filters that leave nothing',
      { preprocessing: { 'filter-tags': { x: true } } },
      'squares',
      /filter-tags/,
    ],
    ['isolate without boxes', { preprocessing: { isolate: true } }, 'sorted', /needs boxes/],
    ['a project that is not there', {}, 'nothing', /There is no project/],
  ])('is refused for %s', async (_name, settings, project, message) => {
    await expect(preview(settings, project)).rejects.toMatchObject({
      upstream: { message: expect.stringMatching(message) },
    });
  });

  test('names the image that cannot be tiled', async () => {
    const tile = { rows: 100, columns: 1 };
    await expect(preview({ preprocessing: { tile }, sources: 1 })).rejects.toMatchObject({
      upstream: { status: 400, message: expect.stringMatching(/^Image "square-\d\.png": .*tile/) },
    });
  });
});

/** 200 x 100, black with a blue object at 40, 20 to 80, 60. */
function bluePicture(): Promise<Buffer> {
  const background = { r: 0, g: 0, b: 255 };
  const object = { create: { width: 40, height: 40, channels: 3, background } } as const;
  return sharp({ create: { width: 200, height: 100, channels: 3, background: '#000' } })
    .composite([{ input: object, left: 40, top: 20 }])
    .png()
    .toBuffer();
}

type IsMeant = (red: number, green: number, blue: number) => boolean;
const isBlue: IsMeant = (red, green, blue) => blue > 128 && red < 100 && green < 100;
const isOrange: IsMeant = (red, green, blue) => red > 128 && green > 60 && blue < 90;

/** The smallest area around all pixels of a colour, in a part of a picture. */
function edgesOf(
  data: Buffer,
  { width, height }: { readonly width: number; readonly height: number },
  part: { readonly left: number; readonly right: number; readonly top: number },
  isMeant: IsMeant,
) {
  const edges = { left: width, right: 0, top: height, bottom: 0 };
  for (let y = part.top; y < height; y++) {
    for (let x = part.left; x < part.right; x++) {
      const [red = 0, green = 0, blue = 0] = data.subarray((y * width + x) * 3);
      if (!isMeant(red, green, blue)) continue;
      edges.left = Math.min(edges.left, x);
      edges.right = Math.max(edges.right, x + 1);
      edges.top = Math.min(edges.top, y);
      edges.bottom = Math.max(edges.bottom, y + 1);
    }
  }
  return edges;
}

type Sent = Partial<Input<typeof previews.versions_preview_files>>;

async function previewSent(sent: Sent) {
  const input = { images: [], preprocessing: {}, augmentation: {}, ...sent };
  return (await platform.client.call(previews.versions_preview_files, input)).body;
}

async function file(shade: number, name = `${shade}.png`) {
  return { name, content: await testImage(shade) };
}

function text(name: string, content: string) {
  return { name, content: new TextEncoder().encode(content) };
}

describe('a preview of images that are sent along', () => {
  test('works on a copy of a very large one, with its boxes, and says so', async () => {
    const large = { width: 8_000, height: 4_000, channels: 3, background: '#1478c8' } as const;
    const content = await sharp({ create: large }).jpeg({ quality: 1 }).toBuffer();
    const found = await previewSent({
      images: [{ name: 'large.jpg', content }],
      annotations: [text('large.txt', '0 0.25 0.25 0.5 0.5')],
      annotated: [0],
      labelmap: { 0: 'cell' },
      preprocessing: { isolate: true },
      samples: 1,
    });
    expect(found.images).toMatchObject([
      { width: 7746, height: 3873, boxes: 1, preprocessed: { width: 3873, height: 1937 } },
    ]);
    expect(found.warnings).toContain(
      'large.jpg: shown from a copy of 7746 x 3873 pixels; ' +
        'previews work on at most 30000000 pixels of one image',
    );
  }, 120_000);

  test('shows them in their order, each with its annotation, and keeps nothing', async () => {
    const voc =
      '<annotation><filename>b.png</filename><object><name>cell</name><bndbox><xmin>1</xmin>' +
      '<ymin>1</ymin><xmax>20</xmax><ymax>20</ymax></bndbox></object></annotation>';
    const before = await readdir(platform.data, { recursive: true });
    const found = await previewSent({
      images: [await file(1, 'a.png'), await file(2, 'b.png'), await file(3, 'c.png')],
      annotations: [text('b.xml', voc), text('a.txt', '0 0.5 0.5 0.2 0.2\n0 0.5 0.5 0.4 0.4')],
      annotated: [1, 0],
      labelmap: { 0: 'dot' },
      augmentation: flips,
      samples: 2,
    });
    expect(await readdir(platform.data, { recursive: true })).toEqual(before);
    expect(found.images.map(({ name, boxes }) => [name, boxes])).toEqual([
      ['a.png', 2],
      ['b.png', 1],
      ['c.png', 0],
    ]);
    expect(found.images.map(({ samples }) => samples.length)).toEqual([2, 2, 2]);
    expect(found.classes).toEqual({ dot: 2, cell: 1 });
  });

  test('of one image needs nothing else', async () => {
    const { images: shown } = await previewSent({ images: [await file(9)] });
    expect(shown).toHaveLength(1);
  });

  test('draws each box around its object, wherever the settings moved it', async () => {
    const { sheet, images: shown } = await previewSent({
      images: [{ name: 'nut.png', content: await bluePicture() }],
      annotations: [text('nut.txt', '0 0.3 0.4 0.2 0.4')],
      annotated: [0],
      labelmap: { 0: 'nut' },
      augmentation: {
        flip: { horizontal: true, vertical: true },
        ninety: { clockwise: true, 'counter-clockwise': true },
        crop: { min: 5, max: 20 },
        image: { versions: 9 },
      },
      samples: 8,
    });
    expect(shown[0]?.samples).toHaveLength(8);
    const pixels = sharp(Buffer.from(sheet, 'base64'));
    const { data, info } = await pixels.raw().toBuffer({ resolveWithObject: true });
    for (let column = 0; column < 10; column++) {
      const [left, right] = [28 + column * 166, 178 + column * 166];
      const blue = edgesOf(data, info, { left, right, top: 140 }, isBlue);
      const orange = edgesOf(data, info, { left, right, top: 140 }, isOrange);
      expect(blue.right - blue.left).toBeGreaterThan(15);
      // The line is one pixel thick, and JPEG blurs both edges a little.
      for (const edge of ['left', 'right', 'top', 'bottom'] as const) {
        expect(Math.abs(orange[edge] - blue[edge])).toBeLessThanOrEqual(2);
      }
    }
  });

  test('warns of odd boxes and of settings that need a project', async () => {
    const { warnings } = await previewSent({
      images: [await file(9)],
      annotations: [text('a.txt', '0 0.5 0.5 0 0')],
      annotated: [0],
      labelmap: { 0: 'dot' },
      preprocessing: { 'filter-null': { percent: 50 } },
    });
    expect(warnings).toContainEqual(expect.stringContaining('9.png: dot box 1'));
    expect(warnings).toContainEqual(expect.stringContaining('preprocessing.filter-null'));
  });

  test.each<[string, () => Promise<Sent>, number, string]>([
    ['no image', async () => ({}), 400, 'images'],
    [
      'nine images',
      async () => ({ images: await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => file(n))) }),
      400,
      'images',
    ],
    [
      'what is no image',
      async () => ({ images: [await file(1), text('b.png', 'pixels')] }),
      415,
      'images[1]',
    ],
    [
      'an annotation of no format',
      async () => ({
        images: [await file(1)],
        annotated: [0],
        annotations: [text('a.xml', '<broken')],
      }),
      400,
      'annotations[0]',
    ],
    [
      'an annotation of no image',
      async () => ({ images: [await file(1)], annotations: [text('a.txt', '0 .5 .5 .1 .1')] }),
      400,
      'annotated',
    ],
    [
      'an annotation of an image that was not sent',
      async () => ({
        images: [await file(1)],
        annotated: [1],
        annotations: [text('a.txt', '0 .5 .5 .1 .1')],
      }),
      400,
      'annotated',
    ],
    [
      'wrong settings',
      async () => ({ images: [await file(1)], augmentation: Object({ blurr: 1 }) }),
      400,
      'augmentation.blurr',
    ],
  ])('is refused for %s', async (_name, sent, status, path) => {
    await expect(previewSent(await sent())).rejects.toMatchObject({
      upstream: { status, message: expect.stringContaining(path) },
    });
  });
});
