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
