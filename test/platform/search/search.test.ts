// Search over HTTP: in one project, and in all of a workspace.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { search } from '../../../src/contract/search.ts';
import { trash } from '../../../src/contract/trash.ts';
import { FoveaError } from '../../../src/errors.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { scene } from './distinct-images.ts';

let platform: TestPlatform;
const ids: string[] = [];
const workspace = 'acme';
const inCells = { workspace, project: 'cells' };

async function upload(project: string, number: number, name: string, more: object = {}) {
  const file = { name, content: await scene(number) };
  const { body } = await platform.client.call(images.images_upload, { project, file, ...more });
  return body.id ?? '';
}

async function annotate(imageId: string, labels: readonly string[]) {
  const annotations = labels.map((label) => ({
    label,
    coordinates: { x: 10, y: 10, width: 4, height: 4 },
  }));
  const image = await platform.client.call(images.images_get, { ...inCells, imageId });
  await platform.client.call(images.images_annotate, {
    project: 'cells',
    imageId,
    name: 'a.json',
    annotationFile: JSON.stringify([{ image: image.body.image.name, annotations }]),
  });
}

beforeAll(async () => {
  platform = await startTestPlatform();
  for (const name of ['Cells', 'Cars']) {
    await platform.client.call(projects.projects_create, {
      workspace,
      name,
      type: 'object-detection',
      annotation: 'things',
    });
  }
  ids.push(
    await upload('cells', 1, 'IMG_0001.jpg', { tag: ['night'], split: 'train' }),
    await upload('cells', 2, 'IMG_0002.jpg', { tag: ['day'], split: 'valid' }),
    await upload('cells', 3, 'frame-10.png', { tag: ['night', 'rain'], split: 'test' }),
    await upload('cars', 4, 'car.jpg', { tag: ['night'] }),
  );
  await annotate(ids[0] ?? '', ['RBC', 'RBC', 'RBC', 'WBC']);
  await annotate(ids[1] ?? '', ['RBC']);
  await annotate(ids[2] ?? '', []);
});

afterAll(() => platform.close());

async function inProject(conditions: object) {
  const { body } = await platform.client.call(search.images_search, { ...inCells, ...conditions });
  return body;
}

async function inWorkspace(query: string, more: object = {}) {
  const { body } = await platform.client.call(search.workspace_search, {
    workspace,
    query,
    ...more,
  });
  return body;
}

/** The numbers of the images that were found, in the order of their upload. */
function numbers({ results }: { results: readonly { id?: string | undefined }[] }) {
  return results.map(({ id }) => ids.indexOf(id ?? '') + 1);
}

async function refused(call: Promise<unknown>) {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof FoveaError)) throw new Error('was not refused');
  return { code: thrown.code, text: `${thrown.upstream?.message}\n${thrown.upstream?.hint}` };
}

describe('in a project', () => {
  it('lists the newest first, and knows their number', async () => {
    const all = await inProject({});
    expect(numbers(all)).toEqual([3, 2, 1]);
    expect(all).toMatchObject({ offset: 0, total: 3 });
    expect(Object.keys(all.results[0] ?? {}).toSorted()).toEqual(['created', 'id']);
    const second = await inProject({ offset: 1, limit: 1 });
    expect([numbers(second), second.total, second.offset]).toEqual([[2], 3, 1]);
    expect(numbers(await inProject({ offset: 3 }))).toEqual([]);
  });

  it('holds to all conditions', async () => {
    expect(numbers(await inProject({ tag: 'night' }))).toEqual([3, 1]);
    expect(numbers(await inProject({ tag: 'night', class_name: 'RBC' }))).toEqual([1]);
    expect(numbers(await inProject({ prompt: 'img night' }))).toEqual([1]);
    expect(numbers(await inProject({ prompt: 'RAIN' }))).toEqual([3]);
    expect(numbers(await inProject({ in_dataset: false }))).toEqual([]);
    expect(numbers(await inProject({ batch: false, tag: 'day' }))).toEqual([2]);
    expect(numbers(await inProject({ annotation_job: false }))).toEqual([3, 2, 1]);
    expect(numbers(await inProject({ annotation_job: true }))).toEqual([]);
    expect(numbers(await inProject({ annotation_job_id: 'none' }))).toEqual([]);
    expect(numbers(await inProject({ batch_id: 'none' }))).toEqual([]);
    const { body } = await platform.client.call(images.batches_list, inCells);
    const [batch] = body.batches;
    expect(numbers(await inProject({ batch_id: batch?.id }))).toEqual([3, 2, 1]);
  });

  it('shows the fields that are asked for', async () => {
    const fields = [
      'id',
      'name',
      'filename',
      'url',
      'created',
      'annotations',
      'labels',
      'split',
      'tags',
      'owner',
      'embedding',
      'user_metadata',
      'width',
      'height',
      'aspectRatio',
    ];
    const { results } = await inProject({ tag: 'rain', fields });
    expect(results).toHaveLength(1);
    const [found = {}] = results;
    expect(Object.keys(found).toSorted()).toEqual(fields.toSorted());
    expect(found).toMatchObject({
      id: ids[2],
      name: 'frame-10.png',
      filename: 'frame-10.png',
      owner: 'acme',
      labels: [],
      split: 'test',
      tags: ['night', 'rain'],
      user_metadata: {},
      annotations: { boxes: [] },
    });
    expect(found.embedding).toHaveLength(64);
    const answer = await fetch(String(found.url));
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(await scene(3)));
  });

  it('finds what looks alike, by an image that is here and by one that is sent', async () => {
    const [id = ''] = ids;
    const alike = await inProject({ like_image: id });
    expect(numbers(alike)[0]).toBe(1);
    expect(alike.results[0]).toMatchObject({ similarity: 1 });
    expect(alike.total).toBe(3);
    expect(alike.notes).toEqual(['Similar by look (colours and their layout), not by meaning.']);
    const smaller = await scene(2, 40, 30);
    const sent = await inProject({ image_base64: smaller.toString('base64'), tag: 'day' });
    expect(numbers(sent)).toEqual([2]);
    expect(Number(sent.results[0]?.similarity)).toBeGreaterThan(0.8);
  });

  it('refuses what cannot be looked for', async () => {
    const { code, text } = await refused(inProject({ image_base64: 'bm8gcGljdHVyZQ==' }));
    expect(code).toBe('unsupported_media');
    expect(text).toContain('image_base64: is');
    expect((await refused(inProject({ image_base64: '%%%' }))).text).toContain('as base64');
    const foreign = await refused(inProject({ like_image: ids[3] }));
    expect(foreign.code).toBe('not_found');
    const both = await refused(inProject({ like_image: ids[0], image_base64: 'AAAA' }));
    expect(both.text).toContain('like_image: give either like_image or image_base64, not both');
    expect((await refused(inProject({ prompt: '?!' }))).text).toContain('prompt: has no letter');
  });
});

describe('an empty search says which name no image has', () => {
  const wbc = 'No image here has the class "WBCs"; did you mean "WBC"?';

  it('in a project', async () => {
    expect((await inProject({ class_name: 'WBCs' })).notes).toEqual([wbc]);
    expect((await inProject({ tag: 'nihgt' })).notes).toEqual([
      'No image here has the tag "nihgt"; did you mean "night"?',
    ]);
    const { notes } = await inProject({ class_name: 'elephant' });
    expect(notes).toEqual(['No image here has the class "elephant"; there are "RBC", "WBC".']);
    // Both are there, on no image together.
    const none = await inProject({ class_name: 'WBC', tag: 'day' });
    expect([none.total, none.notes]).toEqual([
      0,
      ['Each condition finds images, and none has all of them: tag:day 1, class:WBC 1.'],
    ]);
  });

  it('that words in lower case join nothing', async () => {
    const hint = 'Write OR in capitals: “or” is looked for as a word.';
    expect((await inWorkspace('tag:night or tag:nope')).notes).toContain(hint);
    expect((await inWorkspace('tag:nope OR tag:never')).notes).not.toContain(hint);
    const { total, notes } = await inWorkspace('frame or car.jpg OR tag:night');
    expect(total).toBeGreaterThan(0);
    expect(notes ?? []).not.toContain(hint);
  });

  it('that a file name is asked for whole', async () => {
    const { notes } = await inWorkspace('filename:frame-10');
    expect(notes).toEqual([
      'filename:frame-10 asks for the whole name; filename:*frame-10* finds 1.',
    ]);
    const other = await inWorkspace('class:RBC filename:nowhere.png');
    expect(other.notes).toEqual(['No image here has a name with "nowhere.png" in it.']);
  });

  it('in a workspace, and not of what is to be absent', async () => {
    const found = await inWorkspace('class:WBCs>=2 OR tag:nope -tag:never');
    expect(found.notes).toEqual([
      wbc,
      'No image here has the tag "nope"; there are "day", "night", "rain".',
    ]);
    const metadata = await inWorkspace('metadata:camera=trail');
    expect(metadata.notes).toContainEqual(
      expect.stringMatching(/^No image here has the metadata "camera"; there are /),
    );
    expect((await inWorkspace('tag:night')).notes).toBeUndefined();
  });

  it('of another project nothing is told', async () => {
    const cars = { workspace, project: 'cars', class_name: 'RBCs' };
    const { body } = await platform.client.call(search.images_search, cars);
    expect(body.notes).toEqual(['No image here has the class "RBCs"; there are none.']);
  });
});

describe('in a workspace', () => {
  it('finds in all projects, and not in the trash', async () => {
    const all = await inWorkspace('*');
    expect([numbers(all), all.total]).toEqual([[4, 3, 2, 1], 4]);
    const car = { id: ids[3], name: 'car.jpg', project: 'cars', split: 'train', labels: [] };
    expect(all.results[0]).toEqual(car);
    expect(numbers(await inWorkspace('tag:night project:cars'))).toEqual([4]);
    await platform.client.call(projects.projects_delete, { workspace, project: 'cars' });
    expect(numbers(await inWorkspace('tag:night'))).toEqual([3, 1]);
    expect((await refused(inWorkspace('project:cars'))).text).toContain('no project "cars"');
    const { body } = await platform.client.call(trash.trash_list, { workspace });
    const id = String(body.items[0]?.id);
    await platform.client.call(trash.trash_restore, { workspace, type: 'project', id });
    expect(numbers(await inWorkspace('tag:night'))).toEqual([4, 3, 1]);
  });

  it.each([
    ['class:RBC>=3', [1]],
    ['class:RBC', [2, 1]],
    ['class:RBC<1 annotated:true', [3]],
    ['annotated:false', [4]],
    ['filename:IMG_*', [2, 1]],
    ['filename:*0002*', [2]],
    ['split:valid OR tag:rain', [3, 2]],
    ['tag:night -class:WBC', [4, 3]],
    ['class:RBC sort:class:RBC-desc', [1, 2]],
    ['(tag:day OR tag:rain) AND NOT split:test', [2]],
    ['sort:name project:cells', [3, 1, 2]],
    ['max-annotations:0 project:cells', [3]],
    ['project:false', []],
  ])('understands %s', async (query, found) => {
    const page = await inWorkspace(query);
    expect([numbers(page), page.total]).toEqual([found, found.length]);
  });

  it('goes on from page to page, with the token of the same query alone', async () => {
    const first = await inWorkspace('sort:name', { pageSize: 3 });
    expect([numbers(first), first.total]).toEqual([[4, 3, 1], 4]);
    const token = String(first.continuationToken);
    const last = await inWorkspace('sort:name', { pageSize: 3, continuationToken: token });
    expect([numbers(last), last.total, last.continuationToken]).toEqual([[2], 4, undefined]);
    const other = await refused(inWorkspace('*', { continuationToken: token }));
    expect(other.text).toContain('continuationToken: does not belong to this query');
    for (const forged of [`${token}x`, token.replace('.', 'A.'), '.', 'x', 'W10.W10']) {
      const { code } = await refused(inWorkspace('sort:name', { continuationToken: forged }));
      expect(code).toBe('invalid_input');
    }
  });

  it('leaves none out and shows none twice while images come', async () => {
    const seen: number[] = [];
    let token: string | undefined;
    for (let page = 0; page < 4; page += 1) {
      const more = token === undefined ? {} : { continuationToken: token };
      const found = await inWorkspace('*', { pageSize: 1, ...more });
      seen.push(...numbers(found));
      token = found.continuationToken ?? undefined;
      await upload('cells', 100 + page, `late-${page}.jpg`);
    }
    expect(seen).toEqual([4, 3, 2, 1]);
    expect(token).toBeUndefined();
  });

  it('puts what looks alike in order', async () => {
    const found = await inWorkspace(`like-image:${ids[0]} -filename:late*`, { pageSize: 2 });
    expect([numbers(found)[0], found.total]).toEqual([1, 4]);
    expect(found.results[0]).toMatchObject({ similarity: 1 });
    const more = { pageSize: 2, continuationToken: found.continuationToken };
    const rest = await inWorkspace(`like-image:${ids[0]} -filename:late*`, more);
    expect([...numbers(found), ...numbers(rest)].toSorted()).toEqual([1, 2, 3, 4]);
    expect((await refused(inWorkspace('tag:night like-image:none'))).text).toContain(
      'query: at character 11: there is no image of this id',
    );
  });

  it('points at what is wrong', async () => {
    expect((await refused(inWorkspace('tag:night AND (class:RBC'))).text).toBe(
      'query: at character 15: this "(" is not closed\ntag:night AND →(class:RBC',
    );
    expect((await refused(inWorkspace('klass:RBC'))).text).toContain('did you mean "class:"?');
    const { code, text } = await refused(inWorkspace('*', { fields: ['id', 'nmae'] }));
    expect(code).toBe('invalid_input');
    expect(text).toContain('fields[1]: there is no field "nmae"; did you mean "name"?');
    expect((await refused(inWorkspace('*', { pageSize: 1001 }))).text).toContain('pageSize');
  });

  it('never shows what belongs to another workspace', async () => {
    const other = await platform.otherWorkspace();
    const { body } = await other.client.call(search.workspace_search, {
      workspace: other.slug,
      query: 'tag:night OR *',
    });
    const notes = ['No image here has the tag "night"; there are none.'];
    expect(body).toEqual({ results: [], total: 0, notes });
    const like = other.client.call(search.workspace_search, {
      workspace: other.slug,
      query: `like-image:${ids[0]}`,
    });
    expect((await refused(like)).text).toContain('there is no image of this id');
  });
});
