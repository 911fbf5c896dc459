// Hosted inference: a model run on one image, and what is said where none can be.

import { rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { killProcess } from '../fixtures/kill-process.ts';
import { constantModel, red, squaresOn } from '../fixtures/onnx-models.ts';
import { startPlatformProcess } from '../fixtures/platform.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import {
  callsTo,
  counted,
  type Labelling,
  modelFile,
  redAt,
  sharedLabelling,
  squaresModel,
  startLabelling,
} from './platform-with-model.ts';

const labelling = sharedLabelling({ model: squaresModel });

const none =
  'No detection model is configured. Set FOVEA_MODEL to an ONNX file, or train and deploy one.';

/** As the hosted platform is called: base64 in the body, the key in the address. */
async function infer(
  fixture: Labelling,
  path: string,
  image?: Uint8Array,
  query = '',
  key?: string,
) {
  const answer = await fetch(
    `${fixture.platform.url}/${path}?api_key=${key ?? fixture.platform.key}${query}`,
    {
      method: 'POST',
      ...(image && {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(image).toString('base64'),
      }),
    },
  );
  return { status: answer.status, body: Object(await answer.json()) };
}

function words({ status, body }: { status: number; body: Record<string, unknown> }) {
  return [status, Object(body.error).message ?? body.error];
}

it('answers in the shape of the hosted platform', async () => {
  const fixture = labelling();
  const project = await fixture.newProject();
  const image = await redAt(6, [{ left: 0, top: 0, colour: { r: 128, g: 0, b: 0 } }]);
  const { status, body } = await infer(fixture, `${project}/local`, image);
  expect(status).toBe(200);
  expect(body).toEqual({
    inference_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    time: expect.any(Number),
    image: { width: 64, height: 64 },
    predictions: [
      {
        x: 40,
        y: 24,
        width: 16,
        height: 16,
        confidence: 1,
        class: 'red',
        class_id: 0,
        detection_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
      {
        x: 8,
        y: 8,
        width: 16,
        height: 16,
        confidence: 0.501961,
        class: 'red',
        class_id: 0,
        detection_id: expect.any(String),
      },
    ],
  });
  const found = async (query: string) =>
    (await infer(fixture, `${project}/local`, image, query)).body.predictions?.length;
  expect(await found('&confidence=0.51')).toBe(1);
  expect(await found('&confidence=0.5')).toBe(2);
  expect(await found('&confidence=51&format=json&stroke=1')).toBe(1);
  expect(await found('&classes=blue')).toBe(0);
  expect(await found('&classes=blue,red')).toBe(2);
});

/** Two boxes of red that overlap by 0.6, in each image that it is shown. */
function overlapping(metadata: Readonly<Record<string, string>>) {
  const values = [
    ...[20, 20, 20, 25, 20, 20, 20, 20], // centres, then sizes
    ...[0.9, 0.5, 0, 0],
  ];
  return constantModel([1, 6, 2], values, { names: "['red', 'blue']", ...metadata });
}

it('counts boxes as the model says it was trained, unless a call says otherwise', async () => {
  const own = { confidence: '0.6213', overlap: '0.7' };
  const fixture = await startLabelling({ model: await modelFile(overlapping(own)) });
  const project = await fixture.newProject();
  const image = await redAt(6);
  const found = async (query: string) =>
    (await infer(fixture, `${project}/local`, image, query)).body.predictions?.length;
  expect(await found('')).toBe(1);
  expect(await found('&confidence=0.5')).toBe(2);
  expect(await found('&confidence=0.5&overlap=0.5')).toBe(1);
  await fixture.upload(project, image);
  const batchId = await fixture.batchOf(project);
  const autolabel = { modelType: 'local', batchId, ontology: { red: 'red' } };
  const { body } = await fixture.tell('POST', `/acme/${project}/autolabel`, autolabel);
  expect(await fixture.ended(String(body.taskId))).toMatchObject({ result: { boxes: 1 } });
  expect((await fixture.tell('GET', `/acme/autolabel/jobs/${body.jobId}`)).body).toMatchObject({
    defaultConfidence: 0.6213,
  });
});

it.each([
  ['nothing', {}],
  ['no share', { confidence: '62', overlap: 'sometimes' }],
  ['that it found nothing', { confidence: '0.0', overlap: '' }],
])('counts them as ever where the model says %s', async (_what, own) => {
  const fixture = await startLabelling({ model: await modelFile(overlapping(own)) });
  const project = await fixture.newProject();
  const found = async (query: string) =>
    (await infer(fixture, `${project}/local`, await redAt(6), query)).body.predictions?.length;
  expect(await found('&overlap=0.7')).toBe(2);
  expect(await found('')).toBe(1);
  expect(await found('&overlap=0.7&confidence=0.51')).toBe(1);
});

it('takes a file, base64 or a URL, and nothing that lies in a private network', async () => {
  const image = await redAt(6);
  const server = createServer((_, response) => response.end(image));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const port = Object(server.address()).port;
  const isAllowedHost = (host: string) => host === `127.0.0.1:${port}`;
  const fixture = await startLabelling({ model: squaresModel, isAllowedHost });
  const project = await fixture.newProject();
  const url = (host: string) => `&image=${encodeURIComponent(`http://${host}/a.png`)}`;
  const byUrl = await infer(fixture, `${project}/local`, undefined, url(`127.0.0.1:${port}`));
  expect(byUrl.body.predictions).toHaveLength(1);
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(image)]), 'a.png');
  form.set('confidence', '0.9');
  const headers = { authorization: `Bearer ${fixture.platform.key}` };
  const address = `${fixture.platform.url}/${project}/local`;
  const byForm = await fetch(address, { method: 'POST', headers, body: form });
  expect(await byForm.json()).toMatchObject({ predictions: [{ class: 'red', confidence: 1 }] });
  const inside = await infer(fixture, `${project}/local`, undefined, url('127.0.0.1:1'));
  expect(inside.status).toBe(400);
  const both = await infer(fixture, `${project}/local`, image, url(`127.0.0.1:${port}`));
  expect(words(both)).toEqual([400, 'file: give either a file or an image URL']);
  expect((await infer(fixture, `${project}/local`)).status).toBe(400);
});

it('runs the model that was deployed, else that of the settings', async () => {
  const fixture = labelling();
  const project = await fixture.newProject();
  const image = await redAt(1);
  const deployed = await infer(fixture, `${project}/deployed`, image);
  expect(deployed.body.predictions).toHaveLength(1);
  expect(words(await infer(fixture, `${project}/3`, image))).toEqual([
    404,
    `There is no model "${project}/3".`,
  ]);
  expect((await infer(fixture, 'nobody/local', image)).status).toBe(404);
  expect((await infer(fixture, `${project}/latest`, image)).status).toBe(400);
  expect((await infer(fixture, `${project}/0`, image)).status).toBe(400);
});

it('refuses what is wrong, and records nothing of it', async () => {
  const fixture = labelling();
  const project = await fixture.newProject();
  const image = await redAt(1);
  const before = await counted(fixture);
  const refusal = async (query: string, content: Uint8Array = image) =>
    words(await infer(fixture, `${project}/local`, content, query));
  expect((await refusal('&confidence=1.1'))[0]).toBe(400);
  expect((await refusal('&overlap=-1'))[0]).toBe(400);
  expect(await refusal('&classes=rad')).toEqual([
    400,
    'classes: "rad" is no class of this model; did you mean "red"?',
  ]);
  expect((await refusal('', Buffer.from('no image')))[0]).toBe(415);
  expect((await refusal('', image.subarray(0, 70)))[0]).toBe(400);
  expect((await infer(fixture, `${project}/local`, image, '', 'wrong')).status).toBe(401);
  expect(await counted(fixture)).toEqual(before);
});

it('records the failure of a model as one', async () => {
  const fixture = await startLabelling({
    model: await modelFile(constantModel([1, 1, 6], [1, 1, 9, 9, 5, 0])),
  });
  const project = await fixture.newProject();
  const image = await redAt(1);
  expect(words(await infer(fixture, `${project}/local`, image))).toEqual([
    502,
    expect.stringMatching(
      /^The model gives a score of 5, and scores lie from 0 to 1\. .*softmax\.$/,
    ),
  ]);
  const { body } = await fixture.tell('GET', '/acme/inference-stats');
  expect(body).toMatchObject({ num_inferences: 1, num_errors: 1, avg_confidence: null });
  const batchId = await fixture.upload(project, image).then(() => fixture.batchOf(project));
  const started = await fixture.tell('POST', `/acme/${project}/autolabel`, {
    batchId,
    modelType: 'local',
  });
  expect(await fixture.ended(String(started.body.taskId))).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^Image [0-9a-f]{20}: The model gives a score/),
  });
  // What it did not label is free again.
  expect((await fixture.tell('GET', `/acme/${project}/jobs`)).body.jobs).toEqual([]);
});

it('says what to do where no model is, or no file of it', async () => {
  const fixture = await startLabelling();
  const project = await fixture.newProject();
  const image = await redAt(1);
  expect(words(await infer(fixture, `${project}/local`, image))).toEqual([409, none]);
  expect(words(await infer(fixture, `${project}/deployed`, image))).toEqual([409, none]);
  expect(words(await infer(fixture, `${project}/1`, image))[0]).toBe(404);
  const model = await modelFile();
  const other = await startLabelling({ model });
  await other.newProject();
  await rename(model, `${model}.gone`);
  expect(words(await infer(other, 'squares/local', image))).toEqual([
    404,
    'The model file cannot be read.',
  ]);
  await writeFile(model, 'no model');
  expect(words(await infer(other, 'squares/local', image))).toEqual([
    400,
    'model: is not an ONNX file, or only a part of one',
  ]);
});

it('gives each of several calls at once its own answer', async () => {
  const fixture = labelling();
  const project = await fixture.newProject();
  const images = [3, 5, 7, 11].map((place) => redAt(place));
  const answers = await Promise.all(
    images.map(async (image) => infer(fixture, `${project}/local`, await image)),
  );
  const places = answers.map(({ body }) => [body.predictions[0].x, body.predictions[0].y]);
  expect(places).toEqual([
    [56, 8],
    [24, 24],
    [56, 24],
    [56, 40],
  ]);
});

it('lets a publishable key run models', async () => {
  const fixture = labelling();
  const project = await fixture.newProject();
  const { body } = await fixture.tell('GET', '/acme/api-keys/publishable');
  const key = String(body.publishableKey ?? body.key);
  const image = await squaresOn(64, 64, [{ left: 0, top: 0, colour: red }]);
  const { status } = await infer(fixture, `${project}/local`, image, '', key);
  expect(status).toBe(200);
  expect((await fixture.tell('GET', `/acme/${project}`, undefined, key)).status).toBe(403);
});

it('says what to install where there is no runtime', async () => {
  const data = await temporaryFolder();
  const environment = { NODE_OPTIONS: `--import ${withoutRuntimes}` };
  const { child, url } = await startPlatformProcess(data, squaresModel, environment);
  onTestFinished(() => killProcess(child));
  const { newProject, upload, batchOf, tell, ended } = callsTo(url);
  const project = await newProject();
  const image = await redAt(1);
  const headers = { authorization: 'Bearer a-key-for-tests' };
  const body = image.toString('base64');
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(`${url}/${project}/local`, {
    method: 'POST',
    headers: { ...headers, ...type },
    body,
  });
  expect([answer.status, await answer.json()]).toEqual([
    501,
    {
      error: expect.objectContaining({
        message: 'No ONNX runtime is installed.',
        hint: 'Run `npm install onnxruntime-node` (or onnxruntime-web) beside Fovea.',
      }),
    },
  ]);
  await upload(project, image);
  const batchId = await batchOf(project);
  const started = await tell('POST', `/acme/${project}/autolabel`, {
    batchId,
    modelType: 'local',
  });
  expect(await ended(String(started.body.taskId))).toMatchObject({
    status: 'failed',
    error: 'No ONNX runtime is installed.',
  });
});

/** A module before all others, for which neither runtime is there. */
const withoutRuntimes = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve: (name, context, next) => {
      if (name.startsWith('onnxruntime-')) throw new Error('it is not there');
      return next(name, context);
    },
  });
`)}`;
