// The wire as others have observed it of the hosted platform, member by member, against ours. What
// is not served is in decisions/observed-wire.md.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { constantModel } from '../fixtures/onnx-models.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import {
  imagesMade,
  makeThings,
  startTrainings,
  trainerProgram,
  unmade,
} from './isolation/owned-resources.ts';
import { createProject, endOf, upload } from './labelled-projects.ts';
import {
  annotationRows,
  imageRows,
  searchRows,
  trashRows,
} from './observed-wire/images-and-search.ts';
import {
  deploymentRows,
  eventRows,
  folderRows,
  keyRows,
  monitoringRows,
} from './observed-wire/keys-to-events.ts';
import {
  type Call,
  differences,
  type Known,
  type Observed,
  valuesAt,
} from './observed-wire/members.ts';
import { notServed } from './observed-wire/not-served.ts';
import {
  trainingRows,
  versionRows,
  workspaceRows,
} from './observed-wire/workspace-and-versions.ts';

const oneFlip = { flip: { horizontal: true, vertical: false } };

let folder: string;
let platform: TestPlatform;
let things: Known;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-observed-wire-'));
  const model = join(folder, 'model.onnx');
  await writeFile(model, constantModel([1, 6, 1], [8, 8, 4, 4, 0.9, 0]));
  const program = join(folder, 'trainer.mjs');
  await writeFile(program, trainerProgram(model));
  const trainer = { path: process.execPath, args: [program], name: 'test' };
  platform = await startTestPlatform({ model, trainer, videoStatusIntervalMs: 0 });
  const { client } = platform;
  const made = await makeThings(owner());
  await createProject(client, 'incoming');
  await upload(client, await createProject(client, 'Shown', { public: true }), 200);
  const settings = { preprocessing: { 'auto-orient': true }, augmentation: oneFlip };
  await send({ method: 'POST', path: '/acme/shown/generate', json: settings });
  const found = await send({ method: 'POST', path: '/acme/cells/search', json: {} });
  const free = found.body.results.map(({ id }: { readonly id: string }) => id);
  const bulk = await send({
    method: 'POST',
    path: '/acme/images/metadata',
    json: {
      updates: [made.imageId, 'nobody'].map((imageId) => ({ imageId, addTags: ['bulk'] })),
    },
  });
  const exported = await send({ method: 'GET', path: '/acme/cells/1/coco' });
  expect(exported.status).toBe(202);
  while ((await send({ method: 'GET', path: '/acme/cells/1/coco' })).status === 202);
  await endOf(client, made.exportTaskId);
  await endOf(client, bulk.body.taskId);
  things = {
    ...made,
    trainingId: '',
    otherTrainingId: '',
    taggedImageId: free[0],
    bulkTaskId: bulk.body.taskId,
  };
  expect(free).toHaveLength(imagesMade);
  expect(unmade).toEqual([]);
}, 60_000);

afterAll(async () => {
  await platform.close();
  await rm(folder, { recursive: true, force: true });
});

function owner() {
  const { url, key } = platform;
  return { url, key, workspace: 'acme', project: 'cells', marker: 'canary' } as const;
}

async function send({ method, path, json, form }: Call) {
  const answer = await fetch(platform.url + path, {
    method,
    headers: {
      authorization: `Bearer ${platform.key}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(form !== undefined && { body: partsOf(form) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

function partsOf(form: NonNullable<Call['form']>): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (typeof value === 'string') parts.append(name, value);
    else parts.append(name, new File([value.slice()], 'one.png'));
  }
  return parts;
}

// In this order: some rows change or remove what others read.
describe.each([
  ['workspace and projects', workspaceRows],
  ['images', imageRows],
  ['annotation', annotationRows],
  ['search', searchRows],
  ['versions', versionRows],
  ['deployment', deploymentRows],
  ['monitoring, video, workflows', monitoringRows],
  ['vision events', eventRows],
  ['folders', folderRows],
  ['API keys', keyRows],
  ['trash', trashRows],
])('%s', (_, rows) => areAsObserved(rows));

describe('trainings', () => {
  beforeAll(async () => {
    things = { ...things, ...(await startTrainings(owner())) };
  });
  areAsObserved(trainingRows);
});

function areAsObserved(rows: readonly Observed[]): void {
  it.each(rows)('$operation ($source)', async ({ call, status, members }) => {
    const answer = await send(call(things));
    expect(answer).toMatchObject({ status });
    expect(differences(answer.body, members)).toEqual([]);
  });
}

describe('what is not served', () => {
  it.each(notServed)('$what ($source): $decision', async ({ call, member, decision }) => {
    const { status, body } = await send(call(things));
    if (member === undefined) expect([400, 404, 405]).toContain(status);
    else expect({ status, found: valuesAt(body, member) }).toEqual({ status: 200, found: [] });
    const record = await readFile('decisions/observed-wire.md', 'utf8');
    expect(record).toContain(`**${decision}**`);
  });
});
