// Requests as the vendor's Python client spells them, where the document spells them otherwise.

import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  const made = await ask('POST', '/acme/projects', {
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
    license: 'MIT',
  });
  expect(made.status).toBe(201);
});
afterAll(() => platform.close());

const client = { 'user-agent': 'python-requests/2.28.1' };

async function ask(method: string, path: string, body?: object, headers: object = client) {
  const mark = path.includes('?') ? '&' : '?';
  const answer = await fetch(`${platform.url}${path}${mark}api_key=${platform.key}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function upload(name: string): Promise<string> {
  const form = new FormData();
  form.append('name', name);
  form.append('split', 'train');
  form.append('file', new Blob([await testImage(name.length * 10 + name.charCodeAt(1))]), name);
  const url = `${platform.url}/dataset/cells/upload?api_key=${platform.key}&batch=morning&tag=a`;
  const answer = await fetch(url, { method: 'POST', body: form });
  return z.object({ id: z.string() }).parse(await answer.json()).id;
}

test('the key is checked by a POST, with the key in the query', async () => {
  expect((await ask('POST', '/')).body.workspace).toBe('acme');
  const wrong = await fetch(`${platform.url}/?api_key=wrong`, { method: 'POST' });
  expect(wrong.status).toBe(401);
});

test('projects have the colours of their classes, the same each time', async () => {
  const id = await upload('one.png');
  const annotationFile = '0 0.5 0.5 0.2 0.2\n1 0.2 0.2 0.1 0.1\n';
  const labelmap = { 0: 'RBC', 1: 'WBC' };
  const path = `/dataset/cells/annotate/${id}?name=one.txt`;
  expect((await ask('POST', path, { annotationFile, labelmap })).status).toBe(200);
  const colors = { RBC: '#78ffff', WBC: '#a50f96' };
  expect((await ask('GET', '/acme/cells')).body.project.colors).toEqual(colors);
  expect((await ask('GET', '/acme')).body.workspace.projects[0].colors).toEqual(colors);
});

test('a new annotation job is 201 as documented, and 200 for the client that takes no other', async () => {
  await upload('two.png');
  await upload('three.png');
  const [batch] = (await ask('GET', '/acme/cells/batches')).body.batches;
  const job = {
    name: 'morning',
    batch: batch.id,
    num_images: 1,
    labelerEmail: 'ada@example.com',
    reviewerEmail: 'bob@example.com',
  };
  expect((await ask('POST', '/acme/cells/jobs', job)).status).toBe(200);
  expect((await ask('POST', '/acme/cells/jobs', job, {})).status).toBe(201);
});

test('the upload of a zip file is 202 as documented, and 201 for the client', async () => {
  expect((await ask('POST', '/acme/cells/upload/zip', {})).status).toBe(201);
  expect((await ask('POST', '/acme/cells/upload/zip', {}, {})).status).toBe(202);
});

test('a search of the workspace tells the projects of each image', async () => {
  const fields = ['tags', 'projects', 'filename'];
  const { body } = await ask('POST', '/acme/search/v1', { query: 'filename:two*', fields });
  expect(body.results).toMatchObject([{ tags: ['a'], projects: ['cells'], filename: 'two.png' }]);
});

test('the catalogue is also found under its other name', async () => {
  const { status, body } = await ask('GET', '/universe/search?q=cells&limit=12&page=1');
  expect({ status, results: body.results }).toEqual({ status: 200, results: [] });
});

test('the upload link of a video says for how many seconds it is good, and is refused with another', async () => {
  const { body } = await ask('POST', '/video_upload_signed_url', { file_name: 'clip.webm' });
  const link = String(body.signed_url);
  expect(link.split('&X-Goog-Expires')[1]?.split('&')[0]).toBe('=3600');
  const put = async (url: string) => (await fetch(url, { method: 'PUT', body: 'a' })).status;
  expect(await put(link.replace('=3600', '=7200'))).toBe(403);
  expect(await put(link.replace('&X-Goog-Expires=3600', ''))).toBe(403);
  expect(await put(link)).toBe(200);
});

test('a video job takes no altered upload link of this service', async () => {
  const { body } = await ask('POST', '/video_upload_signed_url', { file_name: 'clip.mp4' });
  const link = String(body.signed_url);
  const models = [{ model_id: 'local', model_version: '1', inference_type: 'object-detection' }];
  for (const altered of [
    link.replace('X-Goog-Expires=3600', 'X-Goog-Expires=7200'),
    link.replace('&X-Goog-Expires=3600', ''),
    link.replace(/([?&]expires=)\d+/, '$19999999999999'),
    link.replace(/&signature=.*/, ''),
    `${link}=`,
    link.replace('/uploads/', '/uploads/f'),
  ]) {
    const told = await ask('POST', '/videoinfer/', { input_url: altered, infer_fps: 1, models });
    expect([altered, told.status, told.body.error?.message]).toEqual([
      altered,
      400,
      'input_url: is an upload link that was not given like this: its signature does not match',
    ]);
  }
});

test('a workflow is made from the query, its config a text that is given back as it was', async () => {
  const config = '{"specification": {"version": "1.0"}}';
  const make = async (query: object) =>
    ask('POST', `/acme/createWorkflow?${new URLSearchParams(Object.entries(query))}`);
  const given = { name: 'Count cells', url: 'count-cells', template: '{}', config };
  const made = await make(given);
  expect(made.status).toBe(201);
  expect(made.body.workflow).toMatchObject({ name: 'Count cells', url: 'count-cells' });
  expect((await ask('GET', '/acme/workflows/count-cells')).body.workflow.config).toBe(config);
  for (const [wrong, message] of [
    [{ config: '[]' }, 'config: must be an object, or the JSON text of one'],
    [{ config: `${'{"a":'.repeat(99)}1${'}'.repeat(99)}` }, 'is nested deeper than'],
    [{ template: '{"a":1}' }, 'template'],
    [{ more: '1' }, 'more'],
  ] as const) {
    const { status, body } = await make({ ...given, ...wrong });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  }
  const twice = await ask('POST', '/acme/createWorkflow?name=a&config=%7B%7D', { name: 'b' });
  expect(twice.body.error.message).toBe('name: is in the query and in the body, send one');
});

test('a workflow is changed, and copied', async () => {
  const other = await ask('POST', '/acme/workflows', { name: 'Other', config: { a: 1 } });
  const { workflow } = (await ask('GET', '/acme/workflows/count-cells')).body;
  const change = {
    id: workflow.id,
    name: 'Counted',
    url: 'counted',
    config: '{"specification":{}}',
  };
  const changed = await ask('POST', '/acme/updateWorkflow', change);
  expect(changed.status).toBe(200);
  expect((await ask('GET', '/acme/workflows/counted')).body.workflow).toMatchObject(change);
  const named = await ask('POST', '/acme/updateWorkflow', {
    id: workflow.id,
    name: 'Counted again',
  });
  expect(named.body.workflow).toMatchObject({ name: 'Counted again', url: 'counted' });
  expect((await ask('GET', '/acme/workflows/counted')).body.workflow.config).toBe(change.config);
  const taken = await ask('POST', '/acme/updateWorkflow', { id: workflow.id, url: 'other' });
  expect([taken.status, taken.body.error.message]).toEqual([
    409,
    'Another workflow has this slug.',
  ]);
  const empty = await ask('POST', '/acme/updateWorkflow', { id: workflow.id, url: '!!!' });
  expect([empty.status, empty.body.error.message]).toEqual([
    400,
    'url: needs at least one letter a-z or digit, for the slug',
  ]);
  const plain = { name: 'Plain', url: 'images', config: { a: 1 } };
  const reserved = await ask('POST', '/acme/workflows', plain);
  expect([reserved.status, reserved.body.workflow.url]).toEqual([201, 'images']);
  expect((await ask('GET', '/acme/workflows/images')).body.workflow.name).toBe('Plain');
  const missing = await ask('POST', '/acme/updateWorkflow', { id: 'nobody', name: 'a' });
  expect(missing.status).toBe(404);
  const source = { source_workspace: 'acme', source_workflow: 'other' };
  const fork = await ask('POST', '/acme/forkWorkflow', source);
  expect([fork.status, fork.body.workflow.url]).toEqual([201, 'other-2']);
  expect(fork.body.workflow.id).not.toBe(other.body.workflow.id);
  expect((await ask('GET', '/acme/workflows/other-2')).body.workflow.config).toEqual({ a: 1 });
  const far = await ask('POST', '/acme/forkWorkflow', { ...source, source_workspace: 'globex' });
  expect(far.status).toBe(404);
});

test('images that a project has are kept where images without one are deleted', async () => {
  const id = await upload('kept.png');
  const kept = await ask('DELETE', '/acme/images', { images: [id] });
  expect(kept).toMatchObject({ status: 200, body: { deletedSources: 0, skippedSources: 1 } });
  const twice = await ask('DELETE', '/acme/images', { images: [id, id] });
  expect(twice.body).toMatchObject({ skipped: 1, skippedSources: 1 });
  expect((await ask('GET', `/acme/cells/images/${id}`)).status).toBe(200);
  const { status, body } = await ask('DELETE', '/acme/images', { images: [id, 'nobody'] });
  expect([status, body.error.message]).toEqual([
    400,
    'images: 1 of 2 are not in this workspace (nobody); nothing was deleted',
  ]);
});

test('what is not served is called so, whatever its address is read as', async () => {
  const settings = { preprocessing: {}, augmentation: {} };
  expect((await ask('POST', '/acme/cells/generate', settings)).status).toBe(200);
  for (const [method, path, status, what] of [
    ['GET', '/acme/devices/v2', 404, 'devices'],
    ['GET', '/acme/devices/v2/d1/config/', 404, 'devices'],
    ['POST', '/acme/devices/v2', 405, 'devices'],
    ['GET', '/acme/stats?startDate=2026-01-01', 404, 'statistics of labelling work'],
    ['GET', '/acme/model-evals?status=done&limit=9', 404, 'evaluations of models'],
    ['GET', '/usage/plan', 404, 'plans and billing'],
    ['GET', '/acme/cells/1/ptFile', 404, 'PyTorch weights; models here are ONNX files'],
    ['POST', '/acme/models/a/favorite', 405, 'the search for architectures'],
    ['GET', '/models/acme/a', 404, 'a model by its address alone; see the models of its project'],
    ['GET', '/list', 404, 'dedicated deployments'],
    ['GET', '/get?deployment_name=one', 404, 'dedicated deployments'],
    ['POST', '/add', 405, 'dedicated deployments'],
  ] as const) {
    const answer = await ask(method, path, method === 'POST' ? {} : undefined);
    expect([path, answer.status, answer.body.error.message]).toEqual([
      path,
      status,
      `Not served here: ${what}.`,
    ]);
  }
  expect((await ask('GET', '/acme/a/b/c/d/e')).body.error.message).toBe(
    'There is no operation at this path.',
  );
  const unknown = await fetch(`${platform.url}/acme/devices/v2?api_key=wrong`);
  expect(unknown.status).toBe(401);
});

test('a project may have the name of what is not served', async () => {
  const project = { name: 'Stats', type: 'object-detection', annotation: 'cells' };
  expect((await ask('POST', '/acme/projects', project)).status).toBe(201);
  expect((await ask('GET', '/acme/stats')).body.project.name).toBe('Stats');
  const evals = { ...project, name: 'Model evals' };
  expect((await ask('POST', '/acme/projects', evals)).status).toBe(201);
  const resize = { format: 'Stretch to', width: -1, height: 9 };
  const settings = { preprocessing: { resize }, augmentation: {} };
  const folder = { name: 'Elsewhere', projects: ['cells'] };
  const { id } = (await ask('POST', '/acme/groups', folder)).body;
  const asked = { name: 'outsider', folderIds: [id], scopes: ['project:read'] };
  const made = await ask('POST', '/acme/api-keys', asked);
  const outsider = await fetch(`${platform.url}/acme/stats?api_key=${made.body.key}`);
  expect(outsider.status).toBe(403);
  expect(await outsider.json()).toMatchObject({
    error: { message: 'This credential has no access to the project "stats".' },
  });
  for (const [method, path, status, message, body] of [
    ['GET', '/acme/stats?x=1', 400, 'x: '],
    ['GET', '/acme/model-evals/99', 404, 'There is no version "99".'],
    ['POST', '/acme/model-evals/generate', 400, 'preprocessing.resize', settings],
  ] as const) {
    const answer = await ask(method, path, body);
    expect([answer.status, answer.body.error.message]).toEqual([
      status,
      expect.stringContaining(message),
    ]);
  }
});

test('an address that is read as another one says as which', async () => {
  const foreign = await ask('POST', '/acme/renameWorkspace');
  expect([foreign.status, foreign.body.error.hint]).toEqual([
    400,
    'The address was read as POST /{project}/{version} (inference_run).',
  ]);
  const json = await ask('POST', '/acme/renameWorkspace', { name: 'a' });
  expect([json.status, json.body.error.hint]).toEqual([
    415,
    'Send it as multipart/form-data. The address was read as POST /{project}/{version} (inference_run).',
  ]);
});
