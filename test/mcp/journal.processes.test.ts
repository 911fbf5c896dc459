// No doubles: real processes before a real platform, with a network between them that loses
// requests and answers, and hosts that repeat themselves or are killed.

import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { projects } from '../../src/contract/projects.ts';
import { versions } from '../../src/contract/versions.ts';
import { workspace } from '../../src/contract/workspace.ts';
import { type CuttingProxy, startCuttingProxy } from '../fixtures/cutting-proxy.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

const creation = 'POST /acme/projects';
const cells = { name: 'Cells', type: 'object-detection', annotation: 'cells' };

let platform: TestPlatform;
let proxy: CuttingProxy;
let home: string;

beforeEach(async () => {
  platform = await startTestPlatform();
  proxy = await startCuttingProxy(platform.url);
  home = await mkdtemp(join(tmpdir(), 'fovea-journal-'));
  // Runs last: the hosts of a test are closed by then.
  onTestFinished(async () => {
    await proxy.close();
    await platform.close();
    await rm(home, { recursive: true, force: true });
  });
});

/** A host with a Fovea of its own; all of them share the data folder. */
async function host(settings: Record<string, string> = {}): Promise<Fovea> {
  const fovea = await launchFovea({
    FOVEA_HOME: home,
    FOVEA_BASE_URL: proxy.url,
    FOVEA_API_KEY: platform.key,
    ...settings,
  });
  onTestFinished(() => fovea.close());
  return fovea;
}

async function projectIds(): Promise<readonly string[]> {
  const { body } = await platform.client.call(workspace.workspace_get, { workspace: 'acme' });
  return body.workspace.projects.map(({ id }) => id).sort();
}

function times(what: string): number {
  return proxy.seen.filter((one) => one === what).length;
}

/** By its key of the host, where one is given. */
async function callWithKey(fovea: Fovea, name: string, args: object, key: unknown) {
  const result = await fovea.client.callTool({
    name,
    arguments: { ...args },
    _meta: { 'fovea/idempotencyKey': key },
  });
  return { isError: result.isError === true, text: JSON.stringify(result.content) };
}

describe('an answer that is lost', () => {
  test.each(['unanswered', 'half'] as const)('%s: the same call finds it', async (how) => {
    const fovea = await host();
    proxy.cut(creation, how);
    const lost = await fovea.call('projects_create', cells);
    expect(lost.isError).toBe(true);
    expect(lost.text).toContain('whether it was carried out is unknown');
    const again = await fovea.call('projects_create', cells);
    expect(again).toMatchObject({ isError: false, data: { id: 'acme/cells' } });
    expect(again.text).toContain('it had been done');
    expect(times(creation)).toBe(1);
    expect(await projectIds()).toEqual(['acme/cells']);
    // From here on it is a call like any other that was done.
    const third = await fovea.call('projects_create', cells);
    expect(third.text).toContain('nothing was done again');
    expect(times(creation)).toBe(1);
  });

  test('the service never heard of it: the same call is made', async () => {
    const fovea = await host();
    proxy.cut(creation, 'unheard');
    expect((await fovea.call('projects_create', cells)).isError).toBe(true);
    const again = await fovea.call('projects_create', cells);
    expect(again).toMatchObject({ isError: false, data: { id: 'acme/cells' } });
    expect(again.text).not.toContain('it had been done');
    expect(times(creation)).toBe(2);
    expect(await projectIds()).toEqual(['acme/cells']);
  });

  test('a project of the same name from before is not taken for it', async () => {
    const project = { workspace: 'acme', ...cells, type: 'object-detection' as const };
    await platform.client.call(projects.projects_create, project);
    const fovea = await host();
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
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await fovea.call('video_inference_start', video);
    expect(times(start)).toBe(2);
  });

  test.each([
    ['folders_create', 'POST /acme/groups', { name: 'All cells' }, /"?id"?:? ?/],
    ['api_keys_create', 'POST /acme/api-keys', { name: 'CI' }, /its secret was lost/],
  ])('%s is found', async (tool, what, args, says) => {
    const fovea = await host();
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
    ['api_keys_create', 'POST /acme/api-keys', { name: 'CI', scopes: ['project:read'] }],
  ])('%s: the key of a colleague is not taken for ours', async (tool, what, args) => {
    const fovea = await host();
    proxy.cut(what, 'unheard');
    expect((await fovea.call(tool, args)).isError).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const input = { workspace: 'acme', ...args, scopes: ['folder:read'] };
    await platform.client.call(apiKeys.api_keys_create, input);
    const again = await fovea.call(tool, args);
    expect(again.isError).toBe(true);
    expect(again.text).toContain('it may have been done');
    expect(again.text).not.toContain('api_keys_revoke');
    expect(times(what)).toBe(1);
  });

  test('versions_generate without a name: the version of a colleague is not ours', async () => {
    const fovea = await host();
    await fovea.ok('projects_create', cells);
    await fovea.ok('images_upload', { project: 'cells', files: ['sample/**/*'], split: 'train' });
    const generate = 'POST /acme/cells/generate';
    const settings = { project: 'cells', preprocessing: {}, augmentation: {} };
    proxy.cut(generate, 'unheard');
    expect((await fovea.call('versions_generate', settings)).isError).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const input = { workspace: 'acme', ...settings };
    await platform.client.call(versions.versions_generate, input);
    const again = await fovea.call('versions_generate', settings);
    expect(again.isError).toBe(true);
    expect(again.text).toContain('it may have been done');
    expect(times(generate)).toBe(1);
  });

  test('versions_generate: the one of its name is found', async () => {
    const fovea = await host();
    await fovea.ok('projects_create', cells);
    await fovea.ok('images_upload', { project: 'cells', files: ['sample/**/*'], split: 'train' });
    const generate = 'POST /acme/cells/generate';
    proxy.cut(generate, 'half');
    const settings = {
      ...{ project: 'cells', versionName: 'Nightly', preprocessing: {}, augmentation: {} },
    };
    expect((await fovea.call('versions_generate', settings)).isError).toBe(true);
    const again = await fovea.call('versions_generate', settings);
    expect(again).toMatchObject({ isError: false, data: { version: 1 } });
    expect(times(generate)).toBe(1);
    await fovea.ok('tasks_wait', { project: 'cells', version: 1 });
  });

  test('a removal: the same call says that the first may have done it', async () => {
    const fovea = await host();
    await fovea.ok('projects_create', cells);
    proxy.cut('DELETE /acme/cells', 'unanswered');
    expect((await fovea.call('projects_delete', { project: 'cells' })).isError).toBe(true);
    const again = await fovea.call('projects_delete', { project: 'cells' });
    // It may as well never have been there, or be nothing that this credential may see.
    expect(again).toMatchObject({ isError: true, data: { error: { code: 'not_found' } } });
    expect(again.text).toContain('it may have removed it');
    expect((await fovea.call('projects_delete', { project: 'cells' })).isError).toBe(true);
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
  expect(again).toMatchObject({ isError: false, data: { id: 'acme/cells' } });
  expect(times(creation)).toBe(1);
  expect(await projectIds()).toEqual(['acme/cells']);
});

test('two hosts make the same call at once: one makes it, both have its result', async () => {
  const hosts = await Promise.all([host(), host()]);
  proxy.cut(creation, 'held');
  const calls = hosts.map((fovea) => fovea.ok('projects_create', cells));
  await proxy.held(1);
  setTimeout(() => proxy.release(), 500);
  expect(await Promise.all(calls)).toMatchObject([{ id: 'acme/cells' }, { id: 'acme/cells' }]);
  expect(times(creation)).toBe(1);
});

test('ten equal calls of one host at once are one', async () => {
  const fovea = await host();
  const calls = Array.from({ length: 10 }, () => fovea.ok('projects_create', cells));
  for (const { id } of await Promise.all(calls)) expect(id).toBe('acme/cells');
  expect(times(creation)).toBe(1);
});

test('the first of two equal calls is cancelled: the second has its result', async () => {
  const fovea = await host();
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
  expect(await second).toMatchObject({ isError: false, data: { id: 'acme/cells' } });
  proxy.release();
  expect(times(creation)).toBe(1);
  expect(await projectIds()).toEqual(['acme/cells']);
});

describe('a call that was done', () => {
  test('gives its first result again, and says so', async () => {
    const fovea = await host();
    const first = await fovea.call('projects_create', cells);
    const again = await fovea.call(
      'projects_create',
      Object.fromEntries(Object.entries(cells).reverse()),
    );
    expect(again.data).toMatchObject({ id: 'acme/cells', name: 'Cells' });
    expect(again.text).toMatch(/the same call \d s ago: nothing was done again/);
    expect(again.text).toMatch(/call it after 1\d\d s/);
    expect(first.text).not.toContain('nothing was done again');
    expect(times(creation)).toBe(1);
  });

  test('is the same call by way of operations_write', async () => {
    const fovea = await host({ FOVEA_SURFACE: 'compact' });
    await fovea.ok('projects_create', cells);
    const again = await fovea.call('operations_write', {
      ...{ operation: 'projects_create', arguments: cells },
    });
    expect(again.text).toContain('nothing was done again');
    expect(times(creation)).toBe(1);
  });

  test('is made again after another change, since then it is meant', async () => {
    const fovea = await host();
    await fovea.ok('projects_create', cells);
    await fovea.ok('projects_delete', { project: 'cells' });
    const again = await fovea.ok('projects_create', cells);
    expect(times(creation)).toBe(2);
    expect(await projectIds()).toEqual([again.id]);
  });

  test('another credential is another caller', async () => {
    await (await host()).ok('projects_create', cells);
    const { key } = await platform.otherWorkspace();
    const other = await host({ FOVEA_API_KEY: key });
    expect(await other.ok('projects_create', cells)).toMatchObject({ id: 'globex/cells' });
  });

  test('is not held against an equal one where the window is 0', async () => {
    const fovea = await host({ FOVEA_REPEAT_WINDOW_SECONDS: '0' });
    await fovea.ok('projects_create', cells);
    await fovea.ok('projects_create', cells);
    expect(await projectIds()).toHaveLength(2);
  });

  test('failed before: it is made', async () => {
    const fovea = await host();
    proxy.before(creation, async () => undefined);
    const wrong = await fovea.call('projects_create', { ...cells, type: 'none' });
    expect(wrong.isError).toBe(true);
    expect(await fovea.ok('projects_create', cells)).toMatchObject({ id: 'acme/cells' });
  });

  test('gave a secret: it is not kept, and not given twice', async () => {
    const fovea = await host();
    const { key, keyId } = await fovea.ok('api_keys_create', { name: 'CI' });
    const again = await fovea.call('api_keys_create', { name: 'CI' });
    expect(again.isError).toBe(true);
    expect(again.text).toContain(String(keyId));
    expect(again.text).not.toContain(String(key));
    for (const file of await readdir(home)) {
      if (!file.startsWith('journal')) continue;
      expect((await readFile(join(home, file))).includes(String(key))).toBe(false);
    }
  });

  test('a folder that was mended below is uploaded again', async () => {
    const fovea = await launchFovea();
    onTestFinished(fovea.close);
    await fovea.ok('projects_create', cells);
    const path = join(fovea.folder, 'dataset');
    const pictures = join(path, 'train', 'images');
    await mkdir(pictures, { recursive: true });
    const add = (name: string) =>
      copyFile(join('sample/blood-cells/JPEGImages', name), join(pictures, name));
    await add('BloodImage_00040.jpg');
    expect(await fovea.ok('images_upload_zip', { project: 'cells', path })).toMatchObject({
      images: 1,
    });
    await add('BloodImage_00055.jpg');
    expect(await fovea.ok('images_upload_zip', { project: 'cells', path })).toMatchObject({
      images: 1,
      duplicates: 1,
    });
  });

  test('two equal events are two', async () => {
    const fovea = await host();
    const event = { event_schema: 'quality_check', event_data: { result: 'pass' } };
    const first = await fovea.ok('events_create', event);
    const second = await fovea.ok('events_create', event);
    expect(first.id).not.toBe(second.id);
  });
});

describe('the key of a host', () => {
  test('makes a call the same one, for as long as it is kept', async () => {
    const fovea = await host({ FOVEA_REPEAT_WINDOW_SECONDS: '0' });
    await callWithKey(fovea, 'projects_create', cells, 'one');
    await fovea.ok('projects_delete', { project: 'cells' });
    const again = await callWithKey(fovea, 'projects_create', cells, 'one');
    expect(again.text).toContain('nothing was done again');
    expect(times(creation)).toBe(1);
    await callWithKey(fovea, 'projects_create', cells, 'two');
    expect(times(creation)).toBe(2);
  });

  test('belongs to one call', async () => {
    const fovea = await host();
    await callWithKey(fovea, 'projects_create', cells, 'one');
    const other = await callWithKey(fovea, 'projects_create', { ...cells, name: 'Other' }, 'one');
    expect(other.isError).toBe(true);
    expect(other.text).toContain('used for another call');
    expect(await projectIds()).toEqual(['acme/cells']);
  });

  test.each([5, '', 'x'.repeat(201), null, '\ud800'])('%j is none', async (key) => {
    const fovea = await host();
    await expect(callWithKey(fovea, 'projects_create', cells, key)).rejects.toThrow(
      '1 to 200 characters',
    );
    expect(await projectIds()).toEqual([]);
  });
});

test('a journal that cannot be written keeps nobody from working, without a key', async () => {
  await mkdir(join(home, 'journal.sqlite'));
  const fovea = await host();
  await fovea.ok('projects_create', cells);
  await fovea.ok('projects_create', cells);
  expect(await projectIds()).toHaveLength(2);
  const keyed = await callWithKey(fovea, 'projects_create', cells, 'one');
  expect(keyed.isError).toBe(true);
  expect(keyed.text).toContain('Nothing was sent');
  expect(times(creation)).toBe(2);
  // Once it can be written, it is.
  await rmdir(join(home, 'journal.sqlite'));
  await callWithKey(fovea, 'projects_create', cells, 'one');
  const again = await callWithKey(fovea, 'projects_create', cells, 'one');
  expect(again.text).toContain('nothing was done again');
  expect(times(creation)).toBe(3);
});

/** The file as another process has it. */
function openJournalFile(): DatabaseSync {
  const file = new DatabaseSync(join(home, 'journal.sqlite'), { timeout: 5_000 });
  onTestFinished(() => file.close());
  return file;
}

test('a journal that is locked for a while is used afterwards', async () => {
  const first = await host();
  await first.ok('folders_create', { name: 'Warm' });
  await first.close();
  const file = openJournalFile();
  file.exec('BEGIN EXCLUSIVE');
  const fovea = await host();
  const keyed = await callWithKey(fovea, 'projects_create', cells, 'one');
  expect(keyed.text).toContain('Nothing was sent');
  file.exec('ROLLBACK');
  await callWithKey(fovea, 'projects_create', cells, 'one');
  await callWithKey(fovea, 'projects_create', cells, 'one');
  expect(times(creation)).toBe(1);
});

describe('a clock that was set back', () => {
  const aDayOn = 'started_at = started_at + 86400000, ended_at = ended_at + 86400000';

  test('an equal call is made, not answered a whole day', async () => {
    const fovea = await host();
    await fovea.ok('projects_create', cells);
    openJournalFile().exec(`UPDATE calls SET ${aDayOn}`);
    const again = await fovea.call('projects_create', cells);
    expect(again.text).not.toContain('nothing was done again');
    expect(times(creation)).toBe(2);
  });

  test('a call of the future that nobody makes any more is not waited for', async () => {
    const fovea = await host();
    await fovea.ok('projects_create', cells);
    openJournalFile().exec(`UPDATE calls SET state = 'running', host = 'gone', ${aDayOn}`);
    const again = await fovea.call('projects_create', cells);
    expect(again.text).toContain('it may have been done');
    expect(times(creation)).toBe(1);
  });
});

test('calls that failed, and those of others, push out no key', async () => {
  const first = await host();
  await callWithKey(first, 'projects_create', cells, 'one');
  expect((await first.call('projects_create', { ...cells, type: 'none' })).isError).toBe(true);
  await first.close();
  const file = openJournalFile();
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
  const fovea = await host();
  const again = await callWithKey(fovea, 'projects_create', cells, 'one');
  expect(again.text).toContain('nothing was done again');
  expect(times(creation)).toBe(1);
  const left = 'SELECT principal, count(*) AS rows FROM calls GROUP BY principal ORDER BY rows';
  expect(file.prepare(left).all()).toMatchObject([
    { rows: 1 },
    { principal: 'another', rows: 10_000 },
    { principal: 'a running one', rows: 10_001 },
  ]);
});
