// Searches the images of a workspace on PostgreSQL. All reads of one search see one state.

import { limits } from '../../../limits.ts';
import type {
  After,
  Query,
  SearchRequest,
  Sort,
  WorstFirst,
} from '../../../query-language/query-syntax-tree.ts';
import type { AsyncReader } from '../../../storage/async-database.ts';
import { judgedPlaces } from '../../database/judged-images.ts';
import type { NearestPage, NearestRequest } from '../../store/embeddings.ts';
import type {
  AccessibleProjects,
  FoundId,
  FoundImage,
  NameKind,
  Oldest,
  SearchPage,
  SimilarityPage,
  SimilarityRequest,
} from '../../store/search.ts';
import { type Condition, conditionOf, joined, lexeme, numberOf } from './conditions.ts';
import { readFound } from './found-images.ts';
import { textList } from './list-text.ts';
import { rankByMeaning } from './nearest-images.ts';
import { rankBySimilarity } from './similarity-index.ts';

/** Images beyond `countMax` are not counted. */
export async function findImages(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  request: SearchRequest,
  countMax: number = limits.serverTotalMax,
): Promise<SearchPage> {
  const hits = await hitsOf(reader, accessible, request.query);
  const { limit, withAnnotations } = request;
  const { total, isTotalExact } = await countSome(reader, hits, countMax);
  const placed = total === 0 ? [] : await orderImages(reader, hits, request, limit + 1);
  const page = placed.slice(0, limit).map(({ ordinal }) => ordinal);
  const images = await readFound(reader, page, withAnnotations);
  return {
    total,
    isTotalExact,
    images,
    next: placed.length > images.length ? placed[images.length - 1] : undefined,
    isComplete: await isComplete(reader),
  };
}

export async function foundIds(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  query: Query,
  { afterOrdinal, countMax }: Oldest,
): Promise<readonly FoundId[]> {
  const { sql, values } = await hitsOf(reader, accessible, query);
  return reader.all(
    `SELECT s.ordinal, s.image_id FROM image_search s WHERE ${sql} AND s.ordinal > ?
     ORDER BY s.ordinal LIMIT ?`,
    [...values, afterOrdinal, countMax],
    (row) => ({ ordinal: row.integer('ordinal'), imageId: row.text('image_id') }),
  );
}

export async function foundRows(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  query: Query,
  wanted: Oldest,
): Promise<readonly FoundImage[]> {
  const ids = await foundIds(reader, accessible, query, wanted);
  return readFound(
    reader,
    ids.map(({ ordinal }) => ordinal),
    true,
  );
}

export async function countFound(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  query: Query,
): Promise<number> {
  return countHits(reader, await hitsOf(reader, accessible, query));
}

/** Undefined where there are too many to read. */
export async function listNames(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  kind: NameKind,
): Promise<readonly string[] | undefined> {
  const prefix = kind.endsWith('=') ? kind : `${kind}:`;
  const scope = await scopeOf(reader, accessible);
  const names = await reader.all(
    `SELECT DISTINCT term FROM image_search_names
     WHERE project_id = ANY(?::text[]) AND term >= ? AND term < ? ORDER BY term LIMIT ?`,
    [textList(scope.projectIds), prefix, `${prefix}\u{10ffff}`, limits.searchKnownNamesMax + 1],
    (row) => row.text('term'),
  );
  if (names.length > limits.searchKnownNamesMax) return undefined;
  const { sql, values } = scope.condition;
  const known = await reader.all(
    `SELECT key FROM json_each(?::text) AS wanted
     WHERE EXISTS (SELECT 1 FROM image_search s WHERE ${sql} AND s.terms @@ wanted.value::tsquery)
     ORDER BY key`,
    [JSON.stringify(names.map(lexeme)), ...values],
    (row) => row.integer('key'),
  );
  return known.map((place) => (names[place] ?? '').slice(prefix.length));
}

export async function findSimilar(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  request: SimilarityRequest,
): Promise<SimilarityPage> {
  const hits = await hitsOf(reader, accessible, request.query);
  return pageOf(reader, await rankBySimilarity(reader, hits, request.descriptor), request);
}

export async function findNearest(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  request: NearestRequest,
): Promise<NearestPage> {
  const condition = await hitsOf(reader, accessible, request.query);
  const hits = await countHits(reader, condition);
  const { ranked, compared } = await rankByMeaning(reader, condition, hits, request);
  return { ...(await pageOf(reader, ranked, request)), hits, compared };
}

/** One page of images that are in order already. */
async function pageOf(
  reader: AsyncReader,
  ranked: readonly { readonly ordinal: number; readonly similarity: number }[],
  { offset, limit, withAnnotations }: Omit<SimilarityRequest, 'descriptor' | 'query'>,
): Promise<SimilarityPage> {
  const page = ranked.slice(offset, offset + limit);
  const similarities = new Map(page.map(({ ordinal, similarity }) => [ordinal, similarity]));
  const images = await readFound(reader, [...similarities.keys()], withAnnotations);
  return {
    total: ranked.length,
    images: images.map((image) => ({
      ...image,
      similarity: similarities.get(image.ordinal) ?? 0,
    })),
  };
}

/** What a query finds of what a credential may see. */
async function hitsOf(
  reader: AsyncReader,
  accessible: AccessibleProjects,
  query: Query,
): Promise<Condition> {
  const { condition, projectIds } = await scopeOf(reader, accessible);
  return joined([condition, await conditionOf(reader, query, projectIds)], 'AND');
}

/** The images that a credential may see, and the live projects in its reach. */
async function scopeOf(
  reader: AsyncReader,
  { workspaceId, projectIds: reachable }: AccessibleProjects,
): Promise<{ readonly condition: Condition; readonly projectIds: readonly string[] }> {
  const projects = await reader.all(
    'SELECT id, deleted_at IS NULL AS live FROM projects WHERE workspace_id = ?',
    [workspaceId],
    (row) => ({ id: row.text('id'), isLive: row.boolean('live') }),
  );
  const wanted = reachable && new Set(reachable);
  const live = projects.filter(({ id, isLive }) => isLive && (wanted?.has(id) ?? true));
  const projectIds = live.map(({ id }) => id);
  const inWorkspace = { sql: 's.workspace_id = ?', values: [workspaceId] };
  if (live.length === projects.length) return { condition: inWorkspace, projectIds };
  const inProjects = { sql: 's.project_id = ANY(?::text[])', values: [textList(projectIds)] };
  return { condition: joined([inWorkspace, inProjects], 'AND'), projectIds };
}

async function countHits(reader: AsyncReader, { sql, values }: Condition): Promise<number> {
  const count = await reader.get(
    `SELECT count(*) AS n FROM image_search s WHERE ${sql}`,
    values,
    (row) => row.integer('n'),
  );
  return count ?? 0;
}

/** To count all takes the longer, the more there are: 25 s of a hundred million. */
async function countSome(
  reader: AsyncReader,
  { sql, values }: Condition,
  most: number,
): Promise<Pick<SearchPage, 'total' | 'isTotalExact'>> {
  const found = await reader.get(
    `SELECT count(*) AS n FROM (SELECT 1 FROM image_search s WHERE ${sql} LIMIT ?) AS found`,
    [...values, most + 1],
    (row) => row.integer('n'),
  );
  const total = Math.min(found ?? 0, most);
  return { total, isTotalExact: found === undefined || found <= most };
}

/**
 * The first images of a set in an order, those behind `after` and `offset` more: at most
 * `countMax`. Of images that are equal in it the newest comes first; of equal names the order goes
 * on in their own direction.
 */
async function orderImages(
  reader: AsyncReader,
  hits: Condition,
  { sort, after, offset }: Pick<SearchRequest, 'sort' | 'after' | 'offset'>,
  countMax: number,
): Promise<readonly After[]> {
  const isNamed = sort.key === 'name';
  const { value, order, behind, beside } = orderOf(sort, after);
  const wanted = behind ? joined([hits, behind], 'AND') : hits;
  return reader.all(
    `SELECT ${value.sql} AS value, s.ordinal FROM image_search s ${beside?.sql ?? ''}
     WHERE ${wanted.sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
    [...value.values, ...(beside?.values ?? []), ...wanted.values, countMax, offset],
    (row) => ({
      value: isNamed ? row.text('value') : row.integer('value'),
      ordinal: row.integer('ordinal'),
    }),
  );
}

interface Order {
  /** What is sorted by. */
  readonly value: Condition;
  readonly order: string;
  /** What comes behind the image to go on after. */
  readonly behind: Condition | undefined;
  /** A join of what the images are sorted by. */
  readonly beside?: Condition;
}

function orderOf(sort: Sort | WorstFirst, after: After | undefined): Order {
  if (sort.key === 'worst') return orderByPlace(sort, after);
  const { key, direction } = sort;
  const isUp = direction === 'asc';
  const sign = isUp ? '>' : '<';
  if (key === 'created') {
    const behind = after && { sql: `s.ordinal ${sign} ?`, values: [after.ordinal] };
    return { value: { sql: 's.ordinal', values: [] }, order: `s.ordinal ${direction}`, behind };
  }
  if (key === 'name') {
    return {
      value: { sql: 's.name', values: [] },
      order: `s.name ${direction}, s.ordinal ${direction}`,
      behind: after && {
        sql: `(s.name, s.ordinal) ${sign} (?, ?)`,
        values: [String(after.value), after.ordinal],
      },
    };
  }
  const value = numberOf(key === 'annotations' ? 'objects' : key);
  const last = Number(after?.value);
  return {
    value,
    order: `value ${direction}, s.ordinal DESC`,
    behind: after && {
      sql: `${value.sql} ${sign} ? OR (${value.sql} = ? AND s.ordinal < ?)`,
      values: [...value.values, last, ...value.values, last, after.ordinal],
    },
  };
}

/** In the order of an evaluation. */
function orderByPlace(sort: WorstFirst, after: After | undefined): Order {
  const { sql, values } = judgedPlaces(sort);
  return {
    value: { sql: 'placed.place', values: [] },
    order: 'placed.place',
    behind: after && { sql: 'placed.place > ?', values: [Number(after.value)] },
    beside: { sql: `JOIN (${sql}) AS placed ON placed.image_id = s.image_id`, values },
  };
}

async function isComplete(reader: AsyncReader): Promise<boolean> {
  const sql = 'SELECT 1 AS n FROM image_ordinals WHERE indexed = 0 LIMIT 1';
  return (await reader.get(sql, [], (row) => row.integer('n'))) === undefined;
}
