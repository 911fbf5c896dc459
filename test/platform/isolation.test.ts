// Every operation with every credential that is not for it, over ids that somebody else really has.
// An operation without a row in isolation/rows.ts fails here.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { embeddedOperations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { scopes as allScopes } from '../../src/contract/scopes.ts';
import { constantModel } from '../fixtures/onnx-models.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { makeKey, send } from './api-key-requests.ts';
import { type Row, rows } from './isolation/access-matrix.ts';
import { callOperation, type Input, type Reply } from './isolation/call.ts';
import { idIn, keptOf, openWork } from './isolation/database-rows.ts';
import {
  annotationGroup,
  imagesMade,
  type Marker,
  makeThings,
  type Owner,
  startTrainings,
  type Things,
  trainerProgram,
  unmade,
} from './isolation/owned-resources.ts';

const matrix: readonly { id: string; operation: Operation; row: Row | undefined }[] =
  Object.values<Operation>(embeddedOperations).map((operation) => ({
    id: operation.id,
    operation,
    row: new Map<string, Row>(Object.entries(rows)).get(operation.id),
  }));

/** The words that are in everything of the victim, and of the project out of reach. */
const theirMarker: Marker = 'theircanary';
const outsideMarker: Marker = 'outsidecanary';

let folder: string;
let platform: TestPlatform;
/** Of another workspace, which is attacked. */
let theirs: Things;
/** Of our workspace: in the folder of the folder key, and out of it. */
let inside: Things;
let outside: Things;
/** Of a third workspace, whose owner calls everything. */
let control: Things;
let controlKey: string;
const keys = new Map<string, string>();
let before: readonly (readonly string[])[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-isolation-'));
  const model = join(folder, 'model.onnx');
  await writeFile(model, constantModel([1, 6, 1], [8, 8, 4, 4, 0.9, 0]));
  const program = join(folder, 'trainer.mjs');
  await writeFile(program, trainerProgram(model));
  const trainer = { path: process.execPath, args: [program], name: 'test' };
  platform = await startTestPlatform({ model, trainer, videoStatusIntervalMs: 0 });
  const { url, key } = platform;
  controlKey = (await platform.otherWorkspace('initech')).key;
  const other = await platform.otherWorkspace('globex');
  const owners: readonly Owner[] = [
    { url, key: controlKey, workspace: 'initech', project: 'press', marker: 'controlcanary' },
    { url, key: other.key, workspace: 'globex', project: 'vault', marker: theirMarker },
    { url, key, workspace: 'acme', project: 'outside', marker: outsideMarker },
    { url, key, workspace: 'acme', project: 'inside', marker: 'insidecanary' },
  ];
  const made: Things[] = [];
  for (const owner of owners) made.push({ ...(await makeThings(owner)), ...noTrainings });
  for (const [place, owner] of owners.entries()) {
    made.splice(place, 1, { ...thingsAt(made, place), ...(await startTrainings(owner)) });
  }
  control = thingsAt(made, 0);
  theirs = thingsAt(made, 1);
  outside = thingsAt(made, 2);
  inside = thingsAt(made, 3);
  await makeKeys();
  await settled();
  await drawVideos();
  before = await keptNow();
}, 240_000);

afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

const noTrainings = { trainingId: '', otherTrainingId: '' };

function thingsAt(made: readonly Things[], place: number): Things {
  const found = made[place];
  if (found === undefined) throw new Error(`nothing was made for owner ${place}`);
  return found;
}

async function makeKeys(): Promise<void> {
  const made = async (name: string, settings: object) => {
    const key = await makeKey(platform, { name, ...settings });
    keys.set(name, key.key);
    return key;
  };
  await made('full', {});
  await made('nothing', { scopes: [] });
  await made('reader', { scopes: allScopes.filter((scope) => scope.endsWith(':read')) });
  await made('folder', { folderIds: [inside.folderId] });
  for (const scope of new Set(matrix.map(({ operation }) => operation.scope))) {
    await made(`without ${scope}`, { scopes: allScopes.filter((other) => other !== scope) });
  }
  const disabled = await made('disabled', {});
  const line = `PATCH /acme/api-keys/${disabled.keyId}`;
  await send(platform, platform.key, line, { disabled: true });
  const revoked = await made('revoked', {});
  await send(platform, platform.key, `DELETE /acme/api-keys/${revoked.keyId}`);
  keys.set('publishable', revoked.publishableKey);
  keys.set('wrong', `fvk_${'A'.repeat(43)}`);
}

async function settled(): Promise<void> {
  await vi.waitUntil(async () => (await platform.look(openWork)) === 0, {
    timeout: 60_000,
    interval: 50,
  });
}

/** Their video is none: a picture of it is there all the same. */
async function drawVideos(): Promise<void> {
  await platform.query('UPDATE video_jobs SET sheet_hash = (SELECT hash FROM images LIMIT 1)');
}

function keptNow(): Promise<readonly (readonly string[])[]> {
  return platform.look(async (rows) => [
    await keptOf(rows, await idIn(rows, 'workspaces', 'globex')),
    await keptOf(rows, await idIn(rows, 'projects', 'outside')),
  ]);
}

let names = 0;
/** What the row asks about these things. */
function inputOf({ input }: Row, at: Things): Input {
  names += 1;
  return input(at, `attempt-${names}`);
}

/** The same but for what is another one each time. */
function isSame(row: Row, one: Things, other: Things): boolean {
  return JSON.stringify(row.input(one, '')) === JSON.stringify(row.input(other, ''));
}

const as = (name: string, operation: Operation, input: Input): Promise<Reply> =>
  callOperation(platform.url, keys.get(name), operation, input);

/** What a call may name beside a workspace and a project. */
const ids = [
  ...([
    'imageId',
    'otherImageId',
    'batchId',
    'jobId',
    'autolabelId',
    'taskId',
    'zipTaskId',
  ] as const),
  ...(['exportTaskId', 'trainingId', 'otherTrainingId', 'modelId', 'folderId', 'keyId'] as const),
  ...(['otherKeyId', 'workflow', 'trashedProjectId', 'videoJobId'] as const),
  ...(['inferenceId', 'sourceId', 'useCaseId', 'continuationToken'] as const),
] satisfies readonly (keyof Things)[];

/** Statuses, and whether words of somebody else are in the answer. */
function expectAnswer(
  { status, text }: Reply,
  statuses: readonly number[],
  ...markers: readonly Marker[]
): void {
  expect(statuses, text).toContain(status);
  for (const marker of markers) expect(text).not.toContain(marker);
}

function successes({ success, alsoAnswers }: Operation): readonly number[] {
  return [success, ...alsoAnswers];
}

test('the matrix has every operation, and no other', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(embeddedOperations).sort());
});

test('all that is attacked is there', () => expect(unmade).toEqual([]));

const ofWorkspace = matrix.flatMap(({ id, operation, row }) =>
  row && operation.path.includes('{workspace}') ? [{ id, operation, row }] : [],
);

test.each(ofWorkspace)('$id: another workspace in the address: 403', async ({ operation, row }) => {
  for (const name of ['full', 'folder']) {
    expectAnswer(await as(name, operation, inputOf(row, theirs)), [403], theirMarker);
  }
});

describe.each(matrix)('$id', ({ operation, row }) => {
  const { scope, effect, path } = operation;
  if (row === undefined) {
    test('has a row in isolation/rows.ts', () => expect(row).toBeDefined());
    return;
  }
  const namesProject = path.includes('{project}');
  const mine = (at: Things): Things => ({ ...at, workspace: 'acme' });
  const below = (at: Things): Things => ({
    ...mine(at),
    owner: 'acme',
    project: inside.project,
  });

  test.each(['nobody', 'wrong', 'disabled', 'revoked'])('%s: 401', async (name) => {
    const reply = await as(name, operation, inputOf(row, inside));
    expectAnswer(reply, [401]);
    const challenge = name === 'nobody' ? 'Bearer' : 'Bearer error="invalid_token"';
    expect(reply.challenge).toBe(challenge);
  });

  test('a key without its scope, or without any: 403 that names it', async () => {
    for (const name of ['nothing', `without ${scope}`]) {
      const reply = await as(name, operation, inputOf(row, inside));
      expectAnswer(reply, [403]);
      expect(reply.challenge).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    }
  });

  test('a key that only reads changes nothing', async () => {
    if (scope.endsWith(':read')) {
      expect(effect === 'reads' || operation.id === 'search_export_start').toBe(true);
      return;
    }
    expectAnswer(await as('reader', operation, inputOf(row, inside)), [403]);
  });

  test('a publishable key runs models alone', async () => {
    const statuses = operation.id === 'inference_run' ? [200] : [403];
    expectAnswer(await as('publishable', operation, inputOf(row, inside)), statuses);
  });

  test('ids of another workspace in our own: not there', async () => {
    for (const at of [mine(theirs), below(theirs)]) {
      if (isSame(row, at, inside)) continue;
      const reply = await as('full', operation, inputOf(row, at));
      expectAnswer(reply, row.foreign ?? [404], theirMarker);
      const restricted = await as('folder', operation, inputOf(row, at));
      const refusal = row.isWhole ? [403] : [403, ...(row.foreign ?? [404])];
      expectAnswer(restricted, refusal, theirMarker, outsideMarker);
    }
  });

  test('a key for a folder gets nothing of what lies outside', async () => {
    for (const at of [mine(outside), below(outside)]) {
      if (isSame(row, at, inside)) continue;
      const isPlain = namesProject && at.project === outside.project;
      const denied = row.outside ?? (isPlain ? [403] : (row.foreign ?? [404]));
      const reply = await as('folder', operation, inputOf(row, at));
      expectAnswer(reply, row.isWhole ? [403] : denied, outsideMarker);
    }
  });

  test('one id of somebody else among our own: not there', async () => {
    for (const id of ids) {
      for (const [name, at, markers] of [
        ['full', theirs, [theirMarker]],
        ['folder', theirs, [theirMarker, outsideMarker]],
        ['folder', outside, [outsideMarker]],
      ] as const) {
        const mixed = { ...inside, [id]: at[id] };
        if (isSame(row, mixed, inside)) continue;
        const denied = name === 'folder' && row.isWhole ? [403] : (row.foreign ?? [404]);
        expectAnswer(await as(name, operation, inputOf(row, mixed)), denied, ...markers);
      }
    }
  });

  test('a key for a folder gets what lies inside, and what is ours leaks nothing', async () => {
    const writesOurs = effect !== 'reads' && !row.isWhole;
    if (writesOurs) return;
    const own = row.own ?? successes(operation);
    const reply = await as('folder', operation, inputOf(row, inside));
    expectAnswer(reply, row.isWhole ? [403] : own, outsideMarker, theirMarker);
    if (effect !== 'reads') return;
    expectAnswer(await as('full', operation, inputOf(row, inside)), own, theirMarker);
  });
});

/** Starts a task; gives its id. */
async function start(key: string, path: string, body: unknown): Promise<string> {
  const started = await send(platform, keys.get(key), `POST ${path}`, body);
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  return z.object({ taskId: z.string() }).parse(started.body).taskId;
}

/** The task of whoever started it, who sees it too. */
async function ended(key: string, taskId: string): Promise<unknown> {
  await settled();
  return (await send(platform, keys.get(key), `GET /acme/asynctasks/${taskId}`)).body;
}

/** Of images inside and outside. */
const groupExport = { query: '*', format: 'coco', annotationGroup };

describe('a search of a key for a folder', () => {
  const search = (query: string, key = 'folder') =>
    send(platform, keys.get(key), 'POST /acme/search/v1', {
      query,
      fields: ['name', 'tags', 'labels', 'project'],
      pageSize: 100,
    });
  const found = (reply: unknown) =>
    z.object({ body: z.looseObject({ total: z.int() }) }).parse(reply).body;

  test('finds all that is inside, and nothing else', async () => {
    expect(found(await search('*')).total).toBe(imagesMade);
    expect(found(await search('*', 'full')).total).toBe(2 * imagesMade);
  });

  test.each([
    'project:outside',
    'project:inside OR project:outside',
    'project:vault OR tag:theircanary-tag',
    'NOT tag:insidecanary-tag',
    '-tag:insidecanary-tag OR tag:outsidecanary-tag',
    'tag:outsidecanary-tag',
    'class:outsidecanary-class>=0',
    'filename:*outsidecanary*',
    'filename:*theircanary*',
    'metadata:place=outsidecanary',
    '"outsidecanary"',
    'outsidecanary',
    'annotated:true OR annotated:false',
    'min-width:1 sort:name-asc',
  ])('%s', async (query) => {
    for (const key of ['folder', 'full']) {
      const reply = await search(query, key);
      // An error shows the query again.
      if (reply.status === 400) continue;
      expect(reply.status).toBe(200);
      const said = withoutOwnWords(JSON.stringify(reply.body), query);
      expect(said).not.toContain('theircanary-');
      if (key === 'folder') expect(said).not.toContain('outsidecanary-');
    }
  });

  /** An empty search names the tags and classes that it was asked for: those of the query alone. */
  function withoutOwnWords(text: string, query: string): string {
    return text.replaceAll(/No image here has the \w+ \\"([\w-]+)\\"/g, (note, name: string) =>
      query.includes(name) ? '' : note,
    );
  }

  test('like an image outside, by its id or with its bytes', async () => {
    const byId = await search(`like-image:${outside.imageId}`);
    expect(JSON.stringify(byId.body)).not.toContain('outsidecanary-');
    const theirsById = await search(`like-image:${theirs.imageId}`, 'full');
    expect(JSON.stringify(theirsById.body)).not.toContain('theircanary-');
  });

  test('exports of a group that both are in what is inside alone', async () => {
    const part = await start('folder', '/acme/search/export', groupExport);
    expect(await ended('folder', part)).toMatchObject({ result: { images: imagesMade } });
  });
});

test('a video of another workspace is not read, by its link or with its model', async () => {
  for (const [input_url, model_id] of [
    [theirs.videoLink, 'local'],
    [inside.videoLink, theirs.modelId],
  ]) {
    const models = [{ model_id, model_version: '1', inference_type: 'object-detection' }];
    const body = { input_url, models };
    const started = await send(platform, keys.get('full'), 'POST /videoinfer/', body);
    if (started.status === 404 || started.status === 400) continue;
    const { job_id } = z.object({ job_id: z.string() }).parse(started.body);
    await settled();
    const line = `GET /videoinfer/?job_id=${job_id}`;
    const job = await send(platform, keys.get('full'), line);
    expect(job.body).toMatchObject({ status: 2 });
    expect(JSON.stringify(job.body)).not.toContain(theirMarker);
  }
});

describe('bulk metadata of a key for a folder', () => {
  test('changes what is inside and names the rest, as if it were not there', async () => {
    const change = { metadata: { bulk: true } };
    const updates = [inside, outside, theirs].map(({ imageId }) => ({ imageId, ...change }));
    const started = await start('folder', '/acme/images/metadata', { updates });
    expect(await ended('folder', started)).toMatchObject({
      status: 'completed',
      result: { succeeded: 1, failed: 2 },
    });
    const all = await start('full', '/acme/images/metadata', { updates: updates.slice(0, 1) });
    expect(await ended('folder', all)).toMatchObject({ error: { type: 'not_found' } });
  });
});

test('nothing of the other workspace, and of the project outside, has changed', async () => {
  await settled();
  expect(before.map(({ length }) => length)).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Math.min(...before.map(({ length }) => length))).toBeGreaterThan(15);
  expect(await keptNow()).toEqual(before);
});

test('what a key for all exports from both is not for a key for a folder', async () => {
  const whole = await start('full', '/acme/search/export', groupExport);
  expect(await ended('full', whole)).toMatchObject({ result: { images: 2 * imagesMade } });
  expect(await ended('folder', whole)).toMatchObject({ error: { type: 'not_found' } });
  const link = await send(platform, keys.get('folder'), `GET /acme/search/export/${whole}`);
  expect(link.status).toBe(404);
});

// Last, since what is asked for is done here: it proves that the calls above were right in all but
// who made them.
test.each(Object.entries<Row>(rows))('the owner may: %s', async (id, row) => {
  const operation = new Map<string, Operation>(Object.entries(embeddedOperations)).get(id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  const input = inputOf(row, control);
  const reply = await callOperation(platform.url, controlKey, operation, input);
  expectAnswer(reply, row.own ?? successes(operation));
});
