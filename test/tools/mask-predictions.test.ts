// Predictions as masks: what our own export of a version wrote is judged as equal to it.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsOfMask } from '../../src/evaluation/masks/class-runs.ts';
import { maskOf } from '../../src/evaluation/masks/mask.ts';
import { createMaskReader } from '../../src/evaluation/masks/mask-reader.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { unzip } from '../fixtures/read-zip.ts';

let fovea: Fovea;
let folder: string;

const pixels = { project: 'pixels' };

/** Stars whose edges lie between pixels, and that lie on each other. */
function star(x: number, y: number): readonly number[] {
  return Array.from({ length: 9 }, (_, corner) => {
    const radius = corner % 2 === 0 ? 21.3 : 9.7;
    const angle = (corner * 2 * Math.PI) / 9;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  }).flat();
}

const names = ['cell', 'a, "core"'];

beforeAll(async () => {
  fovea = await launchFovea();
  const images = join(fovea.folder, 'images');
  await mkdir(images);
  const files = ['one.png', 'two.png', 'three.png'];
  for (const [place, name] of files.entries()) {
    const create = { width: 90, height: 70, channels: 3, background: '#804020' } as const;
    const made = { ...create, background: { r: place * 40, g: 90, b: 30 } };
    await writeFile(join(images, name), await sharp({ create: made }).png().toBuffer());
  }
  const annotations = files.flatMap((_, place) =>
    [0, 1, 2].map((at) => ({
      id: place * 3 + at + 1,
      image_id: place + 1,
      category_id: (at % 2) + 1,
      segmentation: [star(30 + at * 12.4 + place, 30.2 + at * 5 + place)],
    })),
  );
  const document = {
    images: files.map((file_name, place) => ({ id: place + 1, file_name, width: 90, height: 70 })),
    categories: names.map((name, place) => ({ id: place + 1, name })),
    annotations,
  };
  await writeFile(join(images, 'labels.coco.json'), JSON.stringify(document));
  const type = 'semantic-segmentation';
  await fovea.ok('projects_create', { name: 'Pixels', type, annotation: 'x' });
  await fovea.ok('images_upload', {
    ...pixels,
    files: [images],
    annotations: join(images, 'labels.coco.json'),
    split: 'test',
  });
  const made = await fovea.ok('versions_generate', {
    ...pixels,
    preprocessing: {},
    augmentation: {},
  });
  await fovea.ok('tasks_wait', { taskId: made.taskId });
  const zip = join(fovea.folder, 'masks.zip');
  const format = 'png-mask-semantic';
  await fovea.ok('versions_export', { ...pixels, version: 1, format, save_to: zip });
  folder = join(fovea.folder, 'masks');
  await unzip(zip, folder);
});

afterAll(() => fovea.close());

async function evaluate(args: Facts): Promise<Facts> {
  const asked = { ...pixels, predictions: folder, ...args };
  const { evaluationId, taskId } = await fovea.ok('evaluations_create', asked);
  await fovea.ok('tasks_wait', { taskId });
  return fovea.ok('evaluations_get', { ...pixels, evaluationId });
}

it('judges the masks of an export as equal to the labels, of the version and of the project', async () => {
  const right = { meanIou: 1, pixelAccuracy: 1, images: 3, modelTask: 'semantic' };
  expect(await evaluate({ version: 1 })).toMatchObject(right);
  expect(await evaluate({ query: 'split:test' })).toMatchObject(right);
});

it('refuses a value without a class, a palette, and a mask of another size', async () => {
  const predictions = join(fovea.folder, 'wrong');
  await mkdir(predictions);
  const table = 'Pixel Value, Class\n0, background\n1, cell\n';
  await writeFile(join(predictions, '_classes.csv'), table);
  const mask = join(predictions, 'one_mask.png');
  const judge = () => fovea.call('evaluations_create', { ...pixels, version: 1, predictions });
  const grey = (value: number, width = 90) =>
    sharp(Buffer.alloc(width * 70, value), { raw: { width, height: 70, channels: 1 } })
      .toColourspace('b-w')
      .png()
      .toBuffer();
  await writeFile(mask, await grey(255));
  expect((await judge()).text).toContain('has pixels of the value 255, which _classes.csv does');
  await writeFile(
    mask,
    await sharp(await grey(1))
      .png({ palette: true })
      .toBuffer(),
  );
  expect((await judge()).text).toContain('A mask is a PNG of 8-bit grey whose values are classes');
  await writeFile(mask, await grey(1, 91));
  const queued = await judge();
  expect(await fovea.ok('tasks_wait', { taskId: queued.data.taskId })).toMatchObject({
    status: 'failed',
  });
  await rm(predictions, { recursive: true });
});

it('writes runs that are read as the same pixels', async () => {
  const [width, height] = [37, 23];
  const data = Uint8Array.from({ length: width * height }, (_, at) => Math.floor(at / 7) % 4);
  const runs = await runsOfMask(data, { width, height });
  expect([...runs.keys()].toSorted()).toEqual([1, 2, 3]);
  for (const [value, counts] of runs) {
    const segmentation = { size: [height, width], counts };
    const mask = createMaskReader().ofSegmentation(segmentation, { width, height }, '');
    const expected: number[] = [];
    for (let at = 0; at < width * height; at++) {
      if (data[(at % height) * width + Math.floor(at / height)] === value)
        expected.push(at, at + 1);
    }
    expect(mask).toEqual(maskOf(expected, height));
  }
});
