// Images that came before there was an index, and an index in the making.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import { search } from '../../../src/contract/search.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { nameChunkTables } from '../../../src/platform/database/search-index/name-index.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { startTestPlatform, type TestPlatform, withRowsInFolder } from '../../fixtures/platform.ts';
import { scene } from './distinct-images.ts';
import { openSearch } from './indexed-images.ts';

const workspace = 'acme';

async function find({ client }: TestPlatform, query: string) {
  const { body } = await client.call(search.workspace_search, { workspace, query });
  return body;
}

it('brings older images into the index after a start, with how they look', async () => {
  const data = await mkdtemp(join(tmpdir(), 'fovea-indexing-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const first = await startTestPlatform({ data, ...withRowsInFolder });
  const { client } = first;
  await client.call(projects.projects_create, {
    workspace,
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  const ids: string[] = [];
  for (const number of [1, 2, 3]) {
    const file = { name: `scene-${number}.png`, content: await scene(number) };
    const { body } = await client.call(images.images_upload, { project: 'cells', file });
    ids.push(body.id ?? '');
  }
  await first.close();
  forgetIndex(join(data, 'platform.db'));

  const second = await startTestPlatform({ data });
  onTestFinished(() => second.close());
  await vi.waitFor(
    async () => {
      const alike = await find(second, `like-image:${ids[1]} filename:scene-*`);
      expect(alike.total).toBe(3);
      expect(alike.results[0]).toMatchObject({ id: ids[1], similarity: 1 });
    },
    { timeout: 20_000 },
  );
  const found = await find(second, 'scene project:cells');
  expect(found.results.map(({ id }) => id)).toEqual(ids.toReversed());
  expect(found.notes).toEqual(['Words are looked for in file names and tags, not by meaning.']);
});

it('steps over an image that cannot be taken in, and tries it again in the next hour', async () => {
  const data = await mkdtemp(join(tmpdir(), 'fovea-indexing-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const first = await startTestPlatform({ data, ...withRowsInFolder });
  const { client } = first;
  await client.call(projects.projects_create, {
    workspace,
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  const ids: string[] = [];
  for (const number of [1, 2, 3]) {
    const file = { name: `scene-${number}.png`, content: await scene(number) };
    ids.push((await client.call(images.images_upload, { project: 'cells', file })).body.id ?? '');
  }
  await first.close();
  forgetIndex(join(data, 'platform.db'));
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  onTestFinished(() => database.close());
  database.run(
    `CREATE TRIGGER poison BEFORE UPDATE OF indexed ON image_ordinals
       WHEN new.image_id = '${ids[0]}' BEGIN SELECT RAISE(ABORT, 'poison'); END`,
  );
  const ends = () =>
    database.all(
      "SELECT status, error FROM work WHERE kind = 'index' ORDER BY ordinal",
      [],
      (row) => [row.text('status'), row.optionalText('error')],
    );
  const at = (now: number) =>
    startTestPlatform({ data, clock: { ...systemClock, now: () => now } });

  const now = systemClock.now();
  const second = await at(now);
  const failed = ['failed', '1 images could not be taken into the search index. 2 were.'];
  await vi.waitFor(() => expect(ends()).toEqual([failed]), { timeout: 20_000 });
  const found = await find(second, 'scene project:cells');
  expect(found.results.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  await second.close();

  database.run('DROP TRIGGER poison');
  const third = await at(now + 60 * 60 * 1000);
  onTestFinished(() => third.close());
  const wanted = [failed, ['completed', undefined]];
  await vi.waitFor(() => expect(ends()).toEqual(wanted), { timeout: 20_000 });
  expect((await find(third, 'scene project:cells')).total).toBe(3);
});

/** As the migration leaves a database of a Fovea that had no search. */
function forgetIndex(path: string): void {
  const database = openDatabase(path, platformMigrations);
  database.run('UPDATE image_ordinals SET indexed = 0');
  for (const table of [
    'search_terms',
    'search_chunks',
    'search_names',
    'search_name_chunks',
    'likeness_vectors',
  ]) {
    database.run(`DELETE FROM ${table}`);
  }
  database.run('DELETE FROM likeness_hashes');
  database.run('DELETE FROM search_trigrams WHERE rowid <= 3');
  database.close();
}

it('says that it is not complete, and takes in what changes meanwhile', async () => {
  const fixture = await openSearch();
  onTestFinished(() => fixture.close());
  const image = { project: 'cells', batch: 'one', width: 4, height: 4, metadata: {} } as const;
  const old = await fixture.add({ ...image, name: 'old.jpg', split: 'train', tags: ['a'] });
  const other = await fixture.add({ ...image, name: 'other.jpg', split: 'train', tags: ['a'] });
  fixture.database.run('UPDATE image_ordinals SET indexed = 0');
  for (const table of [
    'search_terms',
    'search_chunks',
    'search_names',
    'search_name_chunks',
    'search_trigrams',
  ]) {
    fixture.database.run(
      `DELETE FROM ${table}${table === 'search_trigrams' ? ' WHERE rowid < 9' : ''}`,
    );
  }
  const reach = { workspaceId: fixture.acme.id, projectIds: undefined };
  const read = async () => {
    const page = await fixture.search.find(reach, {
      query: { kind: 'all' },
      sort: { key: 'created', direction: 'asc' },
      after: undefined,
      offset: 0,
      limit: 9,
      withAnnotations: false,
    });
    return { ids: page.images.map(({ id }) => id), isComplete: page.isComplete };
  };
  expect(await read()).toEqual({ ids: [], isComplete: false });
  await fixture.move([other], 'test');
  expect(await read()).toEqual({ ids: [], isComplete: false });
  await fixture.retag(old, ['b']);
  expect(await read()).toEqual({ ids: [old.id], isComplete: false });
  const open = await fixture.search.unindexed(9);
  expect(open).toEqual([{ imageId: other.id, hash: 'hash-2' }]);
  await fixture.search.index([other.id], (writes) => writes());
  expect(await read()).toEqual({ ids: [old.id, other.id], isComplete: true });
  const moved = { kind: 'term', term: 'split:test' } as const;
  expect(await fixture.search.count(reach, moved)).toBe(1);
});

it('has the names of a database from before in the rows that are looked through', async () => {
  const fixture = await openSearch();
  onTestFinished(() => fixture.close());
  const image = { project: 'cells', batch: 'one', width: 4, height: 4, metadata: {} } as const;
  for (let number = 0; number < 300; number += 1) {
    await fixture.add({ ...image, name: `Ä_${number}.jpg`, split: 'train', tags: [] });
  }
  const read = () =>
    fixture.database.all('SELECT chunk, names FROM search_name_chunks ORDER BY chunk', [], (row) =>
      row.text('names'),
    );
  const kept = read();
  expect(kept).toHaveLength(2);
  fixture.database.run('DELETE FROM search_name_chunks');
  const insert = nameChunkTables.sql.slice(nameChunkTables.sql.indexOf('INSERT'));
  fixture.database.run(insert);
  expect(read()).toEqual(kept);
});

it('keeps how each of many new images looks, and takes it over for the same file elsewhere', async () => {
  const fixture = await openSearch();
  onTestFinished(() => fixture.close());
  const image = { project: 'cells', batch: 'one', width: 4, height: 4, metadata: {} } as const;
  const many = Array.from({ length: 300 }, (_, number) => {
    return { ...image, name: `n${number}.jpg`, split: 'train', tags: [] } as const;
  });
  const looks = many.map((_, number) => ({
    vector: Int8Array.from({ length: 64 }, (_, at) => number - at * 3),
    hash: Uint8Array.from({ length: 8 }, (_, at) => number + at),
    sharpness: number / 8 - 20,
  }));
  const models = await fixture.swap([], many, looks.slice(0, 299));
  const lookOf = ({ id }: { readonly id: string }) => fixture.search.descriptorOf(id);
  expect(await Promise.all(models.map(lookOf))).toEqual([...looks.slice(0, 299), undefined]);

  const reach = { workspaceId: fixture.acme.id, projectIds: undefined };
  const request = { query: { kind: 'all' }, offset: 0, limit: 2, withAnnotations: false } as const;
  const like = async (number: number) => {
    const descriptor = looks[number] ?? { vector: new Int8Array(64), hash: new Uint8Array(8) };
    const { total, images } = await fixture.search.like(reach, { ...request, descriptor });
    return [total, images[0]?.name];
  };
  expect(await like(280)).toEqual([299, 'n280.jpg']);

  const [, last = undefined] = models.slice(298);
  const look = { imageId: last?.id ?? '', descriptor: looks[299] };
  await fixture.search.describe([look], (writes) => writes());
  expect(await like(299)).toEqual([300, 'n299.jpg']);

  const other = { ...image, project: 'cars', name: 'twin.jpg', split: 'test', tags: [] } as const;
  const [twin] = await fixture.swap([], [other]);
  fixture.database.run("UPDATE images SET hash = 'hash-281' WHERE id = ?", [twin?.id]);
  fixture.database.run('UPDATE image_ordinals SET indexed = 0 WHERE image_id = ?', [twin?.id]);
  await fixture.search.index([twin?.id ?? ''], (writes) => writes());
  expect(await lookOf(twin ?? never())).toEqual(looks[280]);
});

it('finds all images of a workspace whose index is from before workspaces had a term', async () => {
  const fixture = await openSearch();
  onTestFinished(() => fixture.close());
  const image = { batch: 'one', width: 4, height: 4, metadata: {}, split: 'train' } as const;
  const add = (project: string, name: string) => fixture.add({ ...image, project, name, tags: [] });
  for (const name of ['a', 'b']) await add('cells', name);
  await add('cars', 'c');
  await add('foreign', 'f');
  const ofWorkspaces = "SELECT id FROM search_terms WHERE term LIKE 'workspace:%'";
  fixture.database.run(`DELETE FROM search_chunks WHERE term_id IN (${ofWorkspaces})`);
  fixture.database.run("DELETE FROM search_terms WHERE term LIKE 'workspace:%'");
  const reach = { workspaceId: fixture.acme.id, projectIds: undefined };
  const count = () => fixture.search.count(reach, { kind: 'all' });
  expect(await count()).toBe(3);
  const added = await add('cars', 'd');
  expect(await count()).toBe(4);
  await fixture.setTrashed('cells', true);
  expect(await count()).toBe(2);
  await fixture.remove(added);
  expect(await count()).toBe(1);
  await fixture.setTrashed('cells', false);
  expect(await count()).toBe(3);
});

it('names the tags of images in reach alone, wherever these lie', async () => {
  const fixture = await openSearch();
  onTestFinished(() => fixture.close());
  const image = { batch: 'one', width: 4, height: 4, metadata: {}, split: 'train' } as const;
  const add = (project: string, tags: readonly string[]) =>
    fixture.add({ ...image, project, name: 'a.jpg', tags });
  await add('cells', ['night']);
  await add('foreign', ['rain', 'secret']);
  await fixture.skip(9_000);
  await add('cars', ['rain', 'fog']);
  const reach = { workspaceId: fixture.acme.id, projectIds: undefined };
  expect(await fixture.search.names(reach, 'tag')).toEqual(['fog', 'night', 'rain']);
  expect(await fixture.search.names({ ...reach, projectIds: ['cells'] }, 'tag')).toEqual(['night']);
  await fixture.setTrashed('cars', true);
  expect(await fixture.search.names(reach, 'tag')).toEqual(['night']);
});

function never(): never {
  throw new Error('no such image');
}
