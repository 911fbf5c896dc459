// Evaluates a query on the search index: the set of images that match.

import { limits } from '../../../limits.ts';
import type { JudgedCondition, Query } from '../../../query-language/query-syntax-tree.ts';
import {
  headDigits,
  headKind,
  isNumber,
  isTermWord,
  nameEnd,
  nameStart,
  partKind,
  slice,
  sliceBits,
  term,
  wordsOf,
} from '../../../query-language/search-terms.ts';
import type { Reader, SqlParameters } from '../../../storage/database.ts';
import { judgedImages } from '../judged-images.ts';
import { compare, type Slices } from './bit-sliced-index.ts';
import {
  and,
  andNot,
  type Bitmap,
  emptyBitmap,
  fromOrdinals,
  or,
  ordinals,
  size,
} from './bitmap.ts';
import { findInNames, type NameMatch } from './name-index.ts';
import {
  type ChunkRange,
  rangeOf,
  readAny,
  readTerm,
  readTerms,
  readTermsFrom,
  readTermsWith,
} from './term-bitmaps.ts';

/** From where on there is another way to the same answer, which is faster then. */
export interface SearchBounds {
  /** So many names are looked at one by one, without a look for their letters first. */
  readonly sparseMax: number;
  /** Of more names than these with the letters, all names are looked at in one pass. */
  readonly namesMax: number;
  /** Of more words of the platform with a start, the names are looked at. */
  readonly termsMax: number;
  /** For a page in the order of names, so many of all names are walked at least. */
  readonly walkedMin: number;
}

export const searchBounds: SearchBounds = {
  sparseMax: limits.searchSparseMax,
  namesMax: limits.searchNamesMax,
  termsMax: limits.searchPrefixTermsMax,
  walkedMin: limits.searchPageMax,
};

/** The index of a database. */
export interface Index {
  readonly database: Reader;
  readonly bounds: SearchBounds;
}

/** Those of `within` that a query finds. */
export function evaluate(index: Index, query: Query, within: Bitmap): Bitmap {
  const { database } = index;
  if (within.size === 0) return within;
  switch (query.kind) {
    case 'all':
      return within;
    case 'and':
      return query.parts
        .toSorted((a, b) => costOf(a) - costOf(b))
        .reduce((left, part) => evaluate(index, part, left), within);
    case 'or':
      return evaluateAny(index, query.parts, within);
    case 'not':
      return andNot(within, evaluate(index, query.part, within));
    case 'term':
      return and(within, readTerm(database, query.term, rangeOf(within)));
    case 'batch':
    case 'job': {
      const ids = idsNamed(database, query.kind, query.named);
      const terms = ids.map((id) => term(query.kind, id));
      return withAnyTerm(database, terms, within);
    }
    case 'evaluation':
      return and(within, judgedIn(database, query));
    case 'number': {
      const slices = readSlices(database, query.field, rangeOf(within));
      return compare(slices, within, query.operator, query.value);
    }
    case 'word':
      return findWord(index, query.word, query.isPrefix, within);
    case 'name':
      return findName(index, query.pattern, within);
  }
}

/** Terms are read together; names are looked at last, where nothing else has found the image. */
function evaluateAny(index: Index, parts: readonly Query[], within: Bitmap): Bitmap {
  const terms = parts.flatMap((part) => (part.kind === 'term' ? [part.term] : []));
  return parts
    .filter(({ kind }) => kind !== 'term')
    .toSorted((a, b) => costOf(a) - costOf(b))
    .reduce(
      (found, part) => or(found, evaluate(index, part, andNot(within, found))),
      withAnyTerm(index.database, terms, within),
    );
}

/** Names are looked at last, when few images are left. */
function costOf(query: Query): number {
  switch (query.kind) {
    case 'name':
      return 3;
    case 'word':
      return 2;
    case 'number':
      return 1;
    case 'and':
    case 'or':
      return Math.max(0, ...query.parts.map(costOf));
    case 'not':
      return costOf(query.part);
    default:
      return 0;
  }
}

/** Ids of the batches or jobs of this id or name, in all projects: `within` has those in reach. */
function idsNamed(database: Reader, kind: 'batch' | 'job', name: string): readonly string[] {
  const table = kind === 'batch' ? 'batches' : 'annotation_jobs';
  return database.all(
    `SELECT id FROM ${table} WHERE id = ?
     UNION SELECT t.id FROM projects p CROSS JOIN ${table} t ON t.project_id = p.id AND t.name = ?`,
    [name, name],
    (row) => row.text('id'),
  );
}

function judgedIn(database: Reader, condition: JudgedCondition): Bitmap {
  const { sql, values } = judgedImages(condition);
  const inIndex = `SELECT json_group_array(ordinal) AS found FROM image_ordinals
    WHERE image_id IN (${sql})`;
  return fromOrdinals(readOrdinals(database, inIndex, values).toSorted((a, b) => a - b));
}

/** The bits of a number, up to the highest that any image has. */
export function readSlices(database: Reader, field: string, range: ChunkRange): Slices {
  const names = Array.from({ length: sliceBits }, (_, bit) => slice(field, bit));
  const found = readTerms(database, names, range);
  const highest = names.findLastIndex((name) => found.has(name));
  return names.slice(0, highest + 1).map((name) => found.get(name) ?? emptyBitmap);
}

function findWord(index: Index, word: string, isPrefix: boolean, within: Bitmap): Bitmap {
  const { database } = index;
  const range = rangeOf(within);
  const name = term('word', word);
  const inTerms = isPrefix
    ? readTermsFrom(database, name, range, index.bounds.termsMax)
    : readTerm(database, name, range);
  const found = inTerms ? and(within, inTerms) : findStart(index, word, within);
  if (isPrefix ? !isNumber(word) : isTermWord(word)) return found;
  return or(found, findLongNumber(index, word, isPrefix, andNot(within, found)));
}

/** A number of more digits than terms have: by its first ones, and then in the names. */
function findLongNumber(index: Index, digits: string, isPrefix: boolean, within: Bitmap): Bitmap {
  const range = rangeOf(within);
  const head = headKind + digits.slice(0, headDigits);
  const heads = isPrefix
    ? readTermsFrom(index.database, head, range, index.bounds.termsMax)
    : readTerm(index.database, head, range);
  const rest = heads === undefined ? within : and(within, heads);
  if (isPrefix && digits.length <= headDigits && heads !== undefined) return rest;
  const shape = `[^0-9]${digits}${isPrefix ? '' : '[^0-9]'}`;
  const pattern = new RegExp(shape);
  const match = { pieces: [digits], fits: (name: string) => pattern.test(name) };
  return findByMatch(index, { ...byGlob(`*${shape}*`), ...match }, [digits], rest);
}

/**
 * Where the platform has too many words that start so, those of others count for nothing: the names
 * and the tags of `within` alone are looked through.
 */
function findStart(index: Index, start: string, within: Bitmap): Bitmap {
  const before = isNumber(start) ? '[0-9]' : '(?![0-9])[\\p{L}\\p{N}]';
  const pattern = new RegExp(`(?<!${before})${start}`, 'u');
  const match = { pieces: [start], fits: (name: string) => pattern.test(name) };
  const inNames = findInNames(index.database, within, match);
  return or(inNames, findTagged(index.database, start, andNot(within, inNames)));
}

/** Those with a tag in which a word starts so. */
function findTagged(database: Reader, start: string, within: Bitmap): Bitmap {
  const tags = database.all(
    `SELECT DISTINCT tag FROM json_each(?) AS wanted
       CROSS JOIN image_ordinals ON ordinal = wanted.value
       CROSS JOIN image_tags USING (image_id)`,
    [JSON.stringify([...ordinals(within, 'asc')])],
    (row) => row.text('tag'),
  );
  const wanted = tags.filter((tag) => wordsOf(tag).some((word) => word.startsWith(start)));
  const terms = wanted.map((tag) => term('tag', tag));
  return withAnyTerm(database, terms, within);
}

function withAnyTerm(database: Reader, terms: readonly string[], within: Bitmap): Bitmap {
  return terms.length === 0 ? emptyBitmap : and(within, readAny(database, terms, rangeOf(within)));
}

/** A whole name, folded, in which `*` stands for any characters. */
function findName(index: Index, pattern: string, within: Bitmap): Bitmap {
  const { database } = index;
  const all = `${nameStart}${pattern}${nameEnd}`.split('*');
  const literals = all.filter((literal) => literal !== nameStart && literal !== nameEnd);
  const [literal = '', ...others] = literals;
  if (literals.length === 0) return within;
  if (others.length === 0) {
    const found = isNumberless(literal)
      ? readTermsWith(database, partKind, literal, rangeOf(within), index.bounds.termsMax)
      : findByOrder(index, literal);
    if (found !== undefined) return and(within, found);
  }
  const isMarked = literal.includes(nameStart) || literal.includes(nameEnd);
  const isAnywhere = others.length === 0 && !isMarked;
  const condition = isAnywhere
    ? { condition: 'instr(name, ?) > 0', value: literal }
    : byGlob(all.map(escapeGlob).join('*'));
  const match = { pieces: literals, fits: undefined };
  return findByMatch(index, { ...condition, ...match }, literals, within);
}

/** What has no digit stands in one part of a name, between its digits. */
function isNumberless(literal: string): boolean {
  return !/[0-9]/.test(literal);
}

/** By the order of names: a whole name, or its beginning; undefined for others, and for many. */
function findByOrder(index: Index, literal: string): Bitmap | undefined {
  if (!literal.startsWith(nameStart)) return undefined;
  if (literal.endsWith(nameEnd)) return readSomeNames(index, 'name = ?', [literal.slice(1, -1)]);
  const text = literal.slice(1);
  return readSomeNames(index, 'name >= ? AND name < ?', [text, `${text}\u{10ffff}`]);
}

function readSomeNames(
  { database, bounds }: Index,
  condition: string,
  values: readonly string[],
): Bitmap | undefined {
  const found = readOrdinals(
    database,
    `SELECT json_group_array(ordinal) AS found FROM
       (SELECT ordinal FROM search_names WHERE ${condition} LIMIT ?)`,
    [...values, bounds.namesMax + 1],
  );
  return found.length > bounds.namesMax ? undefined : fromOrdinals(found);
}

/** A condition on a name: one of two constant texts, with its value. */
interface Condition {
  readonly condition: string;
  readonly value: string;
}

/** Held against the name between the marks of its ends. */
function byGlob(value: string): Condition {
  return { condition: 'char(2) || name || char(3) GLOB ?', value };
}

/**
 * Names that match; `literals`: all of them stand in such a name. Few names are looked at one by
 * one, those with the letters first; more are looked at in one pass.
 */
function findByMatch(
  { database, bounds }: Index,
  { condition, value, ...match }: Condition & NameMatch,
  literals: readonly string[],
  within: Bitmap,
): Bitmap {
  const few = size(within) <= bounds.sparseMax ? within : findTrigrams(database, literals, bounds);
  if (few === undefined) return findInNames(database, within, match);
  const candidates = JSON.stringify([...ordinals(and(within, few), 'asc')]);
  const wanted = `ordinal IN (SELECT value FROM json_each(?)) AND ${condition}`;
  return readNames(database, wanted, [candidates, value]);
}

/** Images whose names have all letters in threes; undefined where they are many, or unknown. */
function findTrigrams(
  database: Reader,
  literals: readonly string[],
  { namesMax }: SearchBounds,
): Bitmap | undefined {
  const all = [...new Set(literals.flatMap(trigramsOf))];
  if (all.length === 0) return undefined;
  const step = Math.ceil(all.length / trigramsMax);
  const wanted = all.filter((_, at) => at % step === 0);
  const match = wanted.map((letters) => `"${letters.replaceAll('"', '""')}"`).join(' AND ');
  const found = readOrdinals(
    database,
    `SELECT json_group_array(rowid) AS found FROM
       (SELECT rowid FROM search_trigrams WHERE search_trigrams MATCH ? LIMIT ?)`,
    [match, namesMax + 1],
  );
  return found.length > namesMax ? undefined : fromOrdinals(found);
}

/** More of them cost more than they keep away. */
const trigramsMax = 6;

function trigramsOf(text: string): readonly string[] {
  const letters = [...text];
  return letters.slice(2).map((_, at) => letters.slice(at, at + 3).join(''));
}

function escapeGlob(text: string): string {
  return text.replaceAll(/[[?]/g, '[$&]');
}

/** The images whose row of names fits: the condition is one of a few constant texts. */
function readNames(database: Reader, condition: string, values: SqlParameters): Bitmap {
  const sql = `SELECT json_group_array(ordinal) AS found FROM search_names WHERE ${condition}`;
  return fromOrdinals(readOrdinals(database, sql, values));
}

/** One text with all numbers: a row for each would take longer. */
function readOrdinals(database: Reader, sql: string, values: SqlParameters): readonly number[] {
  const found = database.get(sql, values, (row) => row.json('found'));
  return Array.isArray(found) && found.every((value) => typeof value === 'number') ? found : [];
}
