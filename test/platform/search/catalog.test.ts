// The catalog of public projects, over HTTP.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { search } from '../../../src/contract/search.ts';
import { FoveaError } from '../../../src/errors.ts';
import {
  type OtherWorkspace,
  startTestPlatform,
  type TestPlatform,
} from '../../fixtures/platform.ts';
import { scene } from './distinct-images.ts';

let platform: TestPlatform;
let other: OtherWorkspace;
const workspace = 'acme';

beforeAll(async () => {
  platform = await startTestPlatform();
  other = await platform.otherWorkspace();
  await create('Blood cells', { license: 'MIT' });
  await create('Street cars');
  await create('Hidden blood', { public: false });
  await create('Kinds of cells', { type: 'single-label-classification' });
  await other.client.call(projects.projects_create, {
    workspace: other.slug,
    name: 'Foreign cells',
    type: 'object-detection',
    annotation: 'cells',
    public: true,
  });
  await upload('blood-cells', 1, ['RBC', 'RBC', 'WBC'], ['night']);
  await upload('blood-cells', 2, ['RBC'], []);
  await upload('street-cars', 3, ['car'], ['day']);
  await upload('hidden-blood', 4, ['RBC'], []);
});

afterAll(() => platform.close());

async function create(name: string, more: object = {}) {
  await platform.client.call(projects.projects_create, {
    workspace,
    name,
    type: 'object-detection',
    annotation: 'things',
    public: true,
    ...more,
  });
}

async function upload(project: string, number: number, labels: string[], tag: string[]) {
  const file = { name: `scene-${number}.png`, content: await scene(number) };
  const { body } = await platform.client.call(images.images_upload, { project, file, tag });
  const annotations = labels.map((label, at) => ({
    label,
    coordinates: { x: 10 + at, y: 10, width: 4, height: 4 },
  }));
  await platform.client.call(images.images_annotate, {
    project,
    imageId: body.id ?? '',
    name: 'a.json',
    annotationFile: JSON.stringify([{ image: file.name, annotations }]),
  });
}

async function find(q: string, more: object = {}) {
  const { body } = await platform.client.call(search.catalog_search, { q, ...more });
  return body;
}

async function names(q: string, more: object = {}) {
  return (await find(q, more)).results.map(({ workspace: from, project }) => `${from}/${project}`);
}

async function refused(call: Promise<unknown>) {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof FoveaError)) throw new Error('was not refused');
  return thrown.upstream?.message;
}

const blood = 'acme/blood-cells';
const cars = 'acme/street-cars';
const kinds = 'acme/kinds-of-cells';
const foreign = 'globex/foreign-cells';

describe('by words and filters', () => {
  it.each([
    ['cells', [blood, foreign, kinds]],
    ['blood', [blood]],
    ['BLOO', [blood]],
    ['cells foreign', [foreign]],
    ['hidden', []],
    ['rbc', [blood]],
    ['class:RBC', [blood]],
    ['class:rbc,wbc', [blood]],
    ['class:RBC class:car', []],
    ['tag:night', [blood]],
    ['tag:none', []],
    ['images>1', [blood]],
    ['images>=1', [blood, cars]],
    ['images=0', [foreign, kinds]],
    ['stars>=5', []],
    ['stars>=0 images<2 images>0', [cars]],
    ['model', []],
    ['dataset', [blood, cars]],
    ['object-detection cells', [blood, foreign]],
    ['type:single-label-classification', [kinds]],
    ['classification', [kinds]],
    ['updated:1d street', [cars]],
    ['sort:name cells', [blood, foreign, kinds]],
    ['sort:images', [blood, cars, foreign, kinds]],
  ])('finds by %s', async (q, found) => {
    expect(await names(q)).toEqual(found);
  });

  it('shows what there is to know of a project', async () => {
    const [found] = (await find('blood')).results;
    expect(found).toEqual({
      workspace: 'acme',
      project: 'blood-cells',
      name: 'Blood cells',
      images: 2,
      url: `${platform.url}/acme/blood-cells`,
      type: 'object-detection',
      classes: ['RBC', 'WBC'],
      license: 'MIT',
      thumbnail: expect.any(String),
      annotationThumbnail: null,
      stars: 0,
      views: 0,
      downloads: 0,
      modelCount: 0,
      latestVersion: null,
      updated: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    });
    const picture = await fetch(String(found?.thumbnail));
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(await scene(2));
  });

  it('pages, and takes a type', async () => {
    const page = await find('cells', { limit: 2, page: 2 });
    expect([page.total, page.page, page.results.length]).toEqual([3, 2, 1]);
    expect(await names('cells', { type: 'object-detection' })).toEqual([blood, foreign]);
    expect(await names('cells', { page: 9 })).toEqual([]);
  });

  it('leaves out what is in the trash', async () => {
    await create('Soon gone');
    expect(await names('gone')).toEqual(['acme/soon-gone']);
    await platform.client.call(projects.projects_delete, { workspace, project: 'soon-gone' });
    expect(await names('gone')).toEqual([]);
  });

  it.each([
    ['klass:RBC', 'there is no filter "klass:"; did you mean "class:"?'],
    ['class:', 'class: has no value'],
    ['sort:size', 'there is no order "size"'],
    ['updated:soon', 'updated: must be as 30d'],
    ['images>many', 'images> needs a whole number'],
    ['sizes>5', '"sizes" is no number of a project'],
    ['like:https://example.com/a.jpg', 'like: takes no address here'],
    ['type:boxes', 'there is no type "boxes"'],
  ])('refuses %s', async (q, message) => {
    expect(await refused(find(q))).toContain(message);
  });

  it('refuses an unknown type, and pages that are too long', async () => {
    expect(await refused(find('cells', { type: 'boxes' }))).toContain('type: there is no type');
    expect(await refused(find('cells', { limit: 101 }))).toContain('limit');
  });
});

describe('by image', () => {
  it('finds projects with a similar image, the best first, and no hidden one', async () => {
    const image_base64 = (await scene(3, 80, 60)).toString('base64');
    const { body } = await platform.client.call(search.catalog_search_by_image, { image_base64 });
    expect(body.results.map(({ project }) => project)).toEqual(['street-cars', 'blood-cells']);
    expect(Number(body.results[0]?.similarity)).toBeGreaterThan(0.9);
    expect(Number(body.results[1]?.similarity)).toBeLessThan(0.7);
  });

  it('refuses what is no image', async () => {
    const call = platform.client.call(search.catalog_search_by_image, { image_base64: 'AAAA' });
    expect(await refused(call)).toContain('image_base64: is');
  });
});
