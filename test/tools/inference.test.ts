// Running a model, and Auto Label, as an agent does it: through MCP, with a model of the settings.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { colourFinder } from '../fixtures/onnx-models.ts';
import { redAt } from '../platform/platform-with-model.ts';

async function launch(settings: Record<string, string> = {}): Promise<Fovea> {
  const fovea = await launchFovea(settings);
  onTestFinished(() => fovea.close());
  return fovea;
}

/** A project with one picture of a red square; gives the path of the picture. */
async function withPicture(fovea: Fovea): Promise<string> {
  const file = join(fovea.folder, 'square.png');
  await writeFile(file, await redAt(5));
  await fovea.ok('projects_create', { name: 'Squares', type: 'object-detection', annotation: 'x' });
  await fovea.ok('images_upload', { project: 'squares', files: [file] });
  return file;
}

const oddNames = colourFinder({ names: "['constructor', '__proto__']" });

// With a model, a project and its picture.
let shared: Fovea;
let models: string;
let model: string;
let picture: string;

beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'fovea-models-'));
  model = join(models, 'squares.onnx');
  await writeFile(model, colourFinder());
  shared = await launchFovea({ FOVEA_MODEL: model });
  picture = await withPicture(shared);
});

afterAll(async () => {
  await shared.close();
  await rm(models, { recursive: true, force: true });
});

it('tells what the model found, and where', async () => {
  const fovea = shared;
  const file = picture;
  const { text, data } = await fovea.call('inference_run', { project: 'squares', file });
  expect(text).toContain(`Found 1 object ("red" 1) in "${file}".`);
  expect(data).toMatchObject({
    image: { width: 64, height: 64 },
    predictions: [{ class: 'red', x: 24, y: 24, width: 16, height: 16, confidence: 1 }],
  });
  const none = await fovea.call('inference_run', {
    project: 'squares',
    version: 'local',
    file,
    classes: 'blue',
  });
  expect(none.text).toContain(`Found 0 objects in "${file}".`);
  const missing = await fovea.call('inference_run', { project: 'squares', version: 3, file });
  expect([missing.isError, missing.text]).toEqual([
    true,
    expect.stringContaining('There is no model \\"squares/3\\".'),
  ]);
  const neither = await fovea.call('inference_run', { project: 'squares' });
  expect(neither.text).toContain('file: give one of file, url, imageId and query');
  const { data: stats } = await fovea.call('inference_stats_get');
  expect(stats).toMatchObject({ num_inferences: 2, num_errors: 0, avg_confidence: 1 });
});

it('counts classes whatever they are called', async () => {
  await writeFile(model, oddNames);
  onTestFinished(() => writeFile(model, colourFinder()));
  const file = picture;
  const { text } = await shared.call('inference_run', { project: 'squares', file });
  expect(text).toContain(`Found 1 object ("constructor" 1) in "${file}".`);
});

it('labels a batch, and says how far it is', async () => {
  const fovea = shared;
  const { batches } = await fovea.ok('batches_list', { project: 'squares' });
  const batchId = Object(batches)[0].id;
  const started = await fovea.ok('autolabel_start', {
    project: 'squares',
    batchId,
    modelType: 'local',
    ontology: { red: 'stamp' },
  });
  await fovea.ok('tasks_wait', { taskId: started.taskId });
  const { text } = await fovea.call('autolabel_get', { jobId: started.jobId });
  expect(text).toContain(`: "completed", 1 of 1 image labelled.`);
  const job = { project: 'squares', jobId: started.annotationJobId };
  expect((await fovea.call('annotation_jobs_get', job)).text).toContain(
    'is "in_review": 1 of 1 image annotated.',
  );
});

it('says what to set where there is no model', async () => {
  const fovea = await launch();
  const file = await withPicture(fovea);
  const { isError, text } = await fovea.call('inference_run', { project: 'squares', file });
  expect(isError).toBe(true);
  expect(text).toContain('No detection model is configured. Set FOVEA_MODEL to an ONNX file');
});

it('asks for the address of hosted models beside a hosted platform', async () => {
  const settings = { FOVEA_BASE_URL: 'http://127.0.0.1:9', FOVEA_API_KEY: 'k' };
  const fovea = await launch(settings);
  const file = join(fovea.folder, 'square.png');
  await writeFile(file, await redAt(5));
  const { text } = await fovea.call('inference_run', { project: 'squares', file });
  expect(text).toContain('FOVEA_SERVERLESS_URL');
});

/** The pictures of a result. */
async function picturesOf(args: object) {
  const { content } = await shared.client.callTool({
    name: 'inference_run',
    arguments: { project: 'squares', ...args },
  });
  return content.flatMap((block) =>
    block.type === 'image' ? [Buffer.from(block.data, 'base64')] : [],
  );
}

it('draws what the model found, and with save_to only into the file', async () => {
  const [shown] = await picturesOf({ file: picture });
  expect(await sharp(shown).metadata()).toMatchObject({ format: 'jpeg' });
  const save_to = join(shared.folder, 'seen.jpg');
  expect(await picturesOf({ file: picture, save_to })).toEqual([]);
  expect(await readFile(save_to)).toEqual(shown);
});

it('runs on an image of the project, and on those of a search, beside their labels', async () => {
  const { results } = await shared.ok('workspace_search', { query: 'project:squares' });
  const [{ id }] = Object(results);
  const voc = (left: number) =>
    `<annotation><filename>square.png</filename><size><width>64</width><height>64</height></size>
     <object><name>red</name><bndbox><xmin>${left}</xmin><ymin>16</ymin><xmax>${left + 16}</xmax>
     <ymax>32</ymax></bndbox></object></annotation>`;
  const label = (left: number) =>
    shared.ok('images_annotate', {
      project: 'squares',
      imageId: id,
      annotation: voc(left),
      name: 'square.xml',
      overwrite: true,
    });
  await label(16);
  const one = await shared.call('inference_run', { project: 'squares', imageId: id });
  expect(one.text).toContain('Found 1 object ("red" 1) in "square.png". 1 of 1 label matched, ');
  expect(one.data).toMatchObject({
    imageId: id,
    truth: { labelled: 1, matched: 1, missed: 0, extra: 0 },
  });
  await label(46);
  const some = await shared.call('inference_run', { project: 'squares', query: 'class:red' });
  expect(some.text).toContain('in 1 of 1 image. 0 of 1 label matched, 1 box beside.');
  expect(some.data).toMatchObject({
    images_found: 1,
    images: [{ imageId: id, truth: { missed: 1 } }],
  });
  expect(await picturesOf({ query: 'class:red' })).toHaveLength(1);
  const none = await shared.call('inference_run', { project: 'squares', query: 'class:blue' });
  expect(none.text).toContain('finds no image of "squares"');
});

it('takes images in one way', async () => {
  const both = await shared.call('inference_run', {
    project: 'squares',
    file: picture,
    query: '*',
  });
  expect(both.text).toContain('give one of file, url, imageId and query');
});
