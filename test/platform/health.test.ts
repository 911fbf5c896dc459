// The health of a project is what a recount of its images gives, whatever happened to them.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

const inProject = { workspace: 'acme', project: 'cells' };
const names = { 0: 'red', 1: 'white', 2: '__proto__' };
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
});

afterAll(() => platform.close());

async function upload(shade: number): Promise<string> {
  const file = { name: `${shade}.png`, content: await testImage(shade) };
  const { body } = await platform.client.call(images.images_upload, { project: 'cells', file });
  return body.id;
}

/** One box for each class id. */
async function annotate(imageId: string, classes: readonly number[]) {
  await platform.client.call(images.images_annotate, {
    project: 'cells',
    imageId,
    name: 'boxes.txt',
    annotationFile: classes.map((id) => `${id} 0.5 0.5 0.2 0.2\n`).join(''),
    labelmap: names,
    overwrite: true,
  });
}

async function labelsOf(imageId: string): Promise<readonly string[] | undefined> {
  const { body } = await platform.client.call(images.images_get, { ...inProject, imageId });
  return body.image.annotation?.boxes?.map(({ label }) => label);
}

async function recount(ids: readonly string[]) {
  const labels = await Promise.all(ids.map(labelsOf));
  const all = labels.flatMap((of) => of ?? []);
  const count = (name: string) => all.filter((label) => label === name).length;
  return {
    numImages: ids.length,
    numAnnotations: all.length,
    missingAnnotations: labels.filter((of) => of === undefined).length,
    nullAnnotations: labels.filter((of) => of?.length === 0).length,
    classes: ['red', 'white', '__proto__'].map(count),
  };
}

async function health() {
  const answer = await fetch(`${platform.url}/acme/cells/health?api_key=${platform.key}`);
  const { stats } = JSON.parse(await answer.text());
  const { numImages, numAnnotations, missingAnnotations, nullAnnotations } = stats;
  const distribution = new Map(Object.entries(stats.classDistribution));
  const classes = ['red', 'white', '__proto__'].map((name) => distribution.get(name) ?? 0);
  return { numImages, numAnnotations, missingAnnotations, nullAnnotations, classes };
}

it('stays true through annotation, replacement, deletion and another upload', async () => {
  const ids = await Promise.all([1, 2, 3, 4, 5].map(upload));
  const [first = '', second = '', third = '', fourth = ''] = ids;
  const expected = {
    numImages: 5,
    numAnnotations: 0,
    missingAnnotations: 5,
    nullAnnotations: 0,
    classes: [0, 0, 0],
  };
  expect(await health()).toEqual(expected);

  await annotate(first, [0, 0, 1]);
  await annotate(second, [1, 2]);
  await annotate(third, []);
  await annotate(first, [2]);
  await annotate(third, [0]);
  await annotate(fourth, []);
  const annotated = { numAnnotations: 4, missingAnnotations: 1, nullAnnotations: 1 };
  expect(await health()).toEqual({ ...expected, ...annotated, classes: [1, 1, 2] });
  expect(await recount(ids)).toEqual(await health());

  await platform.client.call(images.images_delete, { ...inProject, images: [first, fourth] });
  const again = await upload(1);
  expect(again).not.toBe(first);
  const left = [second, third, again, ...ids.slice(4)];
  const deleted = { numImages: 4, numAnnotations: 3, missingAnnotations: 2, classes: [1, 1, 1] };
  expect(await health()).toEqual({ ...expected, ...deleted });
  expect(await recount(left)).toEqual(await health());
});
