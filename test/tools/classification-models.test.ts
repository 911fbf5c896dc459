// Models that say the class of a whole image: run, deployed, judged, and labelling by themselves.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import {
  blue,
  colourJudge,
  constantModel,
  red,
  redAndBlue,
  squaresOn,
} from '../fixtures/onnx-models.ts';

let fovea: Fovea;
let models: string;
let model: string;
/** By name: how many pixels of the 64 are red, and blue, from the left. */
const pictures = {
  'red.png': [64, 0],
  'mostly-red.png': [40, 24],
  'blue.png': [0, 64],
  'mostly-blue.png': [16, 48],
  'dark.png': [4, 0],
} as const;

beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'fovea-models-'));
  model = join(models, 'colours.onnx');
  await writeFile(model, colourJudge());
  fovea = await launchFovea({ FOVEA_MODEL: model });
  for (const [name, [reds, blues]] of Object.entries(pictures)) {
    const parts = [
      { left: 0, top: 0, width: reds, height: 64, colour: red },
      { left: reds, top: 0, width: blues, height: 64, colour: blue },
    ].filter(({ width }) => width > 0);
    await writeFile(pathOf(name), await squaresOn(64, 64, parts));
  }
  for (const [name, type] of [
    ['One', 'single-label-classification'],
    ['Several', 'multi-label-classification'],
    ['Boxes', 'object-detection'],
  ]) {
    await fovea.ok('projects_create', { name, type, annotation: 'x' });
  }
});

afterAll(async () => {
  await fovea.close();
  await rm(models, { recursive: true, force: true });
});

function pathOf(name: string): string {
  return join(fovea.folder, name);
}

it('tells the most probable class, also where it is not sure', async () => {
  const run = { project: 'one', file: pathOf('mostly-red.png') };
  const { text, data } = await fovea.call('inference_run', run);
  expect(text).toContain(`Classes of "${run.file}": "red" 0.63.`);
  expect(data).toMatchObject({
    predictions: [{ class: 'red', class_id: 0, confidence: 0.625 }],
    top: 'red',
    confidence: 0.625,
  });
  const dark = await fovea.ok('inference_run', { project: 'one', file: pathOf('dark.png') });
  expect(dark).toMatchObject({ predictions: [], top: 'red', confidence: 0.0625 });
  const least = { ...run, confidence: 0.2 };
  expect((await fovea.ok('inference_run', least)).predictions).toHaveLength(2);
  const chosen = await fovea.ok('inference_run', { ...run, classes: 'blue' });
  expect(chosen).toMatchObject({ top: 'blue', confidence: 0.375 });
});

it('tells all classes of an image that are sure enough, where it may have several', async () => {
  const run = { project: 'several', file: pathOf('mostly-red.png'), confidence: 0.3 };
  const { text, data } = await fovea.call('inference_run', run);
  expect(text).toContain(`mostly-red.png": "red", "blue".`);
  expect(data).toMatchObject({
    predictions: { red: { confidence: 0.625, class_id: 0 }, blue: { confidence: 0.375 } },
    predicted_classes: ['red', 'blue'],
  });
  const sure = await fovea.ok('inference_run', { ...run, confidence: 0.9 });
  expect(sure.predicted_classes).toEqual([]);
});

it('is judged by the labels of images', async () => {
  const truth = ['red.png', 'mostly-red.png', 'blue.png', 'mostly-blue.png'];
  for (const name of truth) {
    const label = name === 'mostly-blue.png' ? 'red' : name.replace(/^mostly-|\.png$/g, '');
    const file = pathOf(name);
    await fovea.ok('images_upload', { project: 'one', files: [file] });
    const { results } = await fovea.ok('workspace_search', { query: `project:one "${name}"` });
    const imageId = Object([results].flat()[0]).id;
    await fovea.ok('images_annotate', {
      project: 'one',
      imageId,
      name: 'a.txt',
      annotation: label,
    });
  }
  const { taskId, evaluationId } = await fovea.ok('evaluations_create', {
    project: 'one',
    query: 'annotated:true',
    model: 'local',
  });
  expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({ done: true });
  const { data } = await fovea.call('evaluations_get', { project: 'one', evaluationId });
  expect(data).toMatchObject({ modelTask: 'classification', accuracy: 0.75 });
});

it('labels images by itself, and leaves those of which it is not sure', async () => {
  const project = 'several';
  await fovea.ok('images_upload', { project, files: ['mostly-red.png', 'dark.png'].map(pathOf) });
  const { batches } = await fovea.ok('batches_list', { project });
  const batchId = Object([batches].flat()[0]).id;
  const start = { project, batchId, modelType: 'local', defaultConfidence: 0.3 };
  const { taskId } = await fovea.ok('autolabel_start', start);
  expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({ done: true });
  const { results } = await fovea.ok('workspace_search', {
    query: `project:${project} annotated:true`,
    fields: ['name', 'annotations'],
  });
  expect(results).toMatchObject([
    { name: 'mostly-red.png', annotations: { labels: ['red', 'blue'] } },
  ]);
});

it('names the classes that it is not to label, as the project lacks them', async () => {
  const project = 'reds';
  const type = 'single-label-classification';
  await fovea.ok('projects_create', { name: 'Reds', type, annotation: 'x' });
  await fovea.ok('images_upload', { project, files: [pathOf('red.png'), pathOf('blue.png')] });
  const { results } = await fovea.ok('workspace_search', { query: `project:reds "red.png"` });
  const imageId = Object([results].flat()[0]).id;
  await fovea.ok('images_annotate', { project, imageId, name: 'a.txt', annotation: 'red' });
  const { batches } = await fovea.ok('batches_list', { project });
  const batchId = Object([batches].flat()[0]).id;
  const started = await fovea.call('autolabel_start', { project, batchId, modelType: 'local' });
  expect(started.text).toContain('Classes of the model that are not labelled: "blue"');
  const { taskId } = Object(started.data);
  expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({
    result: { labelled: 0, empty: 1, leftOut: ['blue'] },
  });
});

it('is not deployed where objects are labelled, nor for videos', async () => {
  const choice = { type: 'model_id', modelId: 'local' };
  expect(
    (await fovea.call('deployment_set_model', { project: 'one', model: choice })).isError,
  ).toBe(false);
  const refused = await fovea.call('deployment_set_model', { project: 'boxes', model: choice });
  expect(refused.text).toContain(
    'model.modelId: gives classes of whole images, which a project of the type object-detection',
  );
});

it('is refused where its scores are none', async () => {
  await writeFile(model, constantModel([1, 2], [3, -1], redAndBlue));
  const { isError, text } = await fovea.call('inference_run', {
    project: 'one',
    file: pathOf('red.png'),
    version: 'local',
  });
  expect([isError, text]).toEqual([true, expect.stringContaining('with its sigmoid or softmax')]);
  expect(text).not.toContain('may be made again');
  await writeFile(model, colourJudge());
});
