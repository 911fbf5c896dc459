// A model that was trained on stretched images sees images stretched alike, and its boxes come back
// in the pixels of the image as sent.

import { resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { inference } from '../../src/contract/inference.ts';
import { projects } from '../../src/contract/projects.ts';
import { trainingExtensions } from '../../src/contract/trainings.ts';
import { versions } from '../../src/contract/versions.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { endOfTask, recipeTrainer, scriptOf } from '../trainers/test-trainers.ts';

let platform: TestPlatform;
let removeTrainer: () => Promise<void>;

beforeAll(async () => {
  const { trainer, remove } = await recipeTrainer();
  removeTrainer = remove;
  platform = await startTestPlatform({ trainer });
});

afterAll(async () => {
  await platform.close();
  await removeTrainer();
});

/** Black, 128 x 64, with a red block of 32 x 16: a square of 16 once stretched to 64 x 64. */
async function wideImage(left: number, top: number): Promise<Buffer> {
  const red = { r: 255, g: 0, b: 0 };
  const block = sharp({ create: { width: 32, height: 16, channels: 3, background: red } });
  const input = await block.png().toBuffer();
  const black = { r: 0, g: 0, b: 0 };
  return sharp({ create: { width: 128, height: 64, channels: 3, background: black } })
    .composite([{ input, left, top }])
    .png()
    .toBuffer();
}

/** A model that finds red squares of 16 x 16 on a grid of 16, in 64 x 64. */
const finder = JSON.stringify(resolve('test/fixtures/squares.onnx'));
const script = `finish(); fs.copyFileSync(${finder}, job.output + '/model.onnx');`;

async function trainedOn(name: string, preprocessing: object) {
  const { client } = platform;
  const at = { workspace: 'acme', project: name };
  await client.call(projects.projects_create, {
    workspace: 'acme',
    name,
    type: 'object-detection',
    annotation: 'squares',
  });
  for (const [place, split] of (['train', 'valid'] as const).entries()) {
    const file = { name: `${split}.png`, content: await wideImage(32 * place, 0) };
    const { body } = await client.call(images.images_upload, { project: name, file, split });
    await client.call(images.images_annotate, {
      project: name,
      imageId: body.id,
      name: 'box.txt',
      annotationFile: `0 ${0.125 + 0.25 * place} 0.125 0.25 0.25`,
      labelmap: { 0: 'red' },
    });
  }
  const version = { ...at, preprocessing, augmentation: {} };
  const { body: made } = await client.call(versions.versions_generate, version);
  await endOfTask(client, String(made.taskId));
  const training = { ...at, version: 1, ...scriptOf(script) };
  const { body: started } = await client.call(trainingExtensions.trainings_start, training);
  expect(await endOfTask(client, started.trainingId)).toMatchObject({ status: 'completed' });
}

async function seenBy(project: string) {
  const file = { name: 'new.png', content: await wideImage(64, 32) };
  const { body } = await platform.client.call(inference.inference_run, {
    project,
    version: '1',
    file,
  });
  return body.predictions;
}

it('stretched for a version with "Stretch to"', async () => {
  await trainedOn('stretched', { resize: { width: 64, height: 64, format: 'Stretch to' } });
  expect(await seenBy('stretched')).toMatchObject([
    { class: 'red', x: 80, y: 40, width: 32, height: 16, confidence: expect.closeTo(1, 1) },
  ]);
});

it.each([
  ['in-proportion', { resize: { width: 64, height: 64, format: 'Fit (black edges) in' } }],
  [
    'of-parts',
    {
      'static-crop': { x_min: 0, x_max: 50, y_min: 0, y_max: 100 },
      resize: { width: 64, height: 64, format: 'Stretch to' },
    },
  ],
])('letterboxed for a version with images %s', async (name, preprocessing) => {
  await trainedOn(name, preprocessing);
  // Half of a square of the grid is red.
  expect(await seenBy(name)).toMatchObject([{ x: 80, y: 48, width: 32, height: 32 }]);
});
