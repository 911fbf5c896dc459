// Sorts the results of a search, as far as a page needs it.

import { limits } from '../../../limits.ts';
import type {
  After,
  SearchRequest,
  WorstFirst,
} from '../../../query-language/query-syntax-tree.ts';
import type { Reader } from '../../../storage/database.ts';
import { judgedPlaces } from '../judged-images.ts';
import { orderByNumber } from './bit-sliced-index.ts';
import { type Bitmap, beyond, has, ordinals, size } from './bitmap.ts';
import { type Index, readSlices } from './evaluate-query.ts';
import { firstInNames, type NamedOrdinal, type NameOrder } from './name-index.ts';
import { rangeOf } from './term-bitmaps.ts';

/**
 * The first images of a set in an order, those behind `after` and `offset` more: at most
 * `countMax`. Of images that are equal in it the newest comes first; of equal names the order goes
 * on in their own direction.
 */
export function orderImages(
  index: Index,
  hits: Bitmap,
  { sort, after, offset }: OrderedSearch,
  countMax: number,
): readonly After[] {
  if (hits.size === 0) return [];
  if (sort.key === 'worst') {
    return orderByPlace(index.database, hits, sort, after).slice(offset, offset + countMax);
  }
  const { key, direction } = sort;
  if (key === 'created') return orderByAge(hits, direction, { after, offset }, countMax);
  const limit = offset + countMax;
  if (key === 'name') {
    const named = after && { value: String(after.value), ordinal: after.ordinal };
    const order = { direction, after: named, countMax: limit };
    return orderByName(index, hits, order).slice(offset);
  }
  const field = key === 'annotations' ? 'objects' : key;
  return orderByNumber(readSlices(index.database, field, rangeOf(hits)), hits, {
    direction,
    after: after && { value: Number(after.value), ordinal: after.ordinal },
    limit,
  }).slice(offset);
}

type OrderedSearch = Pick<SearchRequest, 'sort' | 'after' | 'offset'>;

/** In the order of an evaluation, which is short beside a platform. */
function orderByPlace(
  database: Reader,
  hits: Bitmap,
  sort: WorstFirst,
  after: After | undefined,
): readonly After[] {
  const { sql, values } = judgedPlaces(sort);
  return database
    .all(
      `SELECT placed.place, image_ordinals.ordinal FROM (${sql}) AS placed
         CROSS JOIN image_ordinals USING (image_id)
       WHERE placed.place > ? ORDER BY placed.place`,
      [...values, Number(after?.value ?? 0)],
      (row) => ({ value: row.integer('place'), ordinal: row.integer('ordinal') }),
    )
    .filter(({ ordinal }) => has(hits, ordinal));
}

function orderByAge(
  hits: Bitmap,
  direction: 'asc' | 'desc',
  { after, offset }: Pick<SearchRequest, 'after' | 'offset'>,
  countMax: number,
): readonly After[] {
  const rest = after ? beyond(hits, after.ordinal, direction === 'asc' ? 'above' : 'below') : hits;
  const found: After[] = [];
  for (const ordinal of ordinals(rest, direction, offset)) {
    if (found.length === countMax) break;
    found.push({ value: ordinal, ordinal });
  }
  return found;
}

/**
 * Few names are read and sorted; for many, the order of all names is walked. Where that goes
 * through too many others, for example since all hits come late in it, all hits are looked at.
 */
function orderByName(
  { database, bounds }: Index,
  hits: Bitmap,
  order: NameOrder,
): readonly After[] {
  const count = size(hits);
  if (count <= bounds.sparseMax) {
    return readNames(database, order, JSON.stringify([...ordinals(hits, 'asc')]), order.countMax);
  }
  const names = database.get('SELECT max(ordinal) AS n FROM search_names', [], (row) =>
    row.optionalInteger('n'),
  );
  const walkedMax = Math.max(bounds.walkedMin, (names ?? 0) * limits.searchWalkedShare);
  const isNear = (order.countMax * (names ?? 0)) / count <= walkedMax;
  const walked = isNear ? walkNames(database, hits, order, walkedMax) : undefined;
  return walked ?? firstInNames(database, hits, order);
}

/** Undefined where the page is not full after so many names. */
function walkNames(
  database: Reader,
  hits: Bitmap,
  { direction, after, countMax }: NameOrder,
  walkedMax: number,
): readonly After[] | undefined {
  const found: After[] = [];
  let last = after;
  for (let walked = 0; walked < walkedMax; walked += limits.searchPageMax) {
    const rest = { direction, after: last, countMax };
    const rows = readNames(database, rest, undefined, limits.searchPageMax);
    for (const row of rows) {
      if (has(hits, row.ordinal)) found.push(row);
      if (found.length === countMax) return found;
    }
    last = rows.at(-1);
    if (last === undefined || rows.length < limits.searchPageMax) return found;
  }
  return undefined;
}

/** The next names in their order: of all images, or of some. */
function readNames(
  database: Reader,
  { direction, after }: NameOrder,
  wanted: string | undefined,
  countMax: number,
): readonly NamedOrdinal[] {
  const isUp = direction === 'asc';
  const order = isUp ? 'name, ordinal' : 'name DESC, ordinal DESC';
  const conditions = [
    ...(after ? [`(name, ordinal) ${isUp ? '>' : '<'} (?, ?)`] : []),
    ...(wanted === undefined ? [] : ['ordinal IN (SELECT value FROM json_each(?))']),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  // Else SQLite may walk all names in their order for those that are wanted.
  const using = wanted === undefined ? 'INDEXED BY search_names_order' : 'NOT INDEXED';
  return database.all(
    `SELECT name, ordinal FROM search_names ${using} ${where} ORDER BY ${order} LIMIT ?`,
    [
      ...(after ? [after.value, after.ordinal] : []),
      ...(wanted === undefined ? [] : [wanted]),
      countMax,
    ],
    (row) => ({ value: row.text('name'), ordinal: row.integer('ordinal') }),
  );
}
