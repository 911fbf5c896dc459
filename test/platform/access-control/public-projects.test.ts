// A public project of another workspace: others see what is in it, and change nothing.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchFovea } from '../../fixtures/fovea.ts';
import { testImage } from '../../fixtures/images.ts';
import {
  type OtherWorkspace,
  startTestPlatform,
  type TestPlatform,
} from '../../fixtures/platform.ts';
import { makeFolder, makeKey, makeProject, messageOf, send } from '../api-key-requests.ts';

let platform: TestPlatform;
let globex: OtherWorkspace;
let imageId: string;
let vaultImageId: string;

const settings = { preprocessing: {}, augmentation: {} };

const as = (key: string, at: string, body?: unknown) => send(platform, key, at, body);
const owner = (at: string, body?: unknown) => as(globex.key, at, body);
const ours = (at: string, body?: unknown) => as(platform.key, at, body);

async function upload(project: string, place: number): Promise<string> {
  const form = new FormData();
  form.append('file', new File([await testImage(place)], `${project}.png`, { type: 'image/png' }));
  const answer = await fetch(`${platform.url}/dataset/${project}/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${globex.key}` },
    body: form,
  });
  return String(Object(await answer.json()).id);
}

beforeAll(async () => {
  platform = await startTestPlatform();
  globex = await platform.otherWorkspace();
  const made = { type: 'object-detection', annotation: 'things' };
  await owner('POST /globex/projects', { ...made, name: 'Open', public: true });
  await owner('POST /globex/projects', { ...made, name: 'Vault' });
  await owner('POST /globex/projects', { ...made, name: 'Gone', public: true });
  await owner('DELETE /globex/gone');
  await makeProject(platform, 'Own');
  imageId = await upload('open', 1);
  vaultImageId = await upload('vault', 2);
  await owner('POST /globex/open/generate', settings);
  await owner('POST /globex/open/generate', settings);
});

afterAll(() => platform.close());

const reads = [
  'GET /globex/open',
  'GET /globex/open/1',
  'GET /globex/open/version-diff?from=1&to=2',
] as const;

describe('a key of another workspace', () => {
  test.each(reads)('reads %s as its owner does', async (at) => {
    const { status, body } = await ours(at);
    expect(status).toBe(200);
    expect(Object.keys(Object(body))).toEqual(Object.keys(Object((await owner(at)).body)));
  });

  test('reads its health, but not who uploads what', async () => {
    const { refused, ...shared } = Object((await owner('GET /globex/open/health')).body);
    expect(refused).toEqual({ total: 0, complete: true, files: [] });
    expect((await ours('GET /globex/open/health')).body).toEqual(shared);
  });

  test('finds its images, gets one, and its file', async () => {
    const found = await ours('POST /globex/open/search', {});
    expect(found.body).toMatchObject({ total: 1, results: [{ id: imageId }] });
    const got = await ours(`GET /globex/open/images/${imageId}`);
    const { image } = Object(got.body);
    expect(image).toMatchObject({ id: imageId, name: 'open.png' });
    expect((await fetch(image.urls.original)).status).toBe(200);
  });

  test('gets no image of a private project by way of the public one', async () => {
    const { status } = await ours(`GET /globex/open/images/${vaultImageId}`);
    expect(status).toBe(404);
    const alike = { like_image: vaultImageId };
    expect((await ours('POST /globex/open/search', alike)).status).toBe(404);
  });

  test.each([
    ['DELETE /globex/open'],
    ['POST /globex/open/generate', settings],
    ['DELETE /globex/open/1'],
    ['GET /globex/open/1/coco'],
    ['POST /globex/open/preview', settings],
    ['POST /globex/open/splits/rebalance', { splits: { train: 1, valid: 1, test: 0 } }],
    ['GET /globex/open/batches'],
    ['GET /globex/open/health-findings?finding=refused-files'],
    ['GET /globex/open/jobs'],
    ['GET /globex'],
    ['GET /globex/api-keys'],
    ['POST /globex/search/v1', { query: 'tag:x' }],
  ])('is refused %s', async (at, body?: unknown) => {
    expect((await ours(at, body)).status).toBe(403);
  });

  test('is told what it may do instead', async () => {
    const { body } = await ours('DELETE /globex/open');
    expect(Object(body).error.hint).toBe(
      'This credential belongs to the workspace "acme". The project is public: projects_fork copies it there.',
    );
  });

  test('a project in place of a workspace is known as such', async () => {
    const cells = { name: 'cells', type: 'object-detection', annotation: 'cells' };
    expect((await ours('POST /acme/projects', cells)).status).toBe(201);
    const { status, body } = await ours('GET /cells/1');
    expect(status).toBe(404);
    expect(Object(body).error.hint).toBe(
      'This credential belongs to the workspace "acme". "cells" is a project in it: name it alone; a version is its number.',
    );
    const { body: other } = await ours('GET /nowhere/1');
    expect(Object(other).error.hint).toBe('This credential belongs to the workspace "acme".');
  });

  test('learns nothing of a private project: it is as one that is not there', async () => {
    const answers = [];
    for (const slug of ['vault', 'gone', 'nothing']) {
      for (const at of [`GET /globex/${slug}`, `GET /globex/${slug}/1`, `DELETE /globex/${slug}`]) {
        const { status, body } = await ours(at);
        const { error, request_id: _, ...rest } = Object(body);
        answers.push(JSON.stringify([status, error.message, error.hint, rest]));
      }
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('403');
  });
});

test('an assistant names it as WORKSPACE/PROJECT', async () => {
  const fovea = await launchFovea({ FOVEA_BASE_URL: platform.url, FOVEA_API_KEY: platform.key });
  onTestFinished(() => fovea.close());
  const found = await fovea.ok('images_search', { project: 'globex/open' });
  expect(found.results).toMatchObject([{ id: imageId }]);
  const refused = await fovea.call('versions_generate', { project: 'globex/open', ...settings });
  expect(refused.text).toContain('versions_generate failed with status 403');
});

describe('a lesser key', () => {
  test('without the scope is refused, with it reads', async () => {
    const reader = (await makeKey(platform, { scopes: ['project:read'] })).key;
    expect((await as(reader, 'GET /globex/open')).status).toBe(200);
    const refused = await as(reader, 'GET /globex/open/1');
    expect([refused.status, messageOf(refused)]).toEqual([
      403,
      'versions_get needs the scope version:read.',
    ]);
  });

  test('for folders reads no project of others', async () => {
    const folderId = await makeFolder(platform, { name: 'Line', projects: ['own'] });
    const folder = (await makeKey(platform, { folderIds: [folderId] })).key;
    expect((await as(folder, 'GET /acme/own')).status).toBe(200);
    for (const at of reads) expect((await as(folder, at)).status).toBe(403);
  });

  test('that is publishable reads nothing', async () => {
    const { publishableKey } = await makeKey(platform);
    for (const at of reads) expect((await as(publishableKey, at)).status).toBe(403);
  });

  test('that is unknown is told so first', async () => {
    for (const at of reads) expect((await as('wrong', at)).status).toBe(401);
  });
});

test('nothing of the other workspace has changed', async () => {
  expect((await owner('GET /globex/open')).body).toMatchObject({ project: { images: 1 } });
  expect((await owner('GET /globex/gone')).status).toBe(404);
});
