// Searches the images of a workspace with the search index.

import type { Query, SearchRequest } from '../../query-language/query-syntax-tree.ts';
import { term } from '../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Reader } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { imageSearchTables } from '../postgres/search-index/tables.ts';
import type { NearestPage, NearestRequest } from '../store/embeddings.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type {
  AccessibleProjects,
  FoundId,
  FoundImage,
  ImageLook,
  NameKind,
  Oldest,
  SearchPage,
  SearchStore,
  SimilarityPage,
  SimilarityRequest,
} from '../store/search.ts';
import { catalogStore } from './catalog.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import { searchExportStore } from './search-exports.ts';
import { andNot, type Bitmap, beyond, ordinals, size } from './search-index/bitmap.ts';
import { evaluate, type Index } from './search-index/evaluate-query.ts';
import { rankByMeaning } from './search-index/nearest-images.ts';
import { rankBySimilarity } from './search-index/similarity-index.ts';
import { orderImages } from './search-index/sort-results.ts';
import { allChunks, listTermsFrom, readAny, readTerm } from './search-index/term-bitmaps.ts';
import {
  countTry,
  hasUndescribed,
  listUndescribed,
  listUnmeasured,
  lookAgain,
  settleUndescribed,
} from './search-index/undescribed-images.ts';
import { describeImages, indexImages } from './search-index/update-index.ts';
import { readFound } from './search-results.ts';

const searchExports = `CREATE TABLE search_exports (
  task_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces, name TEXT NOT NULL,
  hash TEXT, bytes INTEGER NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX search_exports_hash ON search_exports (hash);
`;

/** Each engine has an index of its own. */
export const searchTables: Migration = {
  name: 'search',
  sql: `
-- The index: for each term (terms.ts) and each chunk of images one row of bits.
CREATE TABLE search_terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE search_chunks (
  term_id INTEGER NOT NULL, chunk INTEGER NOT NULL, bits BLOB NOT NULL,
  PRIMARY KEY (term_id, chunk)
) STRICT, WITHOUT ROWID;

-- Names as they are compared: case and accents do not matter.
CREATE TABLE search_names (ordinal INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE INDEX search_names_order ON search_names (name, ordinal);
CREATE VIRTUAL TABLE search_trigrams USING fts5(
  name, content = '', contentless_delete = 1, detail = none,
  tokenize = 'trigram case_sensitive 1'
);

-- How images look: 64 numbers of each, and 64 bits of each, many to a row.
CREATE TABLE likeness_vectors (ordinal INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE TABLE likeness_hashes (chunk INTEGER PRIMARY KEY, hashes BLOB NOT NULL) STRICT;

${searchExports}`,
  postgres: searchExports + imageSearchTables.sql,
};

/** Which of these rows point at a blob. */
export const searchBlobs: readonly string[] = ['SELECT 1 FROM search_exports WHERE hash = ?'];

export function searchStore(
  database: AsyncDatabase,
  index: ImageIndex,
  queue: TaskQueue,
  reader: LongReads,
): SearchStore {
  return {
    find: (accessible, request) =>
      reader.read(accessible.workspaceId, { name: 'find', asked: [accessible, request] }),
    ids: (accessible, query, afterOrdinal, countMax) =>
      reader.read(accessible.workspaceId, {
        name: 'ids',
        asked: [accessible, query, { afterOrdinal, countMax }],
      }),
    found: (accessible, query, afterOrdinal, countMax) =>
      reader.read(accessible.workspaceId, {
        name: 'found',
        asked: [accessible, query, { afterOrdinal, countMax }],
      }),
    count: (accessible, query) =>
      reader.read(accessible.workspaceId, { name: 'count', asked: [accessible, query] }),
    names: (accessible, kind) =>
      reader.read(accessible.workspaceId, { name: 'names', asked: [accessible, kind] }),
    like: (accessible, request) =>
      reader.read(accessible.workspaceId, { name: 'like', asked: [accessible, request] }),
    descriptorOf: (imageId) => index.descriptorOf(database, imageId),
    newest: async () => {
      const sql = 'SELECT max(ordinal) AS newest FROM image_ordinals';
      return (await database.get(sql, [], (row) => row.optionalInteger('newest'))) ?? 0;
    },
    undescribed: (countMax, scope) => listUndescribed(database, countMax, scope),
    unmeasured: (countMax) => listUnmeasured(database, index, countMax),
    countTry: (imageId, fenced) => fenced(() => countTry(database, imageId)),
    hasUndescribed: (scope) => hasUndescribed(database, scope),
    describe: (looks, fenced) => fenced(() => keepLooks(database, index, looks)),
    lookAgain: (imageIds) => lookAgain(database, imageIds),
    unindexed: (countMax, except = []) =>
      database.all(
        `SELECT o.image_id, i.hash FROM image_ordinals o JOIN images i ON i.id = o.image_id
         WHERE o.indexed = 0 AND o.image_id NOT IN (SELECT value FROM json_each(?))
         ORDER BY o.ordinal LIMIT ?`,
        [JSON.stringify(except), countMax],
        (row) => ({ imageId: row.text('image_id'), hash: row.text('hash') }),
      ),
    index: (imageIds, fenced) => fenced(() => indexImages(database, index, imageIds)),
    catalog: catalogStore(reader),
    exports: searchExportStore(database, queue),
  };
}

async function keepLooks(
  database: AsyncDatabase,
  index: ImageIndex,
  looks: readonly ImageLook[],
): Promise<void> {
  const described = looks.flatMap(({ imageId, descriptor }) =>
    descriptor ? [[imageId, descriptor] as const] : [],
  );
  await describeImages(database, index, new Map(described));
  await settleUndescribed(database, looks);
}

export function findImages(
  index: Index,
  accessible: AccessibleProjects,
  request: SearchRequest,
): SearchPage {
  const { database } = index;
  const hits = evaluate(index, request.query, scopeOf(database, accessible));
  const { limit, withAnnotations } = request;
  const placed = orderImages(index, hits, request, limit + 1);
  const page = placed.slice(0, limit).map(({ ordinal }) => ordinal);
  const images = readFound(database, page, withAnnotations);
  return {
    total: size(hits),
    isTotalExact: true,
    images,
    next: placed.length > images.length ? placed[images.length - 1] : undefined,
    isComplete: isComplete(database),
  };
}

export function foundIds(
  index: Index,
  accessible: AccessibleProjects,
  query: Query,
  wanted: Oldest,
): readonly FoundId[] {
  return index.database.all(
    `SELECT ordinal, image_id FROM image_ordinals
     WHERE ordinal IN (SELECT value FROM json_each(?)) ORDER BY ordinal`,
    [JSON.stringify(oldest(index, accessible, query, wanted))],
    (row) => ({ ordinal: row.integer('ordinal'), imageId: row.text('image_id') }),
  );
}

export function foundRows(
  index: Index,
  accessible: AccessibleProjects,
  query: Query,
  wanted: Oldest,
): readonly FoundImage[] {
  return readFound(index.database, oldest(index, accessible, query, wanted), true);
}

export function countFound(index: Index, accessible: AccessibleProjects, query: Query): number {
  return size(evaluate(index, query, scopeOf(index.database, accessible)));
}

export function listNames({ database }: Index, accessible: AccessibleProjects, kind: NameKind) {
  const prefix = kind.endsWith('=') ? kind : `${kind}:`;
  const terms = listTermsFrom(database, prefix, scopeOf(database, accessible));
  return terms?.map((name) => name.slice(prefix.length));
}

export function findSimilar(
  index: Index,
  accessible: AccessibleProjects,
  request: SimilarityRequest,
): SimilarityPage {
  const { database } = index;
  const hits = evaluate(index, request.query, scopeOf(database, accessible));
  const ranked = rankBySimilarity(database, hits, request.descriptor);
  return pageOf(ranked, request, (page) => readFound(database, page, request.withAnnotations));
}

export function findNearest(
  index: Index,
  accessible: AccessibleProjects,
  request: NearestRequest,
): NearestPage {
  const { database } = index;
  const hits = evaluate(index, request.query, scopeOf(database, accessible));
  const { ranked, compared } = rankByMeaning(database, hits, request);
  const read = (page: readonly number[]) => readFound(database, page, request.withAnnotations);
  return { ...pageOf(ranked, request, read), hits: size(hits), compared };
}

/** One page of images that are in order already. */
function pageOf(
  ranked: readonly { readonly ordinal: number; readonly similarity: number }[],
  { offset, limit }: Pick<SimilarityRequest, 'offset' | 'limit'>,
  read: (ordinals: readonly number[]) => readonly FoundImage[],
): SimilarityPage {
  const page = ranked.slice(offset, offset + limit);
  const similarities = new Map(page.map(({ ordinal, similarity }) => [ordinal, similarity]));
  return {
    total: ranked.length,
    images: read([...similarities.keys()]).map((image) => ({
      ...image,
      similarity: similarities.get(image.ordinal) ?? 0,
    })),
  };
}

/** The images that a credential may see: those of live projects in its reach. */
function scopeOf(database: Reader, { workspaceId, projectIds }: AccessibleProjects): Bitmap {
  const projects = database.all(
    'SELECT id, deleted_at IS NULL AS live FROM projects WHERE workspace_id = ?',
    [workspaceId],
    (row) => ({ id: row.text('id'), isLive: row.boolean('live') }),
  );
  const imagesOf = (some: readonly { readonly id: string }[]) =>
    readAny(
      database,
      some.map(({ id }) => term('project', id)),
      allChunks,
    );
  if (projectIds === undefined) {
    const all = readTerm(database, term('workspace', workspaceId), allChunks);
    // A database from before has no such term until its index changes.
    if (all.size > 0) return andNot(all, imagesOf(projects.filter(({ isLive }) => !isLive)));
  }
  const reachable = projectIds && new Set(projectIds);
  return imagesOf(projects.filter(({ id, isLive }) => isLive && (reachable?.has(id) ?? true)));
}

function isComplete(database: Reader): boolean {
  const sql = 'SELECT 1 AS n FROM image_ordinals WHERE indexed = 0 LIMIT 1';
  return database.get(sql, [], (row) => row.integer('n')) === undefined;
}

function oldest(
  index: Index,
  accessible: AccessibleProjects,
  query: Query,
  { afterOrdinal, countMax }: Oldest,
): readonly number[] {
  const hits = evaluate(index, query, scopeOf(index.database, accessible));
  const taken: number[] = [];
  for (const ordinal of ordinals(beyond(hits, afterOrdinal, 'above'), 'asc')) {
    if (taken.length === countMax) break;
    taken.push(ordinal);
  }
  return taken;
}
