// Sorts the results of a search, as far as a page needs it.

import { limits } from '../../../limits.ts';
import type { After, Sort } from '../../../query-language/query-syntax-tree.ts';
import type { Reader } from '../../../storage/database.ts';
import { orderByNumber } from './bit-sliced-index.ts';
import { type Bitmap, beyond, has, ordinals, size } from './bitmap.ts';
import { readSlices } from './evaluate-query.ts';
import { rangeOf } from './term-bitmaps.ts';

/**
 * The first images of a set in an order, those behind `after`: at most `countMax`. Of images that
 * are equal in it the newest comes first; of equal names the order goes on in their own direction.
 */
export function orderImages(
  database: Reader,
  hits: Bitmap,
  { sort, after }: { readonly sort: Sort; readonly after: After | undefined },
  countMax: number,
): readonly After[] {
  if (hits.size === 0) return [];
  if (sort.key === 'created') return orderByAge(hits, sort.direction, after, countMax);
  if (sort.key === 'name') return orderByName(database, hits, sort.direction, after, countMax);
  const field = sort.key === 'annotations' ? 'objects' : sort.key;
  return orderByNumber(readSlices(database, field, rangeOf(hits)), hits, {
    direction: sort.direction,
    after: after && { value: Number(after.value), ordinal: after.ordinal },
    limit: countMax,
  });
}

function orderByAge(
  hits: Bitmap,
  direction: 'asc' | 'desc',
  after: After | undefined,
  countMax: number,
): readonly After[] {
  const rest = after ? beyond(hits, after.ordinal, direction === 'asc' ? 'above' : 'below') : hits;
  const found: After[] = [];
  for (const ordinal of ordinals(rest, direction)) {
    if (found.length === countMax) break;
    found.push({ value: ordinal, ordinal });
  }
  return found;
}

/** Few names are read and sorted; of many, the order of all names is walked. */
function orderByName(
  database: Reader,
  hits: Bitmap,
  direction: 'asc' | 'desc',
  after: After | undefined,
  countMax: number,
): readonly After[] {
  const found: After[] = [];
  const count = size(hits);
  const names = database.get('SELECT max(ordinal) AS n FROM search_names', [], (row) =>
    row.optionalInteger('n'),
  );
  const isSorted = count <= Math.max(countMax, (countMax * (names ?? 0)) / count);
  const wanted = isSorted ? JSON.stringify([...ordinals(hits, 'asc')]) : undefined;
  let last = after;
  for (;;) {
    const rows = readNames(database, direction, last, wanted);
    for (const row of rows) {
      if (found.length === countMax) return found;
      if (has(hits, row.ordinal)) found.push(row);
    }
    last = rows.at(-1);
    if (last === undefined || rows.length <= limits.searchPageMax) return found;
  }
}

/** The next names in their order: of all images, or of some. */
function readNames(
  database: Reader,
  direction: 'asc' | 'desc',
  after: After | undefined,
  wanted: string | undefined,
): readonly After[] {
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
      limits.searchPageMax + 1,
    ],
    (row) => ({ value: row.text('name'), ordinal: row.integer('ordinal') }),
  );
}
