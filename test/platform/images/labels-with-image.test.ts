// Labels that come with a new image: one change, or the image alone and the reason when asked.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { activity } from '../../../src/contract/activity.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import type { Client } from '../../../src/http-client/client.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { createProject } from '../labelled-projects.ts';
import { createTestTokens } from '../test-tokens.ts';

const sample = 'sample/blood-cells';
const workspace = 'acme';
const tokens = createTestTokens();
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform({ verifyAccessToken: tokens.verify });
  for (const name of ['Cells', 'Log', 'Guarded']) await createProject(platform.client, name);
});

afterAll(() => platform.close());

interface Sent {
  readonly client?: Client;
  readonly project?: string;
  readonly content: Uint8Array;
  readonly name: string;
}

async function upload({ client = platform.client, project = 'cells', ...file }: Sent, labels = {}) {
  return (await client.call(images.images_upload, { project, file, ...labels })).body;
}

async function boxesOf(imageId: string) {
  const { body } = await platform.client.call(images.images_get, {
    workspace,
    project: 'cells',
    imageId,
  });
  return body.image.annotation?.boxes?.map(({ label }) => label);
}

async function statsOf(project: string) {
  const { body } = await platform.client.call(projects.projects_health, { workspace, project });
  return body.stats;
}

it('are stored with it, and odd boxes are named', async () => {
  const stem = 'BloodImage_00338';
  const annotationFile = await readFile(`${sample}/Annotations/${stem}.xml`, 'utf8');
  const content = await readFile(`${sample}/JPEGImages/${stem}.jpg`);
  const labels = { annotationFile, annotationName: `${stem}.xml` };
  const answer = await upload({ content, name: `${stem}.jpg` }, labels);
  expect(answer).toMatchObject({
    success: true,
    annotated: true,
    boxes: 14,
    warnings: [{ problem: 'zero_size', box: 13 }],
  });
  expect(await boxesOf(answer.id)).toHaveLength(14);
  const imageId = answer.id;
  const again = { project: 'cells', imageId, name: `${stem}.xml`, annotationFile };
  await expect(platform.client.call(images.images_annotate, again)).rejects.toMatchObject({
    upstream: { message: expect.stringMatching(/already annotated with the same labels\.$/) },
  });
});

it('of YOLO take their class names as JSON text', async () => {
  const labels = { annotationName: 'a.txt', annotationFile: '1 .5 .5 .1 .1\n0 .5 .5 .2 .2' };
  const labelmap = JSON.stringify({ 0: 'RBC', 1: 'WBC' });
  const { id, annotated } = await upload(
    { content: await testImage(1), name: 'a.png' },
    { ...labels, labelmap },
  );
  expect(annotated).toBe(true);
  expect(await boxesOf(id)).toEqual(['WBC', 'RBC']);
});

it.each([
  [10, 'of another image', '<annotation><filename>other.jpg</filename></annotation>', undefined],
  [11, 'that are cut off', '<annotation><object>', undefined],
  [12, 'of a class without a name', '7 .5 .5 .1 .1', '{"0": "RBC"}'],
  [13, 'with class names that are no JSON', '0 .5 .5 .1 .1', '{"0": '],
  [14, 'with class names that are no texts', '0 .5 .5 .1 .1', '{"0": [1]}'],
  [15, 'with a forbidden class number', '0 .5 .5 .1 .1', '{"0": "RBC", "__proto__": "x"}'],
])('%i: %s leave the image, which says so', async (shade, _what, annotationFile, labelmap) => {
  const before = await statsOf('cells');
  const content = await testImage(shade);
  const labels = { annotationFile, ...(labelmap !== undefined && { labelmap }) };
  const answer = await upload({ content, name: 'bad.png' }, labels);
  expect(answer).toEqual({ id: answer.id, success: true, annotated: false });
  expect(await boxesOf(answer.id)).toBeUndefined();
  expect((await statsOf('cells')).missingAnnotations).toBe(before.missingAnnotations + 1);
});

it('are not taken where no image is, and leave nothing', async () => {
  const before = await statsOf('cells');
  const labels = { annotationFile: '', annotationName: 'a.txt' };
  const sent = upload({ content: Buffer.from('no image'), name: 'a.png' }, labels);
  await expect(sent).rejects.toMatchObject({ upstream: { status: 415 } });
  expect(await statsOf('cells')).toEqual(before);
});

it('do not touch an image that is there, at once or later', async () => {
  const content = await testImage(2);
  const labelled = (label: string) => ({
    annotationFile: '0 .5 .5 .1 .1',
    labelmap: JSON.stringify({ 0: label }),
  });
  const answers = await Promise.all(
    ['first', 'second', 'third'].map((label) =>
      upload({ content, name: `${label}.png` }, labelled(label)),
    ),
  );
  const added = answers.filter(({ duplicate }) => duplicate !== true);
  expect(added).toMatchObject([{ annotated: true, boxes: 1 }]);
  const copies = answers.filter(({ duplicate }) => duplicate === true);
  expect(copies).toMatchObject([{ annotated: false }, { annotated: false }]);
  const id = added[0]?.id ?? '';
  const kept = await boxesOf(id);
  expect(kept).toHaveLength(1);
  expect(await upload({ content, name: 'late.png' }, labelled('late'))).toMatchObject({
    id,
    duplicate: true,
    annotated: false,
  });
  expect(await boxesOf(id)).toEqual(kept);
});

it('are one entry of the log with their images', async () => {
  const annotationFile = '0 .5 .5 .1 .1';
  const labels = { annotationFile, labelmap: '{"0": "RBC"}' };
  for (const shade of [3, 4]) {
    const name = `${shade}.png`;
    await upload({ project: 'log', content: await testImage(shade), name }, labels);
  }
  const { body } = await platform.client.call(activity.activity_list, {
    workspace,
    project: 'log',
    kind: 'image',
  });
  expect(body.entries).toMatchObject([{ action: 'images_upload', verb: 'added', count: 2 }]);
  expect(await statsOf('log')).toMatchObject({ numImages: 2, missingAnnotations: 0 });
});

it('need the scope of annotating too, before anything is stored', async () => {
  const of = (...scopes: string[]) =>
    platform.clientWith(tokens.issue({ scopes: new Set(scopes) }));
  const content = await testImage(5);
  const sent = { project: 'guarded', content, name: 'a.png' };
  const labels = { annotationFile: '', annotationName: 'a.txt' };
  await expect(upload({ ...sent, client: of('image:create') }, labels)).rejects.toMatchObject({
    code: 'forbidden',
    upstream: {
      status: 403,
      message: 'images_upload with annotationFile needs the scope image:annotate.',
    },
  });
  await expect(upload({ ...sent, client: of('image:annotate') }, labels)).rejects.toMatchObject({
    code: 'forbidden',
  });
  expect((await statsOf('guarded')).numImages).toBe(0);
  const both = of('image:create', 'image:annotate');
  expect(await upload({ ...sent, client: both }, labels)).toMatchObject({ annotated: true });
  const unlabelled = { ...sent, content: await testImage(6), client: of('image:create') };
  expect(await upload(unlabelled)).not.toHaveProperty('annotated');
});
