// Work in the background whose process is killed in the middle: the next one ends it with the same
// result, and progress never goes back. Kinds that have such a test elsewhere: version and its
// parts (beside this file), rebalance, fork, classes, metadata and purge (bulk-restart), zip
// (zip/restart), autolabel (autolabel), embed (search/by-meaning). `sweep` and `index` have no
// task: they are looked for anew with every start.

import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { limits } from '../../../src/limits.ts';
import type { PlatformOptions } from '../../../src/platform/platform.ts';
import { startFovea } from '../../fixtures/fovea-services.ts';
import { hasFfmpeg } from '../../fixtures/has-ffmpeg.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { avi } from '../../fixtures/mp4-files.ts';
import { startTestPlatform, withRowsInFolder } from '../../fixtures/platform.ts';
import { readZip } from '../../fixtures/read-zip.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { scriptTrainer } from '../../trainers/test-trainers.ts';
import { callsTo, squaresModel as model, redAt } from '../platform-with-model.ts';

type Calls = ReturnType<typeof callsTo>;

interface Kind {
  /** What the task says when it has ended. */
  readonly result: object;
  /** Makes what the work is done on, beyond the images and versions that are there for all. */
  prepare?(calls: Calls): Promise<void>;
  /** Starts it, for the first or the second time; gives the task. */
  start(calls: Calls, time: 1 | 2): Promise<string>;
  /** What came of it, to be compared with what came of it the second time. */
  outcome(calls: Calls, taskId: string, time: 1 | 2): Promise<unknown>;
}

const imageCount = 40;
const frameCount = 150;

if (!hasFfmpeg) process.stderr.write('DID NOT RUN: a kill within a video; no ffmpeg.\n');

/** Nobody holds a lease of the dead process any more. */
const later = { ...systemClock, now: () => systemClock.now() + 2 * limits.taskLeaseMs };

/** Data with what most kinds work on: made once, as that takes longer than the work itself. */
let prepared: string;

beforeAll(async () => {
  prepared = await mkdtemp(join(tmpdir(), 'fovea-killed-'));
  const platform = await startTestPlatform({ data: prepared, ...withRowsInFolder });
  const calls = callsTo(platform.url);
  await uploadNoise(calls);
  // Two versions of the same: what is exported once is not written again.
  await generate(calls);
  await generate(calls);
  await platform.close();
}, 120_000);

afterAll(() => rm(prepared, { recursive: true, force: true }));

/** Pictures that take their time: noise cannot be made smaller. */
async function uploadNoise({ newProject, upload, annotate }: Calls): Promise<void> {
  const project = await newProject();
  const raw = { width: 400, height: 400, channels: 3 } as const;
  for (let number = 0; number < imageCount; number += 1) {
    const noise = await sharp(randomBytes(400 * 400 * 3), { raw })
      .png()
      .toBuffer();
    await annotate(project, await upload(project, noise));
  }
}

async function generate({ tell, ended }: Calls): Promise<void> {
  const settings = { preprocessing: {}, augmentation: {} };
  const { body } = await tell('POST', '/acme/squares/generate', settings);
  expect((await ended(String(body.taskId))).status).toBe('completed');
}

/** Each file of a zip by its SHA-256, without what says when and of what it was made. */
async function contentOf(link: unknown): Promise<Readonly<Record<string, string>>> {
  const path = join(await temporaryFolder(), 'export.zip');
  const answer = await fetch(String(link));
  expect(answer.status).toBe(200);
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  const files = [...(await readZip(path))].filter(([name]) => !name.startsWith('README'));
  // The images and their labels.
  expect(files).toHaveLength(imageCount + 1);
  return Object.fromEntries(
    files.map(([name, bytes]) => [
      name,
      createHash('sha256')
        .update(name.endsWith('.json') ? withoutInfo(bytes) : bytes)
        .digest('hex'),
    ]),
  );
}

/** COCO without what it says of the version and its time. */
function withoutInfo(bytes: Buffer): string {
  const { images, annotations, categories } = JSON.parse(bytes.toString('utf8'));
  expect([images.length, annotations.length]).toEqual([imageCount, imageCount]);
  const names = images.map((one: object) => Object(one).file_name);
  return JSON.stringify({ names, annotations, categories });
}

const exported: Kind = {
  result: { format: 'coco', bytes: expect.any(Number) },
  start: async ({ tell }, time) => {
    expect((await tell('GET', `/acme/squares/${time}/coco`)).status).toBe(202);
    const { tasks } = (await tell('GET', '/acme/asynctasks')).body;
    const found = [tasks].flat().find((one) => Object(one).kind === 'export');
    return String(Object(found).taskId);
  },
  outcome: async ({ tell }, _taskId, time) => {
    const { body } = await tell('GET', `/acme/squares/${time}/coco`);
    return contentOf(Object(body.export).link);
  },
};

const searchExported: Kind = {
  result: { format: 'coco', bytes: expect.any(Number), images: imageCount },
  start: async ({ tell }) => {
    const body = { query: 'class:red', format: 'coco', dataset: 'squares' };
    const { body: started } = await tell('POST', '/acme/search/export', body);
    return String(started.taskId);
  },
  outcome: async ({ tell }, taskId) =>
    contentOf((await tell('GET', `/acme/search/export/${taskId}`)).body.link),
};

let videoUrl = '';

const video: Kind = {
  result: expect.anything(),
  prepare: async ({ tell }) => {
    const named = await tell('POST', '/video_upload_signed_url/', { file_name: 'clip.avi' });
    videoUrl = String(named.body.signed_url);
    const frame = await sharp(await redAt(5))
      .jpeg()
      .toBuffer();
    const clip = avi(
      Array.from({ length: frameCount }, () => frame),
      30,
      64,
      64,
    );
    const put = await fetch(videoUrl, { method: 'PUT', body: new Uint8Array(clip) });
    expect([put.status, await put.text()]).toEqual([200, expect.any(String)]);
  },
  start: async ({ tell }) => {
    const models = [{ model_id: 'local', model_version: '1', inference_type: 'object-detection' }];
    const body = { input_url: videoUrl, infer_fps: 30, models };
    return String((await tell('POST', '/videoinfer/', body)).body.job_id);
  },
  outcome: async ({ tell }, taskId) => {
    const { body } = await tell('GET', `/videoinfer/?job_id=${taskId}`);
    expect(body).toMatchObject({ status: 0, progress: { current: 150, total: 150 } });
    const { frame_offset, local } = Object(
      await (await fetch(String(body.output_signed_url))).json(),
    );
    expect([frame_offset, local].map((list) => list.length)).toEqual([150, 150]);
    const stats = await tell('GET', '/acme/inference-stats?startTime=2020-01-01%2000:00:00');
    // Of both times; none was counted twice.
    expect(stats.body.num_inferences).toBe(300);
    return local.map(({ predictions }: { predictions: readonly object[] }) =>
      predictions.map((one) => Object(one).class),
    );
  },
};

const evaluated: Kind = {
  result: expect.objectContaining({ evaluationId: expect.any(String), ap50: 0 }),
  start: async ({ url }) => {
    const form = new FormData();
    form.set('query', '*');
    const headers = { authorization: 'Bearer a-key-for-tests' };
    const address = `${url}/acme/squares/evaluations`;
    const answer = await fetch(address, { method: 'POST', headers, body: form });
    return String(Object(await answer.json()).evaluationId);
  },
  outcome: async ({ tell }, taskId) => {
    const address = `/acme/squares/evaluations/${taskId}?panel=`;
    const {
      created,
      evaluationId,
      taskId: _,
      ...figures
    } = (await tell('GET', `${address}summary`)).body;
    expect([evaluationId, figures.images]).toEqual([taskId, imageCount]);
    expect(created).toBeTruthy();
    const { total, results } = (await tell('GET', `${address}images&limit=100`)).body;
    return { figures, total, results };
  },
};

const trained: Kind = {
  result: {
    status: 'finished',
    trainingId: expect.any(String),
    modelId: expect.any(String),
    metrics: { map50: 0.5, precision: 0.25, recall: 0.75 },
  },
  start: async ({ tell }) => {
    const path = '/acme/squares/1/v2/trainings';
    return String((await tell('POST', path, { epochs: 5 })).body.trainingId);
  },
  outcome: async ({ tell }, taskId) => {
    const { trainings } = (await tell('GET', '/acme/squares/1/v2/trainings')).body;
    const found = [trainings].flat().find((one) => Object(one).trainingId === taskId);
    const { status, epoch, epochs, metrics, modelIds } = Object(found);
    expect(modelIds).toEqual([`squares/1/${taskId}`]);
    return { status, epoch, epochs, metrics };
  },
};

/** Waits in its first run, until it is killed; the next ones go through all epochs. */
async function trainer() {
  const command = await scriptTrainer(`
    const mark = process.argv[1] + '.first';
    const isFirst = !fs.existsSync(mark);
    if (isFirst) fs.writeFileSync(mark, String(process.pid));
    // What it left there is seen by the next attempt, and by no other training.
    const kept = job.state + '/kept';
    if (isFirst) fs.writeFileSync(kept, '');
    const isSecond = !isFirst && !fs.existsSync(mark + '.second');
    if (isSecond) fs.writeFileSync(mark + '.second', '');
    if (!isFirst && fs.existsSync(kept) !== isSecond) process.exit(1);
    for (let epoch = 1; epoch <= (isFirst ? 3 : 5); epoch += 1) {
      say(JSON.stringify({ epoch, epochs: 5 }));
    }
    if (isFirst) setInterval(() => {}, 1000);
    else finish();
  `);
  // It ends with the platform that started it, also when that one is killed.
  onTestFinished(async () => {
    const first = await readFile(`${command.path}.first`, 'utf8').catch(() => undefined);
    if (first !== undefined) expect(() => process.kill(Number(first), 0)).toThrow('ESRCH');
  });
  return command;
}

interface Seen {
  readonly status: unknown;
  readonly current: number;
  readonly total: number;
}

async function look({ tell }: Calls, taskId: string): Promise<Seen> {
  const { status, progress } = (await tell('GET', `/acme/asynctasks/${taskId}`)).body;
  const { current = 0, total = 0 } = Object(progress);
  return { status, current, total };
}

/** What the database has of it while no process runs. */
function lookInto(data: string, taskId: string): Seen {
  const database = new DatabaseSync(join(data, 'platform.db'), { readOnly: true });
  const row = database.prepare('SELECT status, current, total FROM work WHERE id = ?').get(taskId);
  database.close();
  return { status: row?.status, current: Number(row?.current), total: Number(row?.total) };
}

/** Does it in a process that is killed once some of it is done. */
async function untilKilled(kind: Kind, data: string, environment: Record<string, string>) {
  const running = await startFovea(['platform', '--port', '0', '--data', data], environment);
  onTestFinished(() => killProcess(running.child));
  const calls = callsTo(running.url);
  await kind.prepare?.(calls);
  const taskId = await kind.start(calls, 1);
  while ((await look(calls, taskId)).current === 0) await delay(2);
  await killProcess(running.child);
  return taskId;
}

it.each<[string, Kind]>([
  ['an export of a version', exported],
  ['an export of a search', searchExported],
  ...(hasFfmpeg ? [['a video', video] satisfies [string, Kind]] : []),
  ['a training', trained],
  ['an evaluation', evaluated],
])('%s goes on where its process was killed', { timeout: 120_000 }, async (_, kind) => {
  const data = join(await temporaryFolder(), 'data');
  await cp(prepared, data, { recursive: true });
  const command = await trainer();
  const environment = { PATH: process.env.PATH ?? '' };
  const taskId = await untilKilled(kind, data, {
    ...environment,
    HOME: data,
    FOVEA_HOME: data,
    FOVEA_WORKSPACE: 'acme',
    FOVEA_API_KEY: 'a-key-for-tests',
    FOVEA_MODEL: model,
    FOVEA_TRAINER: command.path,
    FOVEA_RATE_LIMIT: '1000000',
  });
  const left = lookInto(data, taskId);
  expect(left.status).toBe('running');
  expect(left.current).toBeGreaterThan(0);
  expect(left.current).toBeLessThan(left.total);

  const options: Partial<PlatformOptions> = { environment, model, videoStatusIntervalMs: 0 };
  const platform = await startTestPlatform({ ...options, data, trainer: command, clock: later });
  onTestFinished(() => platform.close());
  const calls = callsTo(platform.url);
  const seen = [left];
  while (seen.at(-1)?.status === 'running') {
    await delay(10);
    seen.push(await look(calls, taskId));
  }
  const progress = seen.map(({ current }) => current);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
  const { total } = left;
  expect(seen.at(-1)).toEqual({ status: 'completed', current: total, total });
  const { result } = await calls.ended(taskId);
  expect(result).toEqual(kind.result);

  const again = await kind.start(calls, 2);
  expect(again).not.toBe(taskId);
  expect(await calls.ended(again)).toMatchObject({ status: 'completed' });
  expect(await kind.outcome(calls, taskId, 1)).toEqual(await kind.outcome(calls, again, 2));
});
