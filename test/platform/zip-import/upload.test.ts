// A zip upload from its start to its report: the link, the states, the figures.

import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import { trash } from '../../../src/contract/trash.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { coco, ended, look, newProject, plainZip, put, sendZip, voc } from './zip-files.ts';

let platform: TestPlatform;
let project: string;
let aheadMs = 0;
const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

beforeAll(async () => {
  platform = await startTestPlatform({ clock });
});

beforeEach(async () => {
  aheadMs = 0;
  project = await newProject(platform);
});

afterAll(() => platform.close());

async function start(): Promise<{ taskId: string; link: string }> {
  const input = { workspace: 'acme', project };
  const { body, status } = await platform.client.call(images.images_upload_zip, input);
  expect(status).toBe(202);
  expect(body.url).toBe(`${platform.url}/acme/asynctasks/${body.taskId}`);
  return { taskId: body.taskId, link: String(body.signedUrl) };
}

async function oneImage(shade = 1): Promise<Buffer> {
  return plainZip({ 'a.png': await testImage(shade), 'a.xml': voc('a.png', 'cat') });
}

async function errorOf(answer: Response): Promise<readonly [number, string]> {
  const { error } = JSON.parse(await answer.text());
  return [answer.status, error.message];
}

/** Files that lie in the folder of uploads, unfinished ones too. */
async function storedFiles(): Promise<readonly string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  // A folder that goes while it is listed had nothing in it any more.
  const found = await readdir(join(platform.data, 'uploads'), options).catch(() => undefined);
  if (found === undefined) return storedFiles();
  return found.flatMap((entry) =>
    entry.isFile() && entry.name !== '.fovea-files' ? entry.name : [],
  );
}

it('waits for its file, takes it, tells the figures, and leaves no file behind', async () => {
  const { taskId, link } = await start();
  expect(await look(platform, taskId)).toMatchObject({ status: 'created', result: {} });
  const zip = plainZip({
    'train/a.png': await testImage(1),
    'train/b.png': await testImage(2),
    'valid/c.png': await testImage(3),
    'copy.png': await testImage(3),
    'train/_annotations.coco.json': coco('cat', 'a.png'),
    'notes.txt': 'nothing',
    'broken.jpg': 'no image',
  });
  const answer = await put(link, zip);
  expect([answer.status, await answer.json()]).toEqual([200, { success: true, bytes: zip.length }]);
  const task = await ended(platform, taskId);
  expect(task.status).toBe('completed');
  expect(task.result).toEqual({
    images: 3,
    duplicates: 1,
    exactDuplicatesTotal: 1,
    exactDuplicates: [{ file: 'copy.png', of: 'valid/c.png', labels: 'none' }],
    conflictingDuplicates: 0,
    failed: 1,
    annotated: 1,
    boxes: 1,
    alreadyAnnotated: 0,
    unannotated: 3,
    annotationsRefused: 0,
    warnings: 0,
    splits: { train: 2, valid: 1, test: 0 },
    batch: `Uploaded on ${new Date(systemClock.now()).toISOString().slice(0, 10)}`,
    files: [
      {
        file: 'broken.jpg',
        outcome: 'failed',
        problem: 'is not an image; accepted are JPEG, PNG, WebP, BMP, TIFF and AVIF',
      },
      {
        file: 'notes.txt',
        outcome: 'passed over',
        problem: 'no image has its name',
      },
    ],
  });
  // The file goes right after its task has ended.
  await expect.poll(storedFiles).toEqual([]);
  const where = { workspace: 'acme', taskId };
  const { body } = await platform.client.call(tasks.tasks_get, where);
  expect(body).toMatchObject({ status: 'completed', progress: { current: 5, total: 5 } });
});

it('gives a report of every file, which no spreadsheet takes for a formula', async () => {
  const task = await sendZip(
    platform,
    project,
    plainZip({ '=HYPERLINK("x").png': 'no', 'a, "b".png': await testImage(1) }),
  );
  const answer = await fetch(String(task.reportUrl));
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, first, second, end] = (await answer.text()).split('\r\n');
  expect(head).toBe('file,outcome,image,annotation,boxes,problem,duplicate of,its labels');
  expect(first).toBe(
    `"'=HYPERLINK(""x"").png",failed,,,0,"is not an image; accepted are JPEG, PNG, WebP, BMP, TIFF and AVIF",,`,
  );
  expect(second).toMatch(/^"a, ""b"".png",added,[0-9a-f]{20},none,0,,,$/);
  expect(end).toBe('');
});

it('takes split, batch and tags for what the archive says nothing of', async () => {
  const zip = plainZip({ 'x/a.png': await testImage(1), 'test/b.png': await testImage(2) });
  const settings = { split: 'valid', batchName: 'Night shift', tags: ['cam-1', 'dark'] } as const;
  const { result } = await sendZip(platform, project, zip, {
    ...settings,
    tags: ['cam-1', 'dark'],
  });
  expect(result).toMatchObject({ batch: 'Night shift', splits: { train: 0, valid: 1, test: 1 } });
  const { body } = await platform.client.call(images.batches_list, { workspace: 'acme', project });
  expect(body.batches).toMatchObject([{ name: 'Night shift', images: 2 }]);
  const { body: project_ } = await platform.client.call(projects.projects_get, {
    workspace: 'acme',
    project,
  });
  expect(project_.project.splits).toEqual({ train: 0, valid: 1, test: 1 });
});

it('sent twice adds nothing, and labels what had no annotation', async () => {
  const pixels = await testImage(1);
  expect((await sendZip(platform, project, plainZip({ 'a.png': pixels }))).result).toMatchObject({
    images: 1,
    duplicates: 0,
    unannotated: 1,
  });
  const labelled = plainZip({ 'a.png': pixels, 'a.xml': voc('a.png', 'cat') });
  expect((await sendZip(platform, project, labelled)).result).toMatchObject({
    images: 0,
    duplicates: 1,
    annotated: 1,
    boxes: 1,
  });
  expect((await sendZip(platform, project, labelled)).result).toMatchObject({
    images: 0,
    duplicates: 1,
    annotated: 0,
    alreadyAnnotated: 1,
    boxes: 0,
  });
});

it('names exact duplicates, and says whether their labels agree', async () => {
  const pixels = await testImage(1);
  const zip = plainZip({
    'train/a.png': pixels,
    'train/a.xml': voc('a.png', 'cat'),
    'valid/a.png': pixels,
    'valid/a.xml': voc('a.png', 'cat'),
    'valid/b.png': pixels,
    'valid/b.xml': voc('b.png', 'dog'),
    'valid/c.png': await testImage(2),
  });
  const { result } = await sendZip(platform, project, zip);
  expect(result).toMatchObject({
    images: 2,
    duplicates: 2,
    annotated: 1,
    exactDuplicatesTotal: 2,
    conflictingDuplicates: 1,
    exactDuplicates: [
      { file: 'valid/a.png', of: 'train/a.png', labels: 'same' },
      { file: 'valid/b.png', of: 'train/a.png', labels: 'conflicting' },
    ],
  });
  const again = plainZip({
    'a.png': pixels,
    'z.png': pixels,
    'c.png': await testImage(2),
    'c.xml': voc('c.png', 'cow'),
  });
  expect((await sendZip(platform, project, again)).result).toMatchObject({
    images: 0,
    duplicates: 3,
    annotated: 1,
    exactDuplicates: [{ file: 'z.png', of: 'a.png', labels: 'none' }],
  });
  const plain = await sendZip(platform, project, plainZip({ 'a.png': pixels }));
  expect(plain.result).not.toHaveProperty('exactDuplicates');
});

it('takes one file for each link', async () => {
  const { taskId, link } = await start();
  expect((await put(link, await oneImage())).status).toBe(200);
  const again = await errorOf(await put(link, await oneImage()));
  expect(again).toEqual([409, 'The file of this link was uploaded already.']);
  expect((await ended(platform, taskId)).result).toMatchObject({ images: 1 });
});

it('of two at the same time takes one, and keeps no file of the other', async () => {
  const { taskId, link } = await start();
  const answers = await Promise.all([put(link, await oneImage(1)), put(link, await oneImage(2))]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect((await ended(platform, taskId)).result).toMatchObject({ images: 1 });
  // The file goes right after its task has ended.
  await expect.poll(storedFiles).toEqual([]);
});

it('refuses a link that was changed, of another upload, or too old', async () => {
  const [{ taskId, link }, other] = [await start(), await start()];
  const changed = (change: (url: URL) => void) => {
    const url = new URL(link);
    change(url);
    return url.href;
  };
  const wrong = [
    changed((url) => url.searchParams.set('expires', '9999999999999')),
    changed((url) => url.searchParams.delete('signature')),
    changed((url) => url.searchParams.set('signature', '')),
    changed(({ searchParams }) => {
      searchParams.set('signature', new URL(other.link).searchParams.get('signature') ?? '');
    }),
    changed((url) => {
      url.pathname = '/uploads/01a2011c-0b78-7a22-b2e2-8f0bc7d9e528';
    }),
    changed((url) => {
      url.pathname = '/uploads/..%2f..%2fplatform.db';
    }),
  ];
  for (const each of wrong) {
    const answer = await errorOf(await put(each, await oneImage()));
    expect(answer).toEqual([403, 'This upload link is not valid, or not any more.']);
  }
  aheadMs = 60 * 60 * 1000;
  expect((await put(link, await oneImage())).status).toBe(403);
  aheadMs = 0;
  expect((await put(link, await oneImage())).status).toBe(200);
  await ended(platform, taskId);
});

it('has nothing to be read at its address', async () => {
  const { link } = await start();
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
    expect([method, (await fetch(link, { method })).status]).toEqual([method, 405]);
  }
});

it('refuses a body that is empty or announces too much, and takes a good one afterwards', async () => {
  const { taskId, link } = await start();
  expect(await errorOf(await put(link, Buffer.alloc(0)))).toEqual([400, 'The body is empty.']);
  expect(await announcing(link, 2 * 1024 ** 3 + 1)).toBe(413);
  expect((await put(link, await oneImage())).status).toBe(200);
  expect((await ended(platform, taskId)).result).toMatchObject({ images: 1 });
});

/** The status for a body that is said to be so large, and is not sent. */
function announcing(link: string, bytes: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request(link, { method: 'PUT', headers: { 'content-length': String(bytes) } });
  sent.on('response', (answer) => {
    resolve(answer.statusCode);
    sent.destroy();
  });
  sent.on('error', reject);
  sent.flushHeaders();
  return promise;
}

it('that breaks off in the middle keeps nothing, and can be sent again', async () => {
  const { taskId, link } = await start();
  const { promise, resolve } = Promise.withResolvers<void>();
  const sent = request(link, { method: 'PUT', headers: { 'content-length': '1000000' } });
  sent.on('error', () => resolve());
  sent.write(Buffer.alloc(100_000));
  // Only what the platform has begun to take can break off.
  for (let begun = 0; begun === 0; ) begun = (await storedFiles()).length;
  sent.destroy();
  await promise;
  for (let left = ['']; left.length > 0; ) left = [...(await storedFiles())];
  expect(await look(platform, taskId)).toMatchObject({ status: 'created' });
  expect((await put(link, await oneImage())).status).toBe(200);
  expect((await ended(platform, taskId)).result).toMatchObject({ images: 1 });
});

it('begun before a restart is taken after it', async () => {
  const { taskId, link } = await start();
  const { data } = platform;
  const next = await startTestPlatform({ data, clock });
  onTestFinished(() => next.close());
  const moved = link.replace(platform.url, next.url);
  expect((await put(moved, await oneImage())).status).toBe(200);
  expect((await ended(next, taskId)).result).toMatchObject({ images: 1 });
});

it('that nobody sends fails after its hour, and leaves nothing', async () => {
  const { taskId } = await start();
  aheadMs = 61 * 60 * 1000;
  // The hourly purge runs when a platform starts, too.
  const next = await startTestPlatform({ data: platform.data, clock });
  onTestFinished(() => next.close());
  expect(await ended(next, taskId)).toMatchObject({
    status: 'failed',
    error: 'No file was uploaded within an hour.',
  });
});

it('into a project that is in the trash by then takes nothing', async () => {
  const { taskId, link } = await start();
  await platform.client.call(projects.projects_delete, { workspace: 'acme', project });
  expect((await put(link, await oneImage())).status).toBe(200);
  expect(await ended(platform, taskId)).toMatchObject({
    status: 'failed',
    error: 'The project is in the trash: nothing was taken.',
  });
  // The file goes right after its task has ended.
  await expect.poll(storedFiles).toEqual([]);
});

it('is no task of another kind, and needs a project that is there', async () => {
  const where = { workspace: 'acme', project: 'nothing' };
  const { call } = platform.client;
  await expect(call(images.images_upload_zip, where)).rejects.toMatchObject({ code: 'not_found' });
  const unknown = { workspace: 'acme', taskId: 'f'.repeat(20) };
  await expect(call(images.images_upload_zip_status, unknown)).rejects.toMatchObject({
    code: 'not_found',
  });
});

it('ends where its project goes to the trash, and says so', async () => {
  const files: Record<string, Uint8Array> = {};
  for (let shade = 0; shade < 120; shade += 1) files[`${shade}.png`] = await testImage(shade);
  const where = { workspace: 'acme', project };
  const { body } = await platform.client.call(images.images_upload_zip, where);
  expect((await put(String(body.signedUrl), plainZip(files))).status).toBe(200);
  const counts = async () => (await platform.client.call(projects.projects_get, where)).body;
  while ((await counts()).project.images === 0) await delay(1);
  const { body: gone } = await platform.client.call(projects.projects_delete, where);
  const task = await ended(platform, body.taskId);
  expect(task.status).toBe('failed');
  expect(task.error).toBe('The project went to the trash while its images were taken.');
  const restore = { workspace: 'acme', type: 'project', id: String(gone.id) } as const;
  await platform.client.call(trash.trash_restore, restore);
  expect((await counts()).project.images).toBeLessThan(120);
});
