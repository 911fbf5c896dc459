// The index of image names, for substring searches: many names per row, since scanning a million of
// them takes some 40 ms.

import { limits } from '../../../limits.ts';
import { nameEnd, nameStart } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { Reader } from '../../../storage/database.ts';
import type { Migration } from '../../../storage/migrations.ts';
import { and, type Bitmap, chunkWords, placeOf, setBit } from './bitmap.ts';

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
  /** Stands in each such name; the marks of its ends may be part of it. */
  readonly literal: string;
  /** Told the name with its marks; undefined: the literal is all. */
  readonly fits: ((name: string) => boolean) | undefined;
}

/** Those of a set whose names match. */
export function findInNames(database: Reader, within: Bitmap, match: NameMatch): Bitmap {
  const found = new Map<number, Uint32Array>();
  const rows = limits.searchChunkImages / namesInRow;
  for (const chunk of within.keys()) {
    const words = new Uint32Array(chunkWords);
    const texts = database.all(
      'SELECT chunk, names FROM search_name_chunks WHERE chunk >= ? AND chunk < ?',
      [chunk * rows, (chunk + 1) * rows],
      (row) => ({ first: row.integer('chunk') * namesInRow, names: row.text('names') }),
    );
    for (const { first, names } of texts) setMatches(words, first, names, match);
    found.set(chunk, words);
  }
  return and(within, found);
}

function setMatches(
  words: Uint32Array,
  first: number,
  names: string,
  { literal, fits }: NameMatch,
): void {
  for (let at = names.indexOf(literal); at !== -1; ) {
    const end = names.indexOf(nameEnd, at);
    if (!fits || fits(names.slice(names.lastIndexOf(nameStart, at), end + 1))) {
      setBit(words, placeOf(first + readPlace(names, end + 1)), true);
    }
    at = names.indexOf(literal, end);
  }
}

/** The first of the control characters that are digits: those before it are marks. */
const zero = 4;

function placeMark(place: number): string {
  return String.fromCharCode(zero + Math.floor(place / 16), zero + (place % 16));
}

function readPlace(names: string, at: number): number {
  return (names.charCodeAt(at) - zero) * 16 + names.charCodeAt(at + 1) - zero;
}
