// The inverted index: one bitmap per term and chunk of images.

import { limits } from '../../../limits.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { Reader, Row, SqlParameters } from '../../../storage/database.ts';
import { type Bitmap, chunkOf, chunkWords, countBits, placeOf, setBit, unite } from './bitmap.ts';

/** Bits of the index that change: term to the images that get it; below zero: that lose it. */
export type TermChanges = Map<string, number[]>;

export function noteChange(
  changes: TermChanges,
  term: string,
  ordinal: number,
  isSet: boolean,
): void {
  const change = isSet ? ordinal : -ordinal;
  const ofTerm = changes.get(term);
  if (ofTerm === undefined) changes.set(term, [change]);
  else ofTerm.push(change);
}

/** Writes changes within the caller's transaction. A term without images leaves nothing behind. */
export async function writeChanges(database: AsyncDatabase, changes: TermChanges): Promise<void> {
  if (changes.size === 0) return;
  const chunks = new Map<number, ChunkChanges>();
  for (const [name, id] of await ensureTerms(database, [...changes.keys()])) {
    const byChunk = Map.groupBy(changes.get(name) ?? [], (change) => chunkOf(Math.abs(change)));
    for (const [chunk, ofTerm] of byChunk) {
      const ofChunk: ChunkChanges = chunks.get(chunk) ?? new Map();
      chunks.set(chunk, ofChunk);
      ofChunk.set(id, ofTerm);
    }
  }
  const emptied: number[] = [];
  for (const [chunk, ofChunk] of chunks) {
    emptied.push(...(await writeChunk(database, chunk, ofChunk)));
  }
  if (emptied.length > 0) await removeUnused(database, emptied);
}

/** Ids of terms to what changes of them in one chunk. */
type ChunkChanges = Map<number, readonly number[]>;

/** The ids of terms; they are made where there are none. */
async function ensureTerms(
  database: AsyncDatabase,
  terms: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const known = await findTerms(database, terms);
  const missing = terms.filter((name) => !known.has(name));
  if (missing.length === 0) return known;
  const add = `INSERT INTO search_terms (term) SELECT value FROM json_each(?) RETURNING id, term`;
  return new Map([...known, ...(await database.all(add, [JSON.stringify(missing)], readId))]);
}

/** The ids of those terms that there are. */
export async function findTerms(
  database: AsyncDatabase,
  terms: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return new Map(await database.all(findIds, [JSON.stringify(terms)], readId));
}

const findIds = 'SELECT id, term FROM search_terms WHERE term IN (SELECT value FROM json_each(?))';

function readId(row: Row): [string, number] {
  return [row.text('term'), row.integer('id')];
}

/** Adds a term for the images of any of others, within the caller's transaction. */
export async function addUnion(
  database: AsyncDatabase,
  name: string,
  others: readonly string[],
): Promise<void> {
  const ids = [...(await findTerms(database, others)).values()];
  const images = unite(await database.all(findChunks, chunksOf(ids, allChunks), readChunk));
  if (images.size === 0) return;
  const id = (await ensureTerms(database, [name])).get(name) ?? 0;
  for (const [chunk, words] of images) {
    await putChunk(database, chunk, [{ id, bits: packBits(words, countBits(words)) }]);
  }
}

/** Gives the terms of which no bit is set any more in this chunk. */
async function writeChunk(
  database: AsyncDatabase,
  chunk: number,
  changes: ChunkChanges,
): Promise<readonly number[]> {
  const stored = new Map(
    await database.all(
      `SELECT term_id, bits FROM search_chunks
       WHERE chunk = ? AND term_id IN (SELECT value FROM json_each(?))`,
      [chunk, JSON.stringify([...changes.keys()])],
      (row) => [row.integer('term_id'), readBits(row.bytes('bits'))],
    ),
  );
  const emptied: number[] = [];
  const written: { readonly id: number; readonly bits: Uint8Array }[] = [];
  for (const [id, ofTerm] of changes) {
    const words = stored.get(id) ?? new Uint32Array(chunkWords);
    for (const change of ofTerm) setBit(words, placeOf(Math.abs(change)), change > 0);
    const count = countBits(words);
    if (count === 0) emptied.push(id);
    else written.push({ id, bits: packBits(words, count) });
  }
  await putChunk(database, chunk, written);
  if (emptied.length > 0) {
    await database.run(
      'DELETE FROM search_chunks WHERE chunk = ? AND term_id IN (SELECT value FROM json_each(?))',
      [chunk, JSON.stringify(emptied)],
    );
  }
  return emptied;
}

/** All in one statement: each takes its bits from where they lie among those of all. */
async function putChunk(
  database: AsyncDatabase,
  chunk: number,
  written: readonly { readonly id: number; readonly bits: Uint8Array }[],
): Promise<void> {
  let from = 1;
  const rows = written.map(({ id, bits }) => {
    const row = [id, from, bits.length];
    from += bits.length;
    return row;
  });
  await database.run(
    `INSERT INTO search_chunks (term_id, chunk, bits)
     SELECT value ->> 0, ?, substr(?, value ->> 1, value ->> 2) FROM json_each(?) WHERE true
     ON CONFLICT DO UPDATE SET bits = excluded.bits`,
    [chunk, Buffer.concat(written.map(({ bits }) => bits)), JSON.stringify(rows)],
  );
}

async function removeUnused(database: AsyncDatabase, ids: readonly number[]): Promise<void> {
  await database.run(
    `DELETE FROM search_terms WHERE id IN (SELECT value FROM json_each(?))
       AND NOT EXISTS (SELECT 1 FROM search_chunks WHERE term_id = search_terms.id)`,
    [JSON.stringify(ids)],
  );
}

/** Up to so many images of a chunk are a list of 16-bit places; more are all bits. */
const listMax = 128;

function packBits(words: Uint32Array, count: number): Uint8Array {
  if (count > listMax) return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  const places = new Uint16Array(count);
  let next = 0;
  for (const [at, word] of words.entries()) {
    for (let left = word; left !== 0; next += 1) {
      const bit = 31 - Math.clz32(left & -left);
      places[next] = at * 32 + bit;
      left &= ~(1 << bit);
    }
  }
  return new Uint8Array(places.buffer);
}

function readBits(bytes: Uint8Array): Uint32Array {
  if (bytes.length === chunkWords * 4) return new Uint32Array(bytes.slice().buffer);
  const words = new Uint32Array(chunkWords);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    setBit(words, (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256, true);
  }
  return words;
}

/** Which chunks are of interest. */
export interface ChunkRange {
  readonly first: number;
  readonly last: number;
}

export function rangeOf(bitmap: Bitmap): ChunkRange {
  let first = Number.MAX_SAFE_INTEGER;
  let last = 0;
  for (const chunk of bitmap.keys()) {
    first = Math.min(first, chunk);
    last = Math.max(last, chunk);
  }
  return { first, last };
}

export const allChunks: ChunkRange = { first: 0, last: Number.MAX_SAFE_INTEGER };

/** The images of one term. */
export function readTerm(database: Reader, term: string, range: ChunkRange): Bitmap {
  return new Map(
    database.all(
      `SELECT chunk, bits FROM search_chunks
       WHERE term_id = (SELECT id FROM search_terms WHERE term = ?) AND chunk BETWEEN ? AND ?`,
      [term, range.first, range.last],
      readChunk,
    ),
  );
}

/** The images of each of these terms; those without images are left out. */
export function readTerms(
  database: Reader,
  terms: readonly string[],
  range: ChunkRange,
): ReadonlyMap<string, Bitmap> {
  const ids = idsOf(database, terms);
  return new Map([...ids].map(([term, id]) => [term, readChunks(database, [id], range)]));
}

/** The images of any of these terms. */
export function readAny(database: Reader, terms: readonly string[], range: ChunkRange): Bitmap {
  return readChunks(database, [...idsOf(database, terms).values()], range);
}

function idsOf(database: Reader, terms: readonly string[]): ReadonlyMap<string, number> {
  return new Map(database.all(findIds, [JSON.stringify(terms)], readId));
}

/**
 * The images with any term that starts so; undefined where there are more such terms than it is
 * worth to read.
 */
export function readTermsFrom(
  database: Reader,
  prefix: string,
  range: ChunkRange,
  termsMax: number,
): Bitmap | undefined {
  const ids = database.all(
    'SELECT id FROM search_terms WHERE term >= ? AND term < ? LIMIT ?',
    [prefix, `${prefix}\u{10ffff}`, termsMax + 1],
    (row) => row.integer('id'),
  );
  return ids.length > termsMax ? undefined : readChunks(database, ids, range);
}

/** The images with any term of a kind that has these letters; undefined likewise. */
export function readTermsWith(
  database: Reader,
  kind: string,
  letters: string,
  range: ChunkRange,
  termsMax: number,
): Bitmap | undefined {
  const ids = database.all(
    'SELECT id FROM search_terms WHERE term >= ? AND term < ? AND instr(substr(term, ?), ?) > 0 LIMIT ?',
    // The kind has letters of its own.
    [kind, `${kind}\u{10ffff}`, kind.length + 1, letters, termsMax + 1],
    (row) => row.integer('id'),
  );
  return ids.length > termsMax ? undefined : readChunks(database, ids, range);
}

/** The terms that start so, among these images; undefined where there are too many to read. */
export function listTermsFrom(
  database: Reader,
  prefix: string,
  within: Bitmap,
): readonly string[] | undefined {
  const range = rangeOf(within);
  const terms = database.all(
    'SELECT id, term FROM search_terms WHERE term >= ? AND term < ? LIMIT ?',
    [prefix, `${prefix}\u{10ffff}`, limits.searchKnownNamesMax + 1],
    (row) => ({ id: row.integer('id'), term: row.text('term') }),
  );
  if (terms.length > limits.searchKnownNamesMax) return undefined;
  return terms.filter(({ id }) => isAmong(database, id, within, range)).map(({ term }) => term);
}

/** Whether any of these images has a term: most have it early, and nothing else of it is read. */
function isAmong(database: Reader, id: number, within: Bitmap, range: ChunkRange): boolean {
  let isFound = false;
  database.each(findChunks, chunksOf([id], range), (row) => {
    const [chunk, words] = readChunk(row);
    const wanted = within.get(chunk);
    isFound = wanted?.some((bits, at) => (bits & (words[at] ?? 0)) !== 0) ?? false;
    return !isFound;
  });
  return isFound;
}

/** The images that have any of these terms. */
function readChunks(database: Reader, ids: readonly number[], range: ChunkRange): Bitmap {
  return unite(database.all(findChunks, chunksOf(ids, range), readChunk));
}

const findChunks = `SELECT chunk, bits FROM search_chunks WHERE chunk BETWEEN ? AND ?
  AND term_id IN (SELECT value FROM json_each(?))`;

function chunksOf(ids: readonly number[], { first, last }: ChunkRange): SqlParameters {
  return [first, last, JSON.stringify(ids)];
}

function readChunk(row: Row): [number, Uint32Array] {
  return [row.integer('chunk'), readBits(row.bytes('bits'))];
}
