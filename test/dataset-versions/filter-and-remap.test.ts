// Which images a version takes, and what its classes are called, over HTTP.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { tasks } from '../../src/contract/tasks.ts';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import { versions } from '../../src/contract/versions.ts';
import { remapAnnotation } from '../../src/dataset-versions/filter-and-remap.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
  await createProject('cells', 'object-detection');
  await add('cells', 'two classes', '0 0.5 0.5 0.5 0.5\n1 0.2 0.2 0.1 0.1', ['day', 'roof']);
  await add('cells', 'one class', '0 0.5 0.5 0.5 0.5', ['day']);
  await add('cells', 'odd class', '2 0.5 0.5 0.5 0.5', ['night']);
  // Said to show nothing.
  await add('cells', 'empty one', '', ['day']);
  await add('cells', 'empty two', '', []);
  await add('cells', 'empty three', '', ['night']);
  // Nobody has looked yet.
  await add('cells', 'unseen', undefined, ['day']);
});

afterAll(() => platform.close());

async function createProject(
  name: string,
  type: 'object-detection' | 'multi-label-classification',
) {
  const annotation = 'things';
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name,
    type,
    annotation,
  });
}

const labelmap = { 0: 'cell', 1: 'rbc', 2: 'constructor' };
let shade = 0;

async function add(
  project: string,
  name: string,
  annotationFile: string | undefined,
  tags: readonly string[] = [],
) {
  shade += 1;
  const file = { name: `${name}.png`, content: await testImage(shade) };
  const { body } = await platform.client.call(images.images_upload, {
    project,
    file,
    split: 'train',
  });
  const imageId = body.id;
  if (tags.length > 0) {
    await platform.client.call(images.images_tag, {
      workspace: 'acme',
      project,
      imageId,
      operation: 'set',
      tags: [...tags],
    });
  }
  if (annotationFile === undefined) return;
  await platform.client.call(images.images_annotate, {
    project,
    imageId,
    name: 'labels.txt',
    annotationFile,
    labelmap,
  });
}

async function versionOf(preprocessing: VersionSettings['preprocessing'], project = 'cells') {
  const { client } = platform;
  const { body } = await client.call(versions.versions_generate, {
    workspace: 'acme',
    project,
    preprocessing,
    augmentation: {},
  });
  for (;;) {
    const task = { workspace: 'acme', taskId: String(body.taskId) };
    const { status, error } = (await client.call(tasks.tasks_get, task)).body;
    if (status === 'failed') throw new Error(String(error));
    if (status === 'completed') break;
    await delay(20);
  }
  const at = { workspace: 'acme', project, version: Number(body.version) };
  return (await client.call(versions.versions_get, at)).body.version;
}

/** How many images stay of the seven. */
async function countOf(preprocessing: VersionSettings['preprocessing']) {
  return (await versionOf(preprocessing)).images;
}

describe('filter-tags', () => {
  it.each([
    [{}, 7],
    [{ day: true }, 4],
    [{ day: false }, 3],
    [{ day: true, roof: true }, 1],
    [{ day: true, roof: false }, 3],
    [{ day: false, night: false }, 1],
    [{ roof: true, night: false }, 1],
  ])('%j: %i images', async (tags, count) => {
    expect(await countOf({ 'filter-tags': tags })).toBe(count);
  });

  it('refuses what leaves nothing, and keeps no version', async () => {
    const before = (await versionOf({})).id;
    for (const tags of [{ day: true, night: true }, { nowhere: true }, { constructor: true }]) {
      await expect(versionOf({ 'filter-tags': tags })).rejects.toMatchObject({
        code: 'invalid_input',
        upstream: {
          status: 400,
          message: 'A version needs at least one image; filter-tags may have left none.',
          hint: 'Ask for other tags or a lower percent, or upload images that fit.',
        },
      });
    }
    const number = (id: unknown) => Number(String(id).split('/').at(-1));
    expect(number((await versionOf({})).id)).toBe(number(before) + 1);
  });
});

describe('filter-null', () => {
  // Three of seven are labelled, three empty, one unseen.
  it.each([
    [0, 7],
    [1, 7],
    [42, 7],
    [43, 6],
    [50, 6],
    [60, 5],
    [61, 4],
    [75, 4],
    // The unseen one stays: nobody said that it shows nothing.
    [76, 4],
    [100, 4],
  ])('%i percent: %i images', async (percent, count) => {
    expect(await countOf({ 'filter-null': { percent } })).toBe(count);
  });

  it('counts what filter-tags leaves', async () => {
    // Of the day two are labelled, one empty, one unseen.
    const day = { 'filter-tags': { day: true } };
    expect(await countOf({ ...day, 'filter-null': { percent: 50 } })).toBe(4);
    expect(await countOf({ ...day, 'filter-null': { percent: 51 } })).toBe(3);
    // Without roof and night: one labelled, two empty, one unseen.
    const rest = { 'filter-tags': { roof: false, night: false } };
    expect(await countOf({ ...rest, 'filter-null': { percent: 25 } })).toBe(4);
    expect(await countOf({ ...rest, 'filter-null': { percent: 34 } })).toBe(2);
  });
});

describe('remap', () => {
  it('gives classes other names, two the same one where asked, in this version only', async () => {
    const classes = async (remap: Record<string, string>) => (await versionOf({ remap })).classes;
    expect(await classes({})).toEqual(['cell', 'constructor', 'rbc']);
    expect(await classes({ rbc: 'cell' })).toEqual(['cell', 'constructor']);
    expect(await classes({ rbc: 'blood', cell: 'blood' })).toEqual(['blood', 'constructor']);
    expect(await classes({ constructor: 'built' })).toEqual(['built', 'cell', 'rbc']);
    expect(await classes({ cell: 'constructor', constructor: 'cell' })).toEqual([
      'cell',
      'constructor',
      'rbc',
    ]);
    expect(await classes({ toString: 'never there' })).toEqual(['cell', 'constructor', 'rbc']);
    expect(await classes({})).toEqual(['cell', 'constructor', 'rbc']);
  });
});

describe('a classification project', () => {
  it('filters and remaps labels; two that become one are one', async () => {
    await createProject('labels', 'multi-label-classification');
    await add('labels', 'both', '["cat", "kitten"]');
    await add('labels', 'dog', 'dog');
    await add('labels', 'none', undefined);
    const cats = await versionOf({ remap: { kitten: 'cat', dog: 'hound' } }, 'labels');
    expect(cats).toMatchObject({ images: 3, classes: ['cat', 'hound'] });
    const both = { kind: 'classification', labels: ['cat', 'kitten', 'dog'] } as const;
    expect(remapAnnotation(both, { kitten: 'cat' })).toEqual({
      kind: 'classification',
      labels: ['cat', 'dog'],
    });
    const all = await versionOf({ 'filter-null': { percent: 100 }, grayscale: true }, 'labels');
    expect(all).toMatchObject({ images: 3, classes: ['cat', 'dog', 'kitten'] });
  });

  it('has no boxes to isolate', async () => {
    await expect(versionOf({ isolate: true }, 'labels')).rejects.toMatchObject({
      upstream: {
        status: 400,
        message: expect.stringContaining('preprocessing.isolate: needs boxes'),
      },
    });
  });

  it('has one class to an image, which mosaic would mix', async () => {
    const wanted = { workspace: 'acme', project: 'labels', preprocessing: {} };
    const mosaic = { mosaic: true, image: { versions: 2 } };
    await expect(
      platform.client.call(versions.versions_generate, { ...wanted, augmentation: mosaic }),
    ).rejects.toMatchObject({
      upstream: {
        status: 400,
        message: expect.stringContaining('augmentation.mosaic: needs boxes'),
      },
    });
  });
});
