// Models that give outlines or keypoints: run, judged, and labelling by themselves.

import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import {
  blue,
  colourFinder,
  constantModel,
  cornerFinder,
  maskFinder,
  red,
  redAndBlue,
  squaresOn,
} from '../fixtures/onnx-models.ts';

let fovea: Fovea;
let models: string;
let model: string;

const keypointFinder = cornerFinder({
  ...redAndBlue,
  kpt_shape: '[2, 3]',
  kpt_names: "{0: ['head', 'foot']}",
});

beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'fovea-models-'));
  model = join(models, 'shapes.onnx');
  await writeFile(model, maskFinder());
  fovea = await launchFovea({ FOVEA_MODEL: model });
  // A whole square, and the left half of one.
  const both = await squaresOn(64, 64, [
    { left: 16, top: 16, width: 8, colour: red },
    { left: 48, top: 32, colour: blue },
  ]);
  await writeFile(pathOf('both.png'), both);
  for (const [name, type] of [
    ['Outlines', 'instance-segmentation'],
    ['Points', 'keypoint-detection'],
    ['Boxes', 'object-detection'],
  ]) {
    await fovea.ok('projects_create', { name, type, annotation: 'x' });
    await fovea.ok('images_upload', { project: name?.toLowerCase(), files: [pathOf('both.png')] });
  }
});

afterAll(async () => {
  await fovea.close();
  await rm(models, { recursive: true, force: true });
});

function pathOf(name: string): string {
  return join(fovea.folder, name);
}

async function outline(project: string, imageId: string, segmentation: number[][]) {
  const annotation = JSON.stringify({
    images: [{ id: 1, file_name: 'both.png', width: 64, height: 64 }],
    categories: [{ id: 1, name: 'red' }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [16, 16, 16, 16], segmentation }],
  });
  const file = { annotation, name: 'both.json', overwrite: true };
  await fovea.ok('images_annotate', { project, imageId, ...file });
}

async function labelBy(file: Uint8Array, project: string) {
  await writeFile(model, file);
  const { batches } = await fovea.ok('batches_list', { project });
  const batchId = Object([batches].flat()[0]).id;
  const start = { project, batchId, modelType: 'local' };
  const { taskId } = await fovea.ok('autolabel_start', start);
  expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({ done: true });
  const query = `project:${project} annotated:true`;
  const { results } = await fovea.ok('workspace_search', { query, fields: ['id'] });
  const imageId = Object([results].flat()[0]).id;
  const { image } = await fovea.ok('images_get', { project, imageId });
  return Object(image).annotation.boxes;
}

it('tells outlines and keypoints beside their boxes', async () => {
  await writeFile(model, maskFinder());
  const run = { project: 'outlines', file: pathOf('both.png') };
  const { text, data } = await fovea.call('inference_run', run);
  expect(text).toContain('Found 2 objects ("blue" 1, "red" 1)');
  const { predictions } = Object(data);
  expect(predictions[1]).toMatchObject({ class: 'red', x: 24, y: 24, width: 16, height: 16 });
  const xs = predictions[1].points.map(([x]: number[]) => x);
  expect([Math.min(...xs), Math.max(...xs)]).toEqual([16, 24]);
  await writeFile(model, keypointFinder);
  const { predictions: posed } = await fovea.ok('inference_run', { ...run, project: 'points' });
  expect(posed).toMatchObject([
    {
      class: 'blue',
      keypoints: [
        { class: 'head', x: 48, y: 32, confidence: 0.9 },
        { class: 'foot', x: 64, y: 48, confidence: 0.2 },
      ],
    },
    { class: 'red' },
  ]);
});

it('labels with outlines, by which it is judged with their masks', async () => {
  const project = 'outlines';
  const boxes = await labelBy(maskFinder(), project);
  expect(boxes).toMatchObject([
    { label: 'blue', x: 56, y: 40, width: 16, height: 16 },
    // The box around the outline, which is half of what the model gave.
    { label: 'red', x: 20, y: 24, width: 8, height: 16 },
  ]);
  expect(boxes[1].points.length).toBeGreaterThan(3);
  const judged = { project, query: 'annotated:true', model: 'local' };
  const { taskId, evaluationId } = await fovea.ok('evaluations_create', judged);
  expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({ done: true });
  const { data } = await fovea.call('evaluations_get', { project, evaluationId });
  expect(data).toMatchObject({ modelTask: 'segmentation', ap: 1, f1: 1 });
});

it('writes what it finds in all images of a query as COCO results, which can be judged', async () => {
  const project = 'outlines';
  await writeFile(model, maskFinder());
  const save_to = pathOf('found.json');
  const run = { project, version: 'local', query: '*', save_to };
  const { text, data, isError } = await fovea.call('inference_run', run);
  expect([isError, text]).toEqual([
    false,
    expect.stringContaining('Wrote 2 predictions in 1 image'),
  ]);
  expect(data).toMatchObject({ images: 1, predictions: 2, unreadable: { count: 0 } });
  const results: readonly unknown[] = JSON.parse(await readFile(save_to, 'utf8'));
  expect(results).toMatchObject([
    { name: 'both.png', category_id: 'blue', bbox: [48, 32, 16, 16], score: 1 },
    { category_id: 'red', bbox: [16, 16, 16, 16], segmentation: [expect.any(Array)] },
  ]);
  const judged = { project, query: 'annotated:true', predictions: save_to };
  const { taskId, evaluationId } = await fovea.ok('evaluations_create', judged);
  expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({ done: true });
  const { data: figures } = await fovea.call('evaluations_get', { project, evaluationId });
  expect(figures).toMatchObject({ modelTask: 'segmentation', f1: 1 });
  const again = await fovea.call('inference_run', run);
  expect([again.isError, again.text]).toEqual([true, expect.stringContaining('exists already')]);
  const alone = { project, version: 'local', save_to: pathOf('b.json') };
  expect((await fovea.call('inference_run', alone)).text).toContain(
    'query: is needed where save_to',
  );
  const wrong = { ...run, query: 'tag:none', save_to: pathOf('none.json') };
  expect((await fovea.call('inference_run', wrong)).text).toContain('finds no image');
  const left = (await readdir(fovea.folder)).filter((name) => /found|none|b\.json/.test(name));
  expect(left).toEqual(['found.json']);
});

it('runs on every image of a query, and leaves no copy of them behind', async () => {
  await writeFile(model, maskFinder());
  const project = 'several';
  await fovea.ok('projects_create', { name: project, type: 'object-detection', annotation: 'x' });
  for (const left of [0, 16, 32]) {
    const square = await squaresOn(64, 64, [{ left, top: left, width: 8, colour: red }]);
    await writeFile(pathOf(`red-${left}.png`), square);
  }
  const files = [pathOf('red-*.png')];
  await fovea.ok('images_upload', { project, files });
  const save_to = pathOf('several.json');
  const run = { project, version: 'local', query: '*', save_to, confidence: 50 };
  const { text, data } = await fovea.call('inference_run', run);
  expect(text).toContain('from a confidence of 0.5 on');
  expect(data).toMatchObject({
    images: 3,
    confidence: 0.5,
    unreadable: { count: 0, examples: [] },
  });
  const results: readonly { name: string }[] = JSON.parse(await readFile(save_to, 'utf8'));
  expect(new Set(results.map(({ name }) => name))).toEqual(
    new Set(['red-0.png', 'red-16.png', 'red-32.png']),
  );
});

it('writes what it finds in the images of a folder, by their paths there', async () => {
  await writeFile(model, maskFinder());
  await mkdir(pathOf('shots/night'), { recursive: true });
  await copyFile(pathOf('both.png'), pathOf('shots/night/both.png'));
  await writeFile(pathOf('shots/z.png'), 'no picture');
  await writeFile(pathOf('shots/notes.txt'), 'no image');
  const run = { project: 'outlines', version: 'local', file: pathOf('shots') };
  const save_to = pathOf('shots.json');
  const { text, data } = await fovea.call('inference_run', { ...run, save_to });
  expect(text).toContain('Wrote 2 predictions in 1 image');
  expect(data).toMatchObject({ unreadable: { count: 1, examples: ['z.png'] } });
  const results: readonly unknown[] = JSON.parse(await readFile(save_to, 'utf8'));
  expect(results).toMatchObject([
    { image_id: 'night/both.png', category_id: 'blue' },
    { image_id: 'night/both.png', category_id: 'red' },
  ]);
  const glob = { ...run, file: pathOf('shots/**/*.png'), save_to: pathOf('glob.json') };
  await fovea.ok('inference_run', glob);
  expect(JSON.parse(await readFile(glob.save_to, 'utf8'))).toEqual(results);
  const file = pathOf('both.png');
  await fovea.ok('inference_run', { ...run, file, save_to: pathOf('one.json') });
  expect(JSON.parse(await readFile(pathOf('one.json'), 'utf8'))).toMatchObject([
    { image_id: 'both.png' },
    {},
  ]);
  const both = { ...run, query: '*', save_to: pathOf('two.json') };
  expect((await fovea.call('inference_run', both)).text).toContain(
    'file: and query are given both',
  );
  for (const many of [run, { ...run, file: glob.file }]) {
    expect((await fovea.call('inference_run', many)).text).toContain(
      'save_to: must end in .json where file is a folder or a glob',
    );
  }
  const asText = { ...run, file, save_to: pathOf('two.txt') };
  expect((await fovea.call('inference_run', asText)).text).toContain(
    'save_to: must end in .jpg (a picture) or .json',
  );
  const outside = { ...run, file: '/etc', save_to: pathOf('two.json') };
  expect((await fovea.call('inference_run', outside)).text).toContain('FOVEA_FILE_ROOTS');
});

it('is compared with outlines by their masks, and with boxes alone in words', async () => {
  await writeFile(model, maskFinder());
  const project = 'outlines';
  const { results } = await fovea.ok('workspace_search', { query: `project:${project}` });
  const imageId = Object([results].flat()[0]).id;
  const compare = async (segmentation: number[][]) => {
    await outline(project, imageId, segmentation);
    return fovea.call('inference_run', { project, imageId });
  };
  // The model finds the left half of a square. A triangle to the right has nearly the same box.
  const beside = await compare([[32, 16, 32, 32, 16, 32]]);
  expect(beside.text).toContain('0 of 1 label matched, 2 boxes beside (masks were compared).');
  expect(beside.data).toMatchObject({ truth: { matched: 0, compared_by: 'outlines' } });
  const half = await compare([[16, 16, 24, 16, 24, 32, 16, 32]]);
  expect(half.text).toContain('1 of 1 label matched, 1 box beside (masks were compared).');
  const box = await compare([]);
  expect(box.text).toContain('1 of 1 label matched, 1 box beside (only boxes were compared).');
});

it('says what an answer lacks: boxes beyond the most, and outlines', async () => {
  const run = { project: 'outlines', file: pathOf('both.png') };
  // 310 boxes in a row of YOLO's form; one picture of a single cell is their mask.
  const all = [...Array(310).keys()];
  const column = (value: (at: number) => number) => all.map(value);
  const values = [
    ...column((at) => (at % 31) * 2 + 1),
    ...column((at) => Math.floor(at / 31) * 6 + 3),
    ...[2, 6, 0.9, 0, 1].flatMap((value) => column(() => value)),
  ];
  const masks = { dims: [1, 1, 1, 1], values: [1] };
  await writeFile(model, constantModel([1, 7, 310], values, redAndBlue, masks));
  const { text, data } = await fovea.call('inference_run', run);
  expect(text).toContain('Found 300 objects');
  expect(text).toContain(
    ' More were found: only the surest are kept. 300 boxes without an outline: ',
  );
  expect(data).toMatchObject({ more_found: true, without_outline: 300 });
  const many = { name: 'Many', type: 'instance-segmentation', annotation: 'x' };
  await fovea.ok('projects_create', many);
  await fovea.ok('images_upload', { project: 'many', files: [pathOf('both.png')] });
  const { batches } = await fovea.ok('batches_list', { project: 'many' });
  const batchId = Object([batches].flat()[0]).id;
  const start = { project: 'many', batchId, modelType: 'local' };
  const labelling = await fovea.ok('autolabel_start', start);
  const labelled = await fovea.call('tasks_wait', { taskId: labelling.taskId });
  expect(labelled.text).toContain('only the surest kept in 1 image, 300 boxes without an outline');
  expect(labelled.data).toMatchObject({
    result: { modelLacks: { ofImages: 1, moreFound: 1, withoutOutline: 300 } },
  });
  const save_to = pathOf('many.json');
  const all300 = { project: 'outlines', version: 'local', query: '*', save_to };
  expect((await fovea.call('inference_run', all300)).text).toContain('More were found');
  const { results } = await fovea.ok('workspace_search', { query: 'project:outlines' });
  const whole = [[0, 0, 64, 0, 64, 64, 0, 64]];
  await outline('outlines', Object([results].flat()[0]).id, whole);
  const judged = { project: 'outlines', query: 'annotated:true', model: 'local' };
  const { taskId, evaluationId } = await fovea.ok('evaluations_create', judged);
  await fovea.ok('tasks_wait', { taskId });
  const shown = await fovea.call('evaluations_get', { project: 'outlines', evaluationId });
  const modelLacks = { ofImages: 1, moreFound: 1, withoutOutline: 300, cutOutlines: 0 };
  expect(shown.data).toMatchObject({ modelLacks });
  expect(shown.text).toContain('300 boxes without an outline');
});

it('labels with keypoints; what cannot be seen is not labelled', async () => {
  expect(await labelBy(keypointFinder, 'points')).toMatchObject([
    {
      label: 'blue',
      keypoints: [
        { label: 'head', x: 48, y: 32, visibility: 2 },
        { label: 'foot', visibility: 0 },
      ],
    },
    { label: 'red' },
  ]);
});

it('is judged by OKS where keypoints are labelled, as is its file of predictions', async () => {
  const project = 'points';
  await writeFile(model, keypointFinder);
  const figures = async (what: object) => {
    const judged = { project, query: 'annotated:true', confidence: 0.5, ...what };
    const { taskId, evaluationId } = await fovea.ok('evaluations_create', judged);
    expect(await fovea.ok('tasks_wait', { taskId })).toMatchObject({ done: true });
    return fovea.call('evaluations_get', { project, evaluationId });
  };
  const { data, text } = await figures({ model: 'local' });
  expect(text).toContain('OKS with sigma 0.05 for each keypoint');
  expect(data).toMatchObject({ modelTask: 'keypoints', groundTruths: 2, ap: 1, f1: 1 });
  const predictions = pathOf('posed.json');
  const run = { project, version: 'local', query: '*', save_to: predictions };
  await fovea.ok('inference_run', run);
  expect(JSON.parse(await readFile(predictions, 'utf8'))).toMatchObject([
    { category_id: 'blue', keypoint_names: ['head', 'foot'] },
    { category_id: 'red' },
  ]);
  expect((await figures({ predictions })).data).toMatchObject({ ap: 1, f1: 1 });
  const others = { ...redAndBlue, kpt_shape: '[2, 3]', kpt_names: "{0: ['hand', 'tail']}" };
  await writeFile(model, cornerFinder(others));
  const judged = { project, query: 'annotated:true', model: 'local' };
  const { taskId } = await fovea.ok('evaluations_create', judged);
  expect((await fovea.call('tasks_wait', { taskId })).text).toContain('gives the keypoints');
});

it('gives boxes where boxes are labelled', async () => {
  const boxes = await labelBy(maskFinder(), 'boxes');
  expect(boxes).toMatchObject([{ label: 'blue' }, { label: 'red', x: 24, width: 16 }]);
  expect(boxes[1].points).toBeUndefined();
});

it('is needed where outlines or keypoints are labelled: boxes are refused', async () => {
  await writeFile(model, colourFinder());
  const judged = { project: 'outlines', query: 'annotated:true', model: 'local' };
  const { text, isError } = await fovea.call('evaluations_create', judged);
  expect(isError).toBe(true);
  expect(text).toContain(
    'model: gives boxes, which a project of the type instance-segmentation cannot take',
  );
});
