// No doubles: real processes before a real platform, with a network between them that loses
// requests and answers, and hosts that repeat themselves or are killed.

import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { projects } from '../../src/contract/projects.ts';
import { versions } from '../../src/contract/versions.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { type LossyProxy, startLossyProxy } from '../fixtures/lossy-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { ageCalls, callWithKey, openJournalFile } from './idempotency-journal.ts';

const creation = 'POST /acme/projects';
const image = 'sample/blood-cells/JPEGImages/BloodImage_00040.jpg';
const withoutWindow = { FOVEA_REPEAT_WINDOW_SECONDS: '0' };

let platform: TestPlatform;
let proxy: LossyProxy;
let home: string;
/** A host for all tests that need none of their own. */
let fovea: Fovea;
/** The same one, to which no two calls are equal. */
let foveaWithoutWindow: Fovea;

// Of a project that no other test has: what it is made of, its name in a path, its id.
let cells: {
  readonly name: string;
  readonly type: 'object-detection';
  readonly annotation: string;
};
let project: string;
let id: string;
let number = 0;
let seenBefore = 0;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startLossyProxy(platform.url);
  home = await mkdtemp(join(tmpdir(), 'fovea-journal-'));
  [fovea, foveaWithoutWindow] = await Promise.all([launch(), launch(withoutWindow)]);
});

beforeEach(() => {
  number += 1;
  cells = { name: `Cells ${number}`, type: 'object-detection', annotation: 'cells' };
  project = `cells-${number}`;
  id = `acme/${project}`;
  seenBefore = proxy.seen.length;
});

afterEach(() => proxy.release());

afterAll(async () => {
  await Promise.all([fovea, foveaWithoutWindow].map((one) => one?.close()));
  await proxy?.close();
  await platform?.close();
  await rm(home, { recursive: true, force: true });
});

/** A Fovea of its own; unless told, all of them share the data folder. */
function launch(settings: Record<string, string> = {}): Promise<Fovea> {
  return launchFovea({
    FOVEA_HOME: home,
    FOVEA_BASE_URL: proxy.url,
    FOVEA_API_KEY: platform.key,
    ...settings,
  });
}

/** A host for one test. */
async function host(settings: Record<string, string> = {}): Promise<Fovea> {
  const started = await launch(settings);
  onTestFinished(() => started.close());
  return started;
}

/** Of the projects with the name of this test. */
async function projectIds(name = cells.name): Promise<readonly string[]> {
  const { body } = await platform.client.call(workspace.workspace_get, { workspace: 'acme' });
  return body.workspace.projects.filter((one) => one.name === name).map((one) => one.id);
}

/** How often this test asked that. */
function times(what: string): number {
  return proxy.seen.slice(seenBefore).filter((one) => one === what).length;
}

describe('an answer that is lost', () => {
  test.each(['unanswered', 'half'] as const)('%s: the same call finds it', async (how) => {
    proxy.cut(creation, how);
    const lost = await fovea.call('projects_create', cells);
    expect(lost.isError).toBe(true);
    expect(lost.text).toContain('whether it was carried out is unknown');
    const again = await fovea.call('projects_create', cells);
    expect(again).toMatchObject({ isError: false, data: { id } });
    expect(again.text).toContain('it had been done');
    expect(times(creation)).toBe(1);
    expect(await projectIds()).toEqual([id]);
    // From here on it is a call like any other that was done.
    const third = await fovea.call('projects_create', cells);
    expect(third.text).toContain('nothing was done again');
    expect(times(creation)).toBe(1);
  });

  test('the service never heard of it: the same call is made', async () => {
    proxy.cut(creation, 'unheard');
    expect((await fovea.call('projects_create', cells)).isError).toBe(true);
    const again = await fovea.call('projects_create', cells);
    expect(again).toMatchObject({ isError: false, data: { id } });
    expect(again.text).not.toContain('it had been done');
    expect(times(creation)).toBe(2);
    expect(await projectIds()).toEqual([id]);
  });

  test('a project of the same name from before is not taken for it', async () => {
    await platform.client.call(projects.projects_create, { workspace: 'acme', ...cells });
    proxy.cut(creation, 'unheard');
    await fovea.call('projects_create', cells);
    const again = await fovea.call('projects_create', cells);
    // Made some seconds ago, on a clock that may be off: nobody can tell.
    expect(again.isError).toBe(true);
    expect(again.text).toContain('it may have been done');
    expect(again.text).toContain('Nothing was sent again');
    expect(times(creation)).toBe(1);
  });

  test('nobody can tell: nothing is sent again, until the window is over', async () => {
    const fovea = await host({ FOVEA_REPEAT_WINDOW_SECONDS: '4' });
    const start = 'POST /videoinfer/';
    const video = {
      input_url: 'https://example.com/a.mp4',
      infer_fps: 1,
      models: [{ model_id: 'cells', model_version: '1', inference_type: 'object-detection' }],
    };
    proxy.cut(start, 'unheard');
    const lost = await fovea.call('video_inference_start', video);
    expect(lost.text).toContain('whether it was carried out is unknown');
    const again = await fovea.call('video_inference_start', video);
    expect(again.text).toContain('it may have been done');
    expect(times(start)).toBe(1);
    ageCalls(home, 4_000);
    await fovea.call('video_inference_start', video);
    expect(times(start)).toBe(2);
  });

  test.each([
    ['folders_create', 'POST /acme/groups', { name: 'All cells' }, /"?id"?:? ?/],
    ['api_keys_create', 'POST /acme/api-keys', { name: 'CI' }, /its secret was lost/],
  ])('%s is found', async (tool, what, args, says) => {
    proxy.cut(what, 'unanswered');
    expect((await fovea.call(tool, args)).isError).toBe(true);
    const again = await fovea.call(tool, args);
    expect(again.isError).toBe(false);
    expect(again.text).toMatch(says);
    expect(again.text).toContain('it had been done');
    expect(times(what)).toBe(1);
  });

  test.each([
    ['api_keys_create', 'POST /acme/api-keys', { scopes: ['project:read'] }],
    ['api_keys_create', 'POST /acme/api-keys', { name: 'Robot', scopes: ['project:read'] }],
  ])('%s: the key of a colleague is not taken for ours', async (tool, what, args) => {
    proxy.cut(what, 'unheard');
    expect((await fovea.call(tool, args)).isError).toBe(true);
    ageCalls(home, 1_000);
    const input = { workspace: 'acme', ...args, scopes: ['folder:read'] };
    await platform.client.call(apiKeys.api_keys_create, input);
    const again = await fovea.call(tool, args);
    expect(again.isError).toBe(true);
    expect(again.text).toContain('it may have been done');
    expect(again.text).not.toContain('api_keys_revoke');
    expect(times(what)).toBe(1);
  });

  test('versions_generate without a name: the version of a colleague is not ours', async () => {
    await fovea.ok('projects_create', cells);
    await fovea.ok('images_upload', { project, files: [image], split: 'train' });
    const generate = `POST /${id}/generate`;
    const settings = { project, preprocessing: {}, augmentation: {} };
    proxy.cut(generate, 'unheard');
    expect((await fovea.call('versions_generate', settings)).isError).toBe(true);
    ageCalls(home, 1_000);
    const input = { workspace: 'acme', ...settings };
    await platform.client.call(versions.versions_generate, input);
    const again = await fovea.call('versions_generate', settings);
    expect(again.isError).toBe(true);
    expect(again.text).toContain('it may have been done');
    expect(times(generate)).toBe(1);
  });

  test('versions_generate: the one of its name is found', async () => {
    await fovea.ok('projects_create', cells);
    await fovea.ok('images_upload', { project, files: [image], split: 'train' });
    const generate = `POST /${id}/generate`;
    proxy.cut(generate, 'half');
    const settings = { project, versionName: 'Nightly', preprocessing: {}, augmentation: {} };
    expect((await fovea.call('versions_generate', settings)).isError).toBe(true);
    const again = await fovea.call('versions_generate', settings);
    expect(again).toMatchObject({ isError: false, data: { version: 1 } });
    expect(times(generate)).toBe(1);
    await fovea.ok('tasks_wait', { project, version: 1 });
  });

  test('a removal: the same call says that the first may have done it', async () => {
    await fovea.ok('projects_create', cells);
    proxy.cut(`DELETE /${id}`, 'unanswered');
    expect((await fovea.call('projects_delete', { project })).isError).toBe(true);
    const again = await fovea.call('projects_delete', { project });
    // It may as well never have been there, or be nothing that this credential may see.
    expect(again).toMatchObject({ isError: true, data: { error: { code: 'not_found' } } });
    expect(again.text).toContain('it may have removed it');
    expect((await fovea.call('projects_delete', { project })).isError).toBe(true);
  });
});

test('killed between sending and the answer: a new process finds what was made', async () => {
  const first = await host();
  proxy.cut(creation, 'held');
  const lost = first.call('projects_create', cells).catch(() => 'the process is gone');
  await proxy.held(1);
  const { transport } = first.client;
  const pid = transport && 'pid' in transport ? transport.pid : undefined;
  process.kill(Number(pid), 'SIGKILL');
  expect(await lost).toBe('the process is gone');
  const second = await host();
  const again = await second.call('projects_create', cells);
  expect(again).toMatchObject({ isError: false, data: { id } });
  expect(times(creation)).toBe(1);
  expect(await projectIds()).toEqual([id]);
});

test('two hosts make the same call at once: one makes it, both have its result', async () => {
  // Neither finds the journal there.
  const settings = { FOVEA_HOME: await temporaryFolder() };
  const hosts = await Promise.all([host(settings), host(settings)]);
  proxy.cut(creation, 'held');
  const calls = hosts.map((one) => one.ok('projects_create', cells));
  await proxy.held(1);
  setTimeout(() => proxy.release(), 500);
  expect(await Promise.all(calls)).toMatchObject([{ id }, { id }]);
  expect(times(creation)).toBe(1);
});

test('ten equal calls of one host at once are one', async () => {
  const calls = Array.from({ length: 10 }, () => fovea.ok('projects_create', cells));
  for (const made of await Promise.all(calls)) expect(made).toMatchObject({ id });
  expect(times(creation)).toBe(1);
});

test('the first of two equal calls is cancelled: the second has its result', async () => {
  proxy.cut(creation, 'held');
  const cancel = new AbortController();
  const first = fovea.client
    .callTool({ name: 'projects_create', arguments: cells }, { signal: cancel.signal })
    .catch(() => 'cancelled');
  await proxy.held(1);
  const messages: string[] = [];
  const second = fovea.call('projects_create', cells, (message) => messages.push(message));
  while (messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(messages[0]).toContain('under way already');
  cancel.abort();
  expect(await first).toBe('cancelled');
  expect(await second).toMatchObject({ isError: false, data: { id } });
  proxy.release();
  expect(times(creation)).toBe(1);
  expect(await projectIds()).toEqual([id]);
});

describe('a call that was done', () => {
  test('gives its first result again, and says so', async () => {
    const first = await fovea.call('projects_create', cells);
    const again = await fovea.call(
      'projects_create',
      Object.fromEntries(Object.entries(cells).reverse()),
    );
    expect(again.data).toMatchObject({ id, name: cells.name });
    expect(again.text).toMatch(/the same call \d s ago: nothing was done again/);
    expect(again.text).toMatch(/call it after 1\d\d s/);
    expect(first.text).not.toContain('nothing was done again');
    expect(times(creation)).toBe(1);
  });

  test('is the same call by way of operations_write', async () => {
    const fovea = await host({ FOVEA_TOOL_PROFILE: 'compact' });
    await fovea.ok('projects_create', cells);
    const again = await fovea.call('operations_write', {
      operation: 'projects_create',
      arguments: cells,
    });
    expect(again.text).toContain('nothing was done again');
    expect(times(creation)).toBe(1);
  });

  test('is made again after another change, since then it is meant', async () => {
    await fovea.ok('projects_create', cells);
    await fovea.ok('projects_delete', { project });
    const again = await fovea.ok('projects_create', cells);
    expect(times(creation)).toBe(2);
    expect(await projectIds()).toEqual([again.id]);
  });

  test('another credential is another caller', async () => {
    await fovea.ok('projects_create', cells);
    const { key } = await platform.otherWorkspace();
    const other = await host({ FOVEA_API_KEY: key });
    expect(await other.ok('projects_create', cells)).toMatchObject({ id: `globex/${project}` });
  });

  test('is not held against an equal one where the window is 0', async () => {
    await foveaWithoutWindow.ok('projects_create', cells);
    await foveaWithoutWindow.ok('projects_create', cells);
    expect(await projectIds()).toHaveLength(2);
  });

  test('failed before: it is made', async () => {
    const wrong = await fovea.call('projects_create', { ...cells, type: 'none' });
    expect(wrong.isError).toBe(true);
    expect(await fovea.ok('projects_create', cells)).toMatchObject({ id });
  });

  test('gave a secret: it is not kept, and not given twice', async () => {
    const { key, keyId } = await fovea.ok('api_keys_create', { name: 'Secret' });
    const again = await fovea.call('api_keys_create', { name: 'Secret' });
    expect(again.isError).toBe(true);
    expect(again.text).toContain(String(keyId));
    expect(again.text).not.toContain(String(key));
    for (const file of await readdir(home)) {
      if (!file.startsWith('journal')) continue;
      expect((await readFile(join(home, file))).includes(String(key))).toBe(false);
    }
  });

  test('a folder that was mended below is uploaded again', async () => {
    // The links to upload to are of the platform on this machine.
    const one = await launchFovea();
    onTestFinished(one.close);
    await one.ok('projects_create', cells);
    const path = join(one.folder, 'dataset');
    const pictures = join(path, 'train', 'images');
    await mkdir(pictures, { recursive: true });
    const add = (name: string) =>
      copyFile(join('sample/blood-cells/JPEGImages', name), join(pictures, name));
    await add('BloodImage_00040.jpg');
    expect(await one.ok('images_upload_zip', { project, path })).toMatchObject({
      images: 1,
    });
    await add('BloodImage_00055.jpg');
    expect(await one.ok('images_upload_zip', { project, path })).toMatchObject({
      images: 1,
      duplicates: 1,
    });
  });

  test('two equal events are two', async () => {
    const event = { event_schema: 'quality_check', event_data: { result: 'pass' } };
    const first = await fovea.ok('events_create', event);
    const second = await fovea.ok('events_create', event);
    expect(first.id).not.toBe(second.id);
  });
});

describe('the key of a host', () => {
  test('makes a call the same one, for as long as it is kept', async () => {
    const create = (key: string) =>
      callWithKey(foveaWithoutWindow, 'projects_create', cells, `${key} of ${project}`);
    await create('one');
    await foveaWithoutWindow.ok('projects_delete', { project });
    const again = await create('one');
    expect(again.text).toContain('nothing was done again');
    expect(times(creation)).toBe(1);
    await create('two');
    expect(times(creation)).toBe(2);
  });

  test('belongs to one call', async () => {
    const key = `one of ${project}`;
    await callWithKey(fovea, 'projects_create', cells, key);
    const other = await callWithKey(fovea, 'projects_create', { ...cells, name: 'Other' }, key);
    expect(other.isError).toBe(true);
    expect(other.text).toContain('used for another call');
    expect(await projectIds()).toEqual([id]);
    expect(await projectIds('Other')).toEqual([]);
  });

  test.each([5, '', 'x'.repeat(201), null, '\ud800'])('%j is none', async (key) => {
    await expect(callWithKey(fovea, 'projects_create', cells, key)).rejects.toThrow(
      '1 to 200 characters',
    );
    expect(await projectIds()).toEqual([]);
  });
});

test('a journal that cannot be written keeps nobody from working, without a key', async () => {
  const own = await temporaryFolder();
  await mkdir(join(own, 'journal.sqlite'));
  const one = await host({ FOVEA_HOME: own });
  await one.ok('projects_create', cells);
  await one.ok('projects_create', cells);
  expect(await projectIds()).toHaveLength(2);
  const keyed = await callWithKey(one, 'projects_create', cells, 'one');
  expect(keyed.isError).toBe(true);
  expect(keyed.text).toContain('Nothing was sent');
  expect(times(creation)).toBe(2);
  // Once it can be written, it is.
  await rmdir(join(own, 'journal.sqlite'));
  await callWithKey(one, 'projects_create', cells, 'one');
  const again = await callWithKey(one, 'projects_create', cells, 'one');
  expect(again.text).toContain('nothing was done again');
  expect(times(creation)).toBe(3);
});

test('a journal that is locked for a while is used afterwards', async () => {
  // It is there.
  await fovea.ok('folders_create', { name: 'Warm' });
  const file = openJournalFile(home);
  file.exec('BEGIN EXCLUSIVE');
  const late = await host();
  const key = `one of ${project}`;
  const keyed = await callWithKey(late, 'projects_create', cells, key);
  expect(keyed.text).toContain('Nothing was sent');
  file.exec('ROLLBACK');
  await callWithKey(late, 'projects_create', cells, key);
  await callWithKey(late, 'projects_create', cells, key);
  expect(times(creation)).toBe(1);
});

test('a clock that was set back', async () => {
  const own = await temporaryFolder();
  const one = await host({ FOVEA_HOME: own });
  const aDayOn = 'started_at = started_at + 86400000, ended_at = ended_at + 86400000';
  // An equal call is made, not answered a whole day.
  await one.ok('projects_create', cells);
  const file = openJournalFile(own);
  file.exec(`UPDATE calls SET ${aDayOn}`);
  const again = await one.call('projects_create', cells);
  expect(again.text).not.toContain('nothing was done again');
  expect(times(creation)).toBe(2);
  // A call of the future that nobody makes any more is not waited for.
  const other = { ...cells, name: `Other ${cells.name}` };
  await one.ok('projects_create', other);
  file.exec(`UPDATE calls SET state = 'running', host = 'gone', ${aDayOn}`);
  const lost = await one.call('projects_create', other);
  expect(lost.text).toContain('it may have been done');
  expect(times(creation)).toBe(3);
});

test('calls that failed, and those of others, push out no key', async () => {
  const own = await temporaryFolder();
  const first = await host({ FOVEA_HOME: own });
  await callWithKey(first, 'projects_create', cells, 'one');
  expect((await first.call('projects_create', { ...cells, type: 'none' })).isError).toBe(true);
  await first.close();
  const file = openJournalFile(own);
  expect(file.prepare('SELECT state FROM calls').all()).toEqual([{ state: 'done' }]);
  file.exec(`
    INSERT INTO calls (principal, tool, digest, state, host, pid, started_at, ended_at)
      SELECT 'a running one', tool, 'd', 'running', 'h', 1, started_at, ended_at FROM calls;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
      INSERT INTO calls (principal, tool, digest, state, host, pid, started_at, ended_at)
        SELECT 'another', tool, 'd' || i, 'done', 'h', 1, started_at, ended_at FROM calls, n
        WHERE key = 'one';
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
      INSERT INTO calls (principal, tool, digest, state, host, pid, started_at, ended_at)
        SELECT 'a running one', tool, 'd' || i, 'done', 'h', 1, started_at, ended_at FROM calls, n
        WHERE key = 'one'`);
  const second = await host({ FOVEA_HOME: own });
  const again = await callWithKey(second, 'projects_create', cells, 'one');
  expect(again.text).toContain('nothing was done again');
  expect(times(creation)).toBe(1);
  const left = 'SELECT principal, count(*) AS rows FROM calls GROUP BY principal ORDER BY rows';
  expect(file.prepare(left).all()).toMatchObject([
    { rows: 1 },
    { principal: 'another', rows: 10_000 },
    { principal: 'a running one', rows: 10_001 },
  ]);
});
