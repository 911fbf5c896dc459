// The index of image names, for substring searches: many names per row, since scanning a million of
// them takes some 40 ms.

import { limits } from '../../../limits.ts';
import { nameEnd, nameStart } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { Reader } from '../../../storage/database.ts';
import type { Migration } from '../../../storage/migrations.ts';
import { and, type Bitmap, chunkWords, hasBit, placeOf, setBit } from './bitmap.ts';

/**
 * Names in one row, between the marks of their ends. Behind each stand two control characters, its
 * place in the row in digits of base 16: no name has any of them.
 */
const namesInRow = 256;

export const nameChunkTables: Migration = {
  name: 'search-name-chunks',
  sql: `
CREATE TABLE search_name_chunks (chunk INTEGER PRIMARY KEY, names TEXT NOT NULL) STRICT;
INSERT INTO search_name_chunks (chunk, names)
  SELECT ordinal / 256,
    group_concat(char(2) || name || char(3, 4 + ordinal % 256 / 16, 4 + ordinal % 16), '')
  FROM search_names GROUP BY ordinal / 256;
`,
  postgres: '',
};

/** Stores the folded names of images, within the caller's transaction; undefined removes one. */
export async function keepNames(
  database: AsyncDatabase,
  names: ReadonlyMap<number, string | undefined>,
): Promise<void> {
  const kept = new Map(
    await database.all(
      'SELECT ordinal, name FROM search_names WHERE ordinal IN (SELECT value FROM json_each(?))',
      [JSON.stringify([...names.keys()])],
      (row) => [row.integer('ordinal'), row.text('name')],
    ),
  );
  const changed = [...names].filter(([ordinal, name]) => kept.get(ordinal) !== name);
  if (changed.length === 0) return;
  const removed = changed.map(([ordinal]) => ordinal).filter((ordinal) => kept.has(ordinal));
  if (removed.length > 0) {
    const these = 'IN (SELECT value FROM json_each(?))';
    const list = [JSON.stringify(removed)];
    await database.run(`DELETE FROM search_names WHERE ordinal ${these}`, list);
    await database.run(`DELETE FROM search_trigrams WHERE rowid ${these}`, list);
  }
  const added = changed.flatMap(([ordinal, name]) =>
    name === undefined ? [] : [{ ordinal, name }],
  );
  if (added.length > 0) {
    const from = "SELECT value ->> 'ordinal', value ->> 'name' FROM json_each(?)";
    const marked = "SELECT value ->> 'ordinal', char(2) || (value ->> 'name') || char(3)";
    const list = [JSON.stringify(added)];
    await database.run(`INSERT INTO search_names (ordinal, name) ${from}`, list);
    await database.run(
      `INSERT INTO search_trigrams (rowid, name) ${marked} FROM json_each(?)`,
      list,
    );
  }
  await keepInChunks(database, changed, new Set(removed));
}

/** `removed`: those that stand in a row now. */
async function keepInChunks(
  database: AsyncDatabase,
  changed: readonly (readonly [number, string | undefined])[],
  removed: ReadonlySet<number>,
): Promise<void> {
  const chunks = Map.groupBy(changed, ([ordinal]) => Math.floor(ordinal / namesInRow));
  for (const [chunk, ofChunk] of chunks) {
    const sql = 'SELECT names FROM search_name_chunks WHERE chunk = ?';
    let names = (await database.get(sql, [chunk], (row) => row.text('names'))) ?? '';
    for (const [ordinal, name] of ofChunk) {
      const mark = nameEnd + placeMark(ordinal % namesInRow);
      if (removed.has(ordinal)) {
        const at = names.indexOf(mark);
        names = names.slice(0, names.lastIndexOf(nameStart, at)) + names.slice(at + mark.length);
      }
      if (name !== undefined) names += nameStart + name + mark;
    }
    if (names === '') await database.run('DELETE FROM search_name_chunks WHERE chunk = ?', [chunk]);
    else {
      await database.run(
        `INSERT INTO search_name_chunks (chunk, names) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET names = excluded.names`,
        [chunk, names],
      );
    }
  }
}

/** What a name must have. */
export interface NameMatch {
  /** Stand in such a name one after the other; the marks of its ends may be part of them. */
  readonly pieces: readonly string[];
  /** Told the name with its marks; undefined: the pieces are all. */
  readonly fits: ((name: string) => boolean) | undefined;
}

/** Those of a set whose names match. */
export function findInNames(database: Reader, within: Bitmap, match: NameMatch): Bitmap {
  const found = new Map<number, Uint32Array>();
  for (const chunk of within.keys()) {
    const words = new Uint32Array(chunkWords);
    for (const { first, names } of readRows(database, chunk)) {
      setMatches(words, first, names, match);
    }
    found.set(chunk, words);
  }
  return and(within, found);
}

/** The names of a chunk of the index, with the number of the first image of each row. */
function readRows(database: Reader, chunk: number, direction: 'asc' | 'desc' = 'asc') {
  const rows = limits.searchChunkImages / namesInRow;
  return database.all(
    `SELECT chunk, names FROM search_name_chunks WHERE chunk >= ? AND chunk < ?
     ORDER BY chunk ${direction === 'asc' ? 'ASC' : 'DESC'}`,
    [chunk * rows, (chunk + 1) * rows],
    (row) => ({ first: row.integer('chunk') * namesInRow, names: row.text('names') }),
  );
}

function setMatches(
  words: Uint32Array,
  first: number,
  names: string,
  { pieces: [piece = '', ...others], fits }: NameMatch,
): void {
  const places = others.map(() => -1);
  for (let at = names.indexOf(piece); at !== -1; ) {
    const end = names.indexOf(nameEnd, at);
    const beyond = findBeyond(names, others, places, at + piece.length, end);
    if (beyond === -1) return;
    if (beyond !== undefined) {
      at = names.indexOf(piece, names.lastIndexOf(nameStart, beyond));
      continue;
    }
    if (!fits || fits(names.slice(names.lastIndexOf(nameStart, at), end + 1))) {
      setBit(words, placeOf(first + readPlace(names, end + 1)), true);
    }
    at = names.indexOf(piece, end);
  }
}

/**
 * Undefined where all pieces stand between two places, one after the other. Else where one of them
 * stands first behind these places: names before that one have it not; -1 where none has.
 * `places`: where each piece was found before.
 */
function findBeyond(
  names: string,
  pieces: readonly string[],
  places: number[],
  from: number,
  end: number,
): number | undefined {
  let next = from;
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? '';
    let place = places[at] ?? -1;
    if (place < next) {
      place = names.indexOf(piece, next);
      places[at] = place;
    }
    if (place === -1 || place > end) return place;
    next = place + piece.length;
  }
  return undefined;
}

export interface NameOrder {
  readonly direction: 'asc' | 'desc';
  /** The image after which to go on. */
  readonly after: NamedOrdinal | undefined;
  readonly countMax: number;
}

export interface NamedOrdinal {
  readonly value: string;
  readonly ordinal: number;
}

/** The first of a set in the order of their names: all names of the set are looked at. */
export function firstInNames(
  database: Reader,
  within: Bitmap,
  { direction, after, countMax }: NameOrder,
): readonly NamedOrdinal[] {
  const sign = direction === 'asc' ? 1 : -1;
  const isBehind = (names: string, start: number, ordinal: number, other: Place) =>
    sign * (compareNames(names, start, other.marked) || ordinal - other.ordinal) > 0;
  const start = after && toPlace(after);
  let kept: NamedOrdinal[] = [];
  let last: Place | undefined;
  const keepFirst = () => {
    kept = kept
      .toSorted((a, b) => sign * (compareValues(a, b) || a.ordinal - b.ordinal))
      .slice(0, countMax);
    const end = kept[countMax - 1];
    last = end && toPlace(end);
  };
  // Names often grow with their numbers: so the first ones are met early.
  for (const [chunk, words] of [...within].toSorted(([a], [b]) => sign * (a - b))) {
    for (const { first, names } of readRows(database, chunk, direction)) {
      for (let from = 1; from < names.length; ) {
        const end = names.indexOf(nameEnd, from);
        const ordinal = first + readPlace(names, end + 1);
        if (
          hasBit(words, placeOf(ordinal)) &&
          !(last && isBehind(names, from, ordinal, last)) &&
          (start === undefined || isBehind(names, from, ordinal, start))
        ) {
          kept.push({ value: names.slice(from, end), ordinal });
          if (kept.length >= countMax * 2) keepFirst();
        }
        from = end + markCharacters + 1;
      }
    }
  }
  keepFirst();
  return kept;
}

/** Where a name stands in the order. */
interface Place {
  /** With its end mark. */
  readonly marked: string;
  readonly ordinal: number;
}

function toPlace({ value, ordinal }: NamedOrdinal): Place {
  return { marked: value + nameEnd, ordinal };
}

function compareValues(a: NamedOrdinal, b: NamedOrdinal): number {
  return compareNames(a.value + nameEnd, 0, b.value + nameEnd);
}

/** As SQLite compares them, by code points; both end with their marks. */
function compareNames(text: string, start: number, name: string): number {
  for (let at = 0; at < name.length; at += 1) {
    const one = text.charCodeAt(start + at);
    const other = name.charCodeAt(at);
    if (one !== other) return rankOf(one) - rankOf(other);
  }
  return 0;
}

/** A half of a character beyond 16 bits comes after all others. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** The first of the control characters that are digits: those before it are marks. */
const zero = 4;

/** The end of a name and the place behind it. */
const markCharacters = 3;

function placeMark(place: number): string {
  return String.fromCharCode(zero + Math.floor(place / 16), zero + (place % 16));
}

function readPlace(names: string, at: number): number {
  return (names.charCodeAt(at) - zero) * 16 + names.charCodeAt(at + 1) - zero;
}
