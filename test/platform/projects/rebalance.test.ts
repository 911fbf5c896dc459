// Rebalancing over HTTP: what moves, what stays, and what is refused.

import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotation, annotationExtensions } from '../../../src/contract/annotation.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  annotate,
  createProject,
  refusal,
  resultOf,
  splitsOf,
  upload,
} from '../labelled-projects.ts';

const shares = { train: 70, valid: 20, test: 10 };
/** Images of one colour are not compared. */
const keptTogether = { groups: 0, images: 0, compared: 0, complete: true };
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

async function start(project: string, body: object) {
  const { call } = platform.client;
  const input = { workspace: 'acme', project, splits: shares, ...body };
  const { status, body: started } = await call(projects.projects_rebalance_splits, input);
  expect(status).toBe(202);
  expect(started.url).toBe(`${platform.url}/acme/asynctasks/${started.taskId}`);
  return started.taskId;
}

async function splitOf(project: string, imageId: string) {
  const at = { workspace: 'acme', project, imageId };
  return (await platform.client.call(images.images_get, at)).body.image.split;
}

it('moves no image more than it must, and none again', async () => {
  const { client } = platform;
  const project = await createProject(client, 'Few');
  for (let shade = 0; shade < 10; shade += 1) {
    await upload(client, project, shade, { split: shade < 4 ? 'train' : 'valid' });
  }
  // Exactly 7, 2, 1 of 4, 6, 0: four must leave valid.
  expect(await resultOf(client, await start(project, {}))).toEqual({
    moved: 4,
    images: 10,
    before: { train: 4, valid: 6, test: 0 },
    splits: { train: 7, valid: 2, test: 1 },
    keptTogether,
  });
  expect(await splitsOf(client, project)).toEqual({ train: 7, valid: 2, test: 1 });
  expect(await resultOf(client, await start(project, {}))).toMatchObject({ moved: 0 });
  const all = { splits: { train: 1, valid: 0, test: 0 } };
  expect(await resultOf(client, await start(project, all))).toMatchObject({ moved: 3 });
  expect(await splitsOf(client, project)).toEqual({ train: 10, valid: 0, test: 0 });
});

it('leaves all other images where they are when it is for some classes', async () => {
  const { client } = platform;
  const project = await createProject(client, 'Classes');
  const eligible: string[] = [];
  for (const shade of [0, 1, 2, 3]) {
    const classes = shade < 2 ? ['cat'] : ['cat', 'dog', 'cat'];
    eligible.push(await upload(client, project, shade, { classes }));
  }
  const others = [
    await upload(client, project, 4, { classes: ['cat', 'bird'] }),
    await upload(client, project, 5, { classes: [] }),
    await upload(client, project, 6),
  ];
  const splits = { train: 0, valid: 1, test: 0 };
  const task = await start(project, { splits, classes: ['dog', 'cat'] });
  expect(await resultOf(client, task)).toEqual({
    moved: 4,
    images: 4,
    before: { train: 4, valid: 0, test: 0 },
    splits: { train: 0, valid: 4, test: 0 },
    keptTogether,
    classes: ['dog', 'cat'],
  });
  expect(await Promise.all(eligible.map((id) => splitOf(project, id)))).toEqual(
    eligible.map(() => 'valid'),
  );
  expect(await Promise.all(others.map((id) => splitOf(project, id)))).toEqual([
    'train',
    'train',
    'train',
  ]);
});

it('shuffles a project as a whole, or each batch by itself', async () => {
  const { client } = platform;
  const project = await createProject(client, 'Shuffled');
  const batches: Record<string, string[]> = { one: [], two: [] };
  for (let shade = 0; shade < 20; shade += 1) {
    const batch = shade < 10 ? 'one' : 'two';
    batches[batch]?.push(await upload(client, project, shade, { batch }));
  }
  const whole = await resultOf(client, await start(project, { mode: 'shuffle' }));
  expect(whole).toMatchObject({ images: 20, splits: { train: 14, valid: 4, test: 2 } });
  await resultOf(client, await start(project, { mode: 'shuffle', grouping: 'batch' }));
  for (const ids of Object.values(batches)) {
    const splits = await Promise.all(ids.map((id) => splitOf(project, id)));
    const counts = ['train', 'valid', 'test'].map(
      (name) => splits.filter((split) => split === name).length,
    );
    expect(counts).toEqual([7, 2, 1]);
  }
});

it('shuffles the images of a completed annotation job by themselves', async () => {
  const { client } = platform;
  const { call } = client;
  const project = await createProject(client, 'Labelled');
  const at = { workspace: 'acme', project };
  const ids: string[] = [];
  for (let shade = 0; shade < 10; shade += 1) ids.push(await upload(client, project, shade));
  const { body: found } = await call(images.batches_list, at);
  const batch = String(found.batches[0]?.id);
  const people = { labelerEmail: 'a@b.org', reviewerEmail: 'c@d.org' };
  const startJob = async (count: number) => {
    const input = { ...at, ...people, name: `${count}`, batch, num_images: count };
    return (await call(annotation.annotation_jobs_create, input)).body.id ?? '';
  };
  const jobId = await startJob(4);
  await startJob(2);
  for (const id of ids) await annotate(client, project, id, ['cat']);
  const inJob = ids.slice(0, 4);
  const review = { ...at, jobId, approve: inJob.slice(0, 3), reject: inJob.slice(3) };
  const { body: job } = await call(annotationExtensions.annotation_jobs_review, review);
  expect(job.status).toBe('completed');
  const splits = { train: 1, valid: 1, test: 0 };
  await resultOf(client, await start(project, { mode: 'shuffle', grouping: 'batch', splits }));
  const trained = async (group: readonly string[]) => {
    const found = await Promise.all(group.map((id) => splitOf(project, id)));
    return found.filter((split) => split === 'train').length;
  };
  // The other job is open: its images belong to their batch.
  expect([await trained(inJob), await trained(ids.slice(4))]).toEqual([2, 3]);
});

it('keeps near-duplicates together, and gathers those that were apart', async () => {
  const { client } = platform;
  const project = await createProject(client, 'Copies');
  const photos = ['00040', '00055', '00065', '00081', '00086', '00092'];
  const pairs = await Promise.all(
    photos.map(async (number) => {
      const photo = await readFile(`sample/blood-cells/JPEGImages/BloodImage_${number}.jpg`);
      const copy = await sharp(photo).resize(400).jpeg().toBuffer();
      const send = async (name: string, content: Buffer, split: 'train' | 'valid') => {
        const file = { name, content };
        return (await client.call(images.images_upload, { project, file, split })).body.id;
      };
      const first = await send(`${number}.jpg`, photo, 'train');
      return [
        first,
        await send(`${number}-small.jpg`, copy, number === '00040' ? 'valid' : 'train'),
      ];
    }),
  );
  for (const body of [{}, { mode: 'shuffle' }, { mode: 'shuffle', grouping: 'batch' }]) {
    const splits = { train: 2, valid: 2, test: 2 };
    const result = await resultOf(client, await start(project, { splits, ...body }));
    expect(result).toMatchObject({
      splits: { train: 4, valid: 4, test: 4 },
      keptTogether: { groups: 6, images: 12, compared: 12, complete: true },
    });
    for (const [one = '', other = ''] of pairs) {
      expect(await splitOf(project, one)).toBe(await splitOf(project, other));
    }
  }
  const again = { splits: { train: 2, valid: 2, test: 2 } };
  expect(await resultOf(client, await start(project, again))).toMatchObject({ moved: 0 });
});

it('takes a near-duplicate to the ones that a rebalance of some classes may not move', async () => {
  const { client } = platform;
  const project = await createProject(client, 'Fixed');
  const photo = await readFile('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');
  const copy = await sharp(photo).resize(400).jpeg().toBuffer();
  const send = async (name: string, content: Buffer, split: 'train' | 'test') => {
    const file = { name, content };
    return (await client.call(images.images_upload, { project, file, split })).body.id;
  };
  const first = await send('photo.jpg', photo, 'train');
  await send('copy.jpg', copy, 'test');
  await annotate(client, project, first, ['cat']);
  const splits = { train: 0, valid: 1, test: 0 };
  const result = await resultOf(client, await start(project, { splits, classes: ['cat'] }));
  expect(result).toMatchObject({
    moved: 1,
    splits: { train: 0, valid: 0, test: 1 },
    keptTogether: { groups: 1, images: 1 },
  });
  expect(await splitOf(project, first)).toBe('test');
});

it('is done at once where there is nothing to move', async () => {
  const project = await createProject(platform.client, 'Empty');
  const none = { train: 0, valid: 0, test: 0 };
  expect(await resultOf(platform.client, await start(project, {}))).toEqual({
    moved: 0,
    images: 0,
    before: none,
    splits: none,
    keptTogether,
  });
});

describe('refuses', () => {
  it.each([
    [{ splits: { train: 0, valid: 0, test: 0 } }, 'splits'],
    [{ splits: { train: 1.5, valid: 1, test: 0 } }, 'splits.train'],
    [{ splits: { train: -1, valid: 1, test: 1 } }, 'splits.train'],
    [{ splits: { train: 1 } }, 'splits.valid'],
    [{ mode: 'all' }, 'mode'],
    [{ grouping: 'batch' }, 'grouping'],
    [{ mode: 'rebalance', grouping: 'global' }, 'grouping'],
    [{ mode: 'shuffle', classes: ['cat'] }, 'mode'],
    [{ classes: [] }, 'classes'],
    [{ shares: 1 }, 'shares'],
  ])('%o, and says where: %s', async (body, place) => {
    await createProject(platform.client, 'Refused');
    const answer = await fetch(`${platform.url}/acme/refused/splits/rebalance`, {
      method: 'POST',
      headers: { authorization: `Bearer ${platform.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ splits: shares, ...body }),
    });
    const { error } = JSON.parse(await answer.text());
    expect(answer.status).toBe(400);
    expect(JSON.stringify(error)).toContain(place);
  });

  it('a class that no image has, with the one that was meant', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Meant');
    await upload(client, project, 1, { classes: ['Platelets'] });
    const input = { workspace: 'acme', project, splits: shares, classes: ['platlets'] };
    const { status, message } = await refusal(
      client.call(projects.projects_rebalance_splits, input),
    );
    expect(status).toBe(400);
    expect(message).toContain('classes[0]: no image has the class "platlets"');
    expect(message).toContain('did you mean "Platelets"?');
  });

  it('a project that is not there', async () => {
    const input = { workspace: 'acme', project: 'nowhere', splits: shares };
    const { call } = platform.client;
    const { status } = await refusal(call(projects.projects_rebalance_splits, input));
    expect(status).toBe(404);
  });
});
