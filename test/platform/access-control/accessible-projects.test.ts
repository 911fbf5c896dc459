// Keys for folders: the projects in them and below, as they are at each call, and nothing else.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { makeFolder, makeKey, makeProject, messageOf, send, typeOf } from '../api-key-requests.ts';

let platform: TestPlatform;
let line: string;
let station: string;
let key: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  for (const name of ['Cells', 'Bolts', 'Nuts']) await makeProject(platform, name);
  line = await makeFolder(platform, { name: 'Line', projects: ['cells'] });
  const below = { name: 'Station', projects: ['bolts'], parent_id: line };
  station = await makeFolder(platform, below);
  key = (await makeKey(platform, { folderIds: [line] })).key;
});

afterAll(() => platform.close());

const as = (credential: string, at: string, body?: unknown) => send(platform, credential, at, body);
const status = async (at: string, body?: unknown) => (await as(key, at, body)).status;
const admin = (at: string, body?: unknown) => as(platform.key, at, body);

describe('a project', () => {
  test('in the folder, or in one below it, is there with all that it has', async () => {
    expect(await status('GET /acme/cells')).toBe(200);
    expect(await status('GET /acme/bolts')).toBe(200);
    expect(await status('GET /acme/bolts/batches')).toBe(200);
  });

  test('elsewhere is forbidden, to read and to write', async () => {
    for (const at of ['GET /acme/nuts', 'GET /acme/nuts/health', 'DELETE /acme/nuts']) {
      const refused = await as(key, at);
      expect([at, refused.status, typeOf(refused), messageOf(refused)]).toEqual([
        at,
        403,
        'forbidden',
        'This credential has no access to the project "nuts".',
      ]);
    }
    const form = new FormData();
    form.append('file', new File([await testImage(1)], 'one.png', { type: 'image/png' }));
    const upload = await fetch(`${platform.url}/dataset/nuts/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    expect(upload.status).toBe(403);
    expect((await admin('GET /acme/nuts')).body).toMatchObject({ project: { images: 0 } });
  });

  test('that is not there is 404, and the hint names those in reach alone', async () => {
    const { status: code, body } = await as(key, 'GET /acme/screws');
    expect([code, body]).toEqual([
      404,
      {
        error: {
          message: 'There is no project "screws".',
          type: 'not_found',
          hint: expect.stringMatching(/^Projects here: (bolts, cells|cells, bolts)\.$/),
        },
      },
    ]);
  });
});

test('a list leaves out what is elsewhere', async () => {
  const { body } = await as(key, 'GET /acme');
  expect(JSON.stringify(body)).toContain('acme/cells');
  expect(JSON.stringify(body)).not.toContain('nuts');
});

test('a key for the folder below does not reach up', async () => {
  const below = await makeKey(platform, { folderIds: [station] });
  expect((await as(below.key, 'GET /acme/bolts')).status).toBe(200);
  expect((await as(below.key, 'GET /acme/cells')).status).toBe(403);
});

test('a scope that is missing stays missing in reach', async () => {
  const reader = await makeKey(platform, { folderIds: [line], scopes: ['project:read'] });
  expect((await as(reader.key, 'GET /acme/cells')).status).toBe(200);
  expect((await as(reader.key, 'DELETE /acme/cells')).status).toBe(403);
});

test('a project that moves is in or out of reach with the next call', async () => {
  await makeProject(platform, 'Rover');
  expect(await status('GET /acme/rover')).toBe(403);
  const move = (folder: string) =>
    admin(`PATCH /acme/groups/${folder}/projects`, { projects: ['rover'] });
  const elsewhere = await makeFolder(platform, { name: 'Elsewhere' });
  expect((await move(station)).status).toBe(204);
  expect(await status('GET /acme/rover')).toBe(200);
  expect((await move(elsewhere)).status).toBe(204);
  expect(await status('GET /acme/rover')).toBe(403);
  // A folder that moves takes its projects along.
  await admin(`POST /acme/groups/${elsewhere}`, { parent_id: line });
  expect(await status('GET /acme/rover')).toBe(200);
});

test('a key whose folder is gone keeps its id and reaches nothing', async () => {
  await makeProject(platform, 'Lonely');
  const folder = await makeFolder(platform, { name: 'Gone', projects: ['lonely'] });
  const made = await makeKey(platform, { folderIds: [folder] });
  expect((await as(made.key, 'GET /acme/lonely')).status).toBe(200);
  expect((await admin(`DELETE /acme/groups/${folder}`)).status).toBe(204);
  expect((await as(made.key, 'GET /acme/lonely')).status).toBe(403);
  expect((await as(made.key, 'GET /')).status).toBe(200);
  const { body } = await as(made.key, 'GET /acme');
  expect(body).toMatchObject({ workspace: { projects: [] } });
});

test('what needs the whole workspace says so', async () => {
  const project = { name: 'New', type: 'object-detection', annotation: 'x' };
  const lines: [string, unknown?][] = [
    ['POST /acme/projects', project],
    ['POST /acme/groups', { name: 'Mine' }],
    [`POST /acme/groups/${line}`, { name: 'Mine' }],
    [`DELETE /acme/groups/${line}`],
    [`PATCH /acme/groups/${line}/projects`, { projects: ['nuts'] }],
  ];
  for (const [at, body] of lines) {
    const refused = await as(key, at, body);
    expect([at, refused.status]).toEqual([at, 403]);
    expect(messageOf(refused)).toMatch(/needs a key for the whole workspace\.$/);
  }
  expect(await status('GET /acme/nuts')).toBe(403);
});
