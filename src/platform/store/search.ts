// The search index and its questions.

import type { Descriptor } from '../../imaging/descriptor.ts';
import { term } from '../../query-language/index-terms.ts';
import type { After, Query, SearchRequest } from '../../query-language/query.ts';
import type { Database } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { type Bitmap, beyond, ordinals, size, unite } from '../search/bitmap.ts';
import type { NameKind } from '../search/missing-names.ts';
import { type CatalogStore, catalogStore } from './catalog.ts';
import { evaluate, type Index } from './evaluate.ts';
import { type FoundImage, readFound } from './found-images.ts';
import { describeImage, indexImages } from './image-index.ts';
import { rankByLikeness, readDescriptor } from './likeness.ts';
import type { Reader } from './reader.ts';
import { allChunks, listTermsFrom, readTerms } from './search-chunks.ts';
import { type SearchExportStore, searchExportStore } from './search-exports.ts';
import { orderImages } from './search-order.ts';
import type { FencedTransaction } from './store.ts';

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

CREATE TABLE search_exports (
  task_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces, name TEXT NOT NULL,
  hash TEXT, bytes INTEGER NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX search_exports_hash ON search_exports (hash);
`,
};

/** Which of these rows point at a blob. */
export const searchBlobs: readonly string[] = ['SELECT 1 FROM search_exports WHERE hash = ?'];

/** What a credential may see. */
export interface Reach {
  readonly workspaceId: string;
  /** Undefined: all live projects. */
  readonly projectIds: readonly string[] | undefined;
}

export interface SearchPage {
  /** How many images are found in all. */
  readonly total: number;
  /** Fewer than were asked for, where their annotations are large. */
  readonly images: readonly FoundImage[];
  /** Undefined: this is the last page. */
  readonly next: After | undefined;
  /** Whether all images of this platform are in the index. */
  readonly isComplete: boolean;
}

export interface LikePage {
  /** How many images can be paged through: the most similar of those that the query finds. */
  readonly total: number;
  readonly images: readonly (FoundImage & { readonly similarity: number })[];
}

export interface LikeRequest {
  readonly descriptor: Descriptor;
  /** Which images may be found. */
  readonly query: Query;
  readonly offset: number;
  readonly limit: number;
  readonly withAnnotations: boolean;
}

export interface SearchStore {
  find(reach: Reach, request: SearchRequest): Promise<SearchPage>;
  /** All images that a query finds, oldest first, in pages. */
  ids(
    reach: Reach,
    query: Query,
    afterOrdinal: number,
    countMax: number,
  ): Promise<readonly FoundId[]>;
  /** The same, with their rows and annotations. */
  found(
    reach: Reach,
    query: Query,
    afterOrdinal: number,
    countMax: number,
  ): Promise<readonly FoundImage[]>;
  /** How many images a query finds. */
  count(reach: Reach, query: Query): Promise<number>;
  /** The classes or tags of all images in reach; undefined where there are too many to read. */
  names(reach: Reach, kind: NameKind): Promise<readonly string[] | undefined>;
  /** The images that look most like a picture, the most similar first. */
  like(reach: Reach, request: LikeRequest): Promise<LikePage>;
  descriptorOf(imageId: string): Promise<Descriptor | undefined>;
  setDescriptor(imageId: string, descriptor: Descriptor, fenced?: FencedTransaction): Promise<void>;
  /** Images that came before there was an index, or before it had descriptors; not `except`. */
  unindexed(countMax: number, except?: readonly string[]): Promise<readonly UnindexedImage[]>;
  index(imageIds: readonly string[], fenced: FencedTransaction): Promise<void>;
  readonly catalog: CatalogStore;
  readonly exports: SearchExportStore;
}

export interface UnindexedImage {
  readonly imageId: string;
  readonly hash: string;
}

export function searchStore(database: Database, queue: TaskQueue, reader: Reader): SearchStore {
  return {
    find: (reach, request) =>
      reader.read(reach.workspaceId, { name: 'find', asked: [reach, request] }),
    ids: (reach, query, afterOrdinal, countMax) =>
      reader.read(reach.workspaceId, {
        name: 'ids',
        asked: [reach, query, { afterOrdinal, countMax }],
      }),
    found: (reach, query, afterOrdinal, countMax) =>
      reader.read(reach.workspaceId, {
        name: 'found',
        asked: [reach, query, { afterOrdinal, countMax }],
      }),
    count: (reach, query) =>
      reader.read(reach.workspaceId, { name: 'count', asked: [reach, query] }),
    names: (reach, kind) => reader.read(reach.workspaceId, { name: 'names', asked: [reach, kind] }),
    like: (reach, request) =>
      reader.read(reach.workspaceId, { name: 'like', asked: [reach, request] }),
    descriptorOf: async (imageId) => readDescriptor(database, imageId),
    setDescriptor: async (imageId, descriptor, fenced = (writes) => writes()) =>
      fenced(() => describeImage(database, imageId, descriptor)),
    unindexed: async (countMax, except = []) =>
      database.all(
        `SELECT o.image_id, i.hash FROM image_ordinals o JOIN images i ON i.id = o.image_id
         WHERE o.indexed = 0 AND o.image_id NOT IN (SELECT value FROM json_each(?))
         ORDER BY o.ordinal LIMIT ?`,
        [JSON.stringify(except), countMax],
        (row) => ({ imageId: row.text('image_id'), hash: row.text('hash') }),
      ),
    index: async (imageIds, fenced) => fenced(() => indexImages(database, imageIds)),
    catalog: catalogStore(reader),
    exports: searchExportStore(database, queue),
  };
}

/** Of what is found, the oldest ones behind an image. */
export interface Oldest {
  readonly afterOrdinal: number;
  readonly countMax: number;
}

export interface FoundId {
  readonly ordinal: number;
  readonly imageId: string;
}

export function findImages(index: Index, reach: Reach, request: SearchRequest): SearchPage {
  const { database } = index;
  const hits = evaluate(index, request.query, scopeOf(database, reach));
  const { offset, limit, withAnnotations } = request;
  const placed = orderImages(database, hits, request, offset + limit + 1).slice(offset);
  const page = placed.slice(0, limit).map(({ ordinal }) => ordinal);
  const images = readFound(database, page, withAnnotations);
  return {
    total: size(hits),
    images,
    next: placed.length > images.length ? placed[images.length - 1] : undefined,
    isComplete: isComplete(database),
  };
}

export function foundIds(
  index: Index,
  reach: Reach,
  query: Query,
  wanted: Oldest,
): readonly FoundId[] {
  return index.database.all(
    `SELECT ordinal, image_id FROM image_ordinals
     WHERE ordinal IN (SELECT value FROM json_each(?)) ORDER BY ordinal`,
    [JSON.stringify(oldest(index, reach, query, wanted))],
    (row) => ({ ordinal: row.integer('ordinal'), imageId: row.text('image_id') }),
  );
}

export function foundRows(
  index: Index,
  reach: Reach,
  query: Query,
  wanted: Oldest,
): readonly FoundImage[] {
  return readFound(index.database, oldest(index, reach, query, wanted), true);
}

export function countFound(index: Index, reach: Reach, query: Query): number {
  return size(evaluate(index, query, scopeOf(index.database, reach)));
}

export function listNames({ database }: Index, reach: Reach, kind: NameKind) {
  const prefix = `${kind}:`;
  const terms = listTermsFrom(database, prefix, scopeOf(database, reach));
  return terms?.map((name) => name.slice(prefix.length));
}

export function findLike(index: Index, reach: Reach, request: LikeRequest): LikePage {
  const { database } = index;
  const hits = evaluate(index, request.query, scopeOf(database, reach));
  const ranked = rankByLikeness(database, hits, request.descriptor);
  const page = ranked.slice(request.offset, request.offset + request.limit);
  const similarities = new Map(page.map(({ ordinal, similarity }) => [ordinal, similarity]));
  const images = readFound(database, [...similarities.keys()], request.withAnnotations);
  return {
    total: ranked.length,
    images: images.map((image) => ({
      ...image,
      similarity: similarities.get(image.ordinal) ?? 0,
    })),
  };
}

/** The images that a credential may see: those of live projects in its reach. */
function scopeOf(database: Database, { workspaceId, projectIds }: Reach): Bitmap {
  const live = database.all(
    'SELECT id FROM projects WHERE workspace_id = ? AND deleted_at IS NULL',
    [workspaceId],
    (row) => row.text('id'),
  );
  const reachable = projectIds && new Set(projectIds);
  const terms = live.filter((id) => reachable?.has(id) ?? true).map((id) => term('project', id));
  return unite([...readTerms(database, terms, allChunks).values()].flatMap((set) => [...set]));
}

function isComplete(database: Database): boolean {
  const sql = 'SELECT 1 AS n FROM image_ordinals WHERE indexed = 0 LIMIT 1';
  return database.get(sql, [], (row) => row.integer('n')) === undefined;
}

function oldest(
  index: Index,
  reach: Reach,
  query: Query,
  { afterOrdinal, countMax }: Oldest,
): readonly number[] {
  const hits = evaluate(index, query, scopeOf(index.database, reach));
  const taken: number[] = [];
  for (const ordinal of ordinals(beyond(hits, afterOrdinal, 'above'), 'asc')) {
    if (taken.length === countMax) break;
    taken.push(ordinal);
  }
  return taken;
}
