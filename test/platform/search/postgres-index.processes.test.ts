// The search index on PostgreSQL answers what the one on SQLite answers: random images, changes and
// queries are held against both.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Descriptor } from '../../../src/imaging/similarity-descriptor.ts';
import { KeptComparisons } from '../../../src/platform/database/comparisons/kept-comparisons.ts';
import { findNearDuplicates } from '../../../src/platform/database/near-duplicates.ts';
import { bitSlicedImageIndex } from '../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import { ConsistentReads } from '../../../src/platform/postgres/consistent-reads.ts';
import {
  findSimilarInCatalog,
  searchCatalog,
} from '../../../src/platform/postgres/search-index/catalog.ts';
import {
  countFound,
  findImages,
  findSimilar,
  foundIds,
  foundRows,
  listNames,
} from '../../../src/platform/postgres/search-index/search-images.ts';
import { serverImageIndex } from '../../../src/platform/postgres/search-index/server-image-index.ts';
import { readLook } from '../../../src/platform/postgres/search-index/similarity-index.ts';
import type { AccessibleProjects, NameKind } from '../../../src/platform/store/search.ts';
import { parseQuery } from '../../../src/query-language/parse-query.ts';
import type { After, Query, Sort } from '../../../src/query-language/query-syntax-tree.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { change, sort, trashed } from './changes.ts';
import { condition, newImage, textOf } from './generators.ts';
import { openSearch, type Search } from './indexed-images.ts';
import { judgeIndex } from './judge-index.ts';
import { type Copy, openCopy } from './postgres-copy.ts';
import { openServerSearch } from './server-search.ts';

let server: PostgresServer;

const look: fc.Arbitrary<Descriptor> = fc.record({
  vector: fc.int8Array({ minLength: 64, maxLength: 64 }),
  hash: fc.uint8Array({ minLength: 8, maxLength: 8 }),
  sharpness: fc.option(
    fc.integer({ min: -160, max: 40 }).map((eighths) => eighths / 8),
    {
      nil: undefined,
    },
  ),
});

interface Sides {
  readonly search: Search;
  readonly copy: Copy;
  readonly reads: ConsistentReads;
}

/** Both answers to everything that can be asked with one query. */
async function askBoth(
  { search, copy, reads }: Sides,
  reach: AccessibleProjects,
  query: Query,
  order: Sort,
  pages: { readonly limit: number; readonly offset: number },
): Promise<void> {
  let after: After | undefined;
  for (let page = 0; page === 0 || (after && page < 20); page += 1) {
    const request = { query, sort: order, after, ...pages, withAnnotations: page % 2 === 0 };
    const right = await search.search.find(reach, request);
    const found = await reads.read('acme', (reader) => findImages(reader, reach, request));
    expect(found).toEqual(right);
    const counted = { total: Math.min(right.total, 2), isTotalExact: right.total <= 2 };
    expect(await findImages(copy.database, reach, request, 2)).toEqual({ ...right, ...counted });
    after = right.next;
  }
  const { limit, offset } = pages;
  const oldest = { afterOrdinal: offset, countMax: limit };
  const { database } = copy;
  expect(await countFound(database, reach, query)).toBe(await search.search.count(reach, query));
  expect(await foundIds(database, reach, query, oldest)).toEqual(
    await search.search.ids(reach, query, offset, limit),
  );
  expect(await foundRows(database, reach, query, oldest)).toEqual(
    await search.search.found(reach, query, offset, limit),
  );
}

const kinds: readonly NameKind[] = [
  'class',
  'tag',
  'metadata-key',
  'metadata:site=',
  'metadata:n=',
];

async function askNames({ search, copy }: Sides, reach: AccessibleProjects): Promise<void> {
  for (const kind of kinds) {
    const right = await search.search.names(reach, kind);
    expect(await listNames(copy.database, reach, kind), kind).toEqual(right);
  }
}

async function askLooks(
  { search, copy }: Sides,
  reach: AccessibleProjects,
  query: Query,
  descriptor: Descriptor,
): Promise<void> {
  const request = { descriptor, query, offset: 1, limit: 5, withAnnotations: false };
  expect(await findSimilar(copy.database, reach, request)).toEqual(
    await search.search.like(reach, request),
  );
  expect(await findSimilarInCatalog(copy.database, descriptor)).toEqual(
    await search.search.catalog.like('acme', descriptor),
  );
  for (const q of ['', 'tag:night', 'tag:day class:RBC', 'images>3 sort:name']) {
    const catalogRequest = { q, type: undefined, limit: 2, page: 1, now: 1 };
    expect(await searchCatalog(copy.database, catalogRequest), q).toEqual(
      await search.search.catalog.search('acme', catalogRequest),
    );
  }
  for (const project of ['cells', 'cars']) {
    const [onServer, onSqlite] = [serverImageIndex, bitSlicedImageIndex].map(({ vectors }) => ({
      vectors,
      kept: new KeptComparisons(),
    }));
    if (!onServer || !onSqlite) throw new Error('there are two indexes');
    expect(await findNearDuplicates(copy.database, onServer, project)).toEqual(
      await findNearDuplicates(search.shared, onSqlite, project),
    );
  }
}

const title = hasPostgres
  ? 'the index on PostgreSQL'
  : 'PostgreSQL is not installed here: its index was not tried';

describe.skipIf(!hasPostgres)(title, { timeout: 240_000 }, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  it('answers as the one on SQLite, after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(newImage, { minLength: 5, maxLength: 30 }),
        fc.array(
          fc.tuple(
            fc.array(change, { maxLength: 8 }),
            fc.array(fc.tuple(newImage, look), { maxLength: 3 }),
            fc.array(fc.tuple(condition, sort), { minLength: 1, maxLength: 6 }),
          ),
          { maxLength: 6 },
        ),
        fc.infiniteStream(fc.nat()),
        fc.record({
          limit: fc.integer({ min: 1, max: 9 }),
          offset: fc.nat(3),
          spare: fc.boolean(),
          projects: fc.option(fc.subarray(['cells', 'cars', 'foreign']), { nil: undefined }),
        }),
        look,
        async (images, rounds, random, { projects, spare, ...pages }, wantedLook) => {
          const search = await openSearch();
          const copy = await openCopy(await server.database(), search);
          const sides = { search, copy, reads: new ConsistentReads(copy.database) };
          trashed.clear();
          const pick = <T>(from: readonly T[]) =>
            from[(random.next().value ?? 0) % Math.max(1, from.length)];
          const reach = { workspaceId: search.acme.id, projectIds: projects };
          try {
            search.database.run("UPDATE projects SET public = 1 WHERE id <> 'cars'");
            await search.swap([], images);
            await copy.follow();
            for (const [changes, seen, queries] of rounds) {
              for (const one of changes) await one(search, pick);
              const looks = seen.map(([, one]) => one);
              const added = await search.swap(
                [],
                seen.map(([one]) => one),
                looks,
              );
              await copy.follow(new Map(added.map(({ id }, at) => [id, looks[at] ?? wantedLook])));
              for (const { id } of added) {
                const seenNow = await readLook(copy.database, id);
                expect(seenNow).toEqual(await search.search.descriptorOf(id));
              }
              for (const [wanted, order] of queries) {
                const { query } = parseQuery(textOf(wanted, spare), (slug) => slug);
                await askBoth(sides, reach, query, order, pages);
                await askLooks(sides, reach, query, wantedLook);
              }
              await askNames(sides, reach);
            }
            for (const model of [...search.models.values()]) await search.remove(model);
            await copy.follow();
            expect(await copy.rows()).toEqual([0, 0]);
          } finally {
            await search.close();
            await copy.database.close();
          }
        },
      ),
      { numRuns: Number(process.env.SEARCH_RUNS ?? 20) },
    );
  });

  it('finds what a plain filter finds, behind the stores of a platform', async () => {
    // Each run makes a database, which takes seconds.
    await judgeIndex(async () => openServerSearch(await server.database()), 6);
  });
});
