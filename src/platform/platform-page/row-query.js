// What a filter asks of the rows of a list, in the grammar of searches of images: words, "words in
// quotes", column:word, column>=number, min-column:number, and * for any characters. Days stand for
// numbers: column>=2026-11-01.

import { parseConditions, whyNoSign } from '../../query-language/grammar/query-grammar.js';
import { QueryText } from '../../query-language/grammar/query-text.js';
import { comparesTime, dateRange, yearRange } from './date-range.js';

/** @import { DateRange } from './date-range.js' */
/** @import { Tree } from '../../query-language/grammar/query-grammar.js' */

/**
 * @typedef {{
 *   kind: 'text',
 *   column: number | undefined,
 *   parts: readonly string[],
 *   range: DateRange | undefined,
 * }} Text the parts stand in the row, or in one of its columns, in this order; or the time of that is
 *   in the range
 * @typedef {{
 *   kind: 'number',
 *   column: number,
 *   operator: string,
 *   value: number,
 *   year: DateRange | undefined,
 * }} Comparison `year`: what the number is in a column of times
 * @typedef {{ kind: 'date', column: number, operator: string, range: DateRange }} DateComparison
 * @typedef {Tree<Text | Comparison | DateComparison>} Condition
 * @typedef {{ cells: readonly string[], all: string, times?: readonly (number | undefined)[] }} RowTexts
 *   folded; `times` of the cells, in milliseconds since 1970
 */

/** As of a search, whose settings no browser has: the parser is recursive. */
const depthMax = 64;
const charactersMax = 4_000;

/**
 * @param {string} search as it was typed
 * @param {readonly string[]} heads the names of the columns, folded, with - for spaces
 * @returns {{ condition: Condition } | { problem: string, isUnfinished: boolean }} `problem`: why it
 *   is not understood; `isUnfinished`: what follows may mend that
 */
export function parseRowQuery(search, heads) {
  try {
    return { condition: conditionIn(search, heads) };
  } catch (thrown) {
    if (!(thrown instanceof NotUnderstood)) throw thrown;
    return { problem: thrown.message, isUnfinished: thrown.isUnfinished };
  }
}

/**
 * @param {Condition} condition
 * @param {RowTexts} row
 * @returns {boolean}
 */
export function fitsRow(condition, row) {
  if (condition.kind === 'all') return true;
  if (condition.kind === 'not') return !fitsRow(condition.part, row);
  if (condition.kind === 'number') return comparesCell(condition, row);
  if (condition.kind === 'date') {
    return comparesTime(row.times?.[condition.column], condition.operator, condition.range);
  }
  if (condition.kind === 'text') {
    const { column, parts, range } = condition;
    if (column !== undefined && range && comparesTime(row.times?.[column], '=', range)) return true;
    return hasInOrder(column === undefined ? row.all : (row.cells[column] ?? ''), parts);
  }
  const { kind, parts } = condition;
  const fits = (/** @type {Condition} */ part) => fitsRow(part, row);
  return kind === 'or' ? parts.some(fits) : parts.every(fits);
}

/**
 * The first column that is compared with a number or a day and has none, by its place, and whether
 * it has the other one. Undefined: there is no such column.
 * @param {Condition} condition
 * @param {readonly RowTexts[]} rows
 * @returns {{ column: number, lacks: 'number' | 'time', hasOther: boolean } | undefined}
 */
export function columnWithout(condition, rows) {
  const { kind } = condition;
  if (kind === 'not') return columnWithout(condition.part, rows);
  if (kind === 'and' || kind === 'or') {
    return condition.parts.map((part) => columnWithout(part, rows)).find(Boolean);
  }
  if (kind !== 'number' && kind !== 'date') return undefined;
  const { column } = condition;
  const hasNumber = rows.some(({ cells }) => numberIn(cells[column] ?? '') !== undefined);
  const hasTime = rows.some(({ times }) => times?.[column] !== undefined);
  if (kind === 'date') return hasTime ? undefined : { column, lacks: 'time', hasOther: hasNumber };
  if (hasTime && condition.year !== undefined) return undefined;
  return hasNumber ? undefined : { column, lacks: 'number', hasOther: hasTime };
}

/**
 * The first text that none of the rows has in the column where it is looked for. Undefined: there is
 * none.
 * @param {Condition} condition
 * @param {readonly RowTexts[]} rows
 * @returns {{ column: number, words: string } | undefined}
 */
export function textWithout(condition, rows) {
  const { kind } = condition;
  if (kind === 'and' || kind === 'or') {
    return condition.parts.map((part) => textWithout(part, rows)).find(Boolean);
  }
  if (kind !== 'text' || condition.column === undefined) return undefined;
  const { column, parts } = condition;
  return rows.some((row) => fitsRow(condition, row))
    ? undefined
    : { column, words: parts.join('*') };
}

/**
 * Without capitals and accents; `safety_alert` of the API is the same as the words of the page.
 * @param {string} text
 */
export function folded(text) {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('_', ' ').toLowerCase();
}

class NotUnderstood extends Error {
  /** Whether it is where the text ends: what is typed next may mend it. */
  isUnfinished = false;
}

/** @param {string} search @param {readonly string[]} heads @returns {Condition} */
function conditionIn(search, heads) {
  /** @type {QueryText<NotUnderstood>} */
  const text = new QueryText(search, (message, hint) => {
    const thrown = new NotUnderstood(`Not understood ${message}. ${hint}`);
    thrown.isUnfinished = text.isAtEnd || (text.peek() === '"' && isOpenQuote(text));
    return thrown;
  });
  if (text.length > charactersMax) {
    throw text.error(charactersMax, `is longer than ${charactersMax} characters`);
  }
  text.skipSpace();
  if (text.isAtEnd) return { kind: 'all' };
  const readCondition = () => readRowCondition(text, heads);
  return parseConditions(text, { depthMax, readCondition }).query;
}

/** Whether no quotation mark closes the one that is next. @param {QueryText<NotUnderstood>} text */
function isOpenQuote(text) {
  return text.lookAhead(/"(?:[^"\\]|\\.)*"/sy) === '';
}

/** @param {QueryText<NotUnderstood>} text @param {readonly string[]} heads @returns {Condition} */
function readRowCondition(text, heads) {
  if (text.peek() === '"') return textCondition(undefined, [folded(text.readQuoted())]);
  // 10:30 and https://… name no column.
  const name = text.lookAhead(/\p{L}[\p{L}\p{M}\p{N}_-]*(?=:(?!\/\/)|[<>=])/uy);
  if (name !== '') return readColumn(text, name, heads);
  const { at, value } = text.readBare('');
  if (value === '*') return { kind: 'all' };
  const why = whyNoSign(value);
  if (why !== undefined) throw text.error(at, why, 'Such signs stand in quotation marks.');
  return textCondition(undefined, folded(value).split('*'));
}

/**
 * @param {QueryText<NotUnderstood>} text
 * @param {string} name
 * @param {readonly string[]} heads
 * @returns {Condition}
 */
function readColumn(text, name, heads) {
  const { at } = text;
  const asked = folded(name).replaceAll(' ', '-');
  const column = heads.indexOf(asked);
  text.skip(name.length);
  const operator = text.takeOneOf([':', '>=', '<=', '>', '<', '=']) ?? ':';
  if (column >= 0 && operator === ':') {
    const isQuoted = text.peek() === '"';
    const value = folded(text.readValue('a word').value);
    if (isQuoted) return textCondition(column, [value]);
    return textCondition(column, value.split('*'), dateRange(value));
  }
  if (column >= 0) return readComparison(text, column, operator);
  const limited = heads.indexOf(asked.slice('min-'.length));
  const bound = { 'min-': '>=', 'max-': '<=' }[asked.slice(0, 'min-'.length)];
  if (bound !== undefined && limited >= 0 && operator === ':') {
    return readComparison(text, limited, bound);
  }
  throw unknownColumn(text, at, name, heads);
}

/**
 * @param {number | undefined} column
 * @param {readonly string[]} parts
 * @param {DateRange} [range]
 * @returns {Text}
 */
function textCondition(column, parts, range) {
  return { kind: 'text', column, parts, range };
}

/**
 * @param {QueryText<NotUnderstood>} text
 * @param {number} column
 * @param {string} operator
 * @returns {Comparison | DateComparison}
 */
function readComparison(text, column, operator) {
  const { at, value } = text.readValue('a number');
  const range = dateRange(value);
  if (range !== undefined) return { kind: 'date', column, operator, range };
  if (/^-?\d+(\.\d+)?$/.test(value)) {
    return { kind: 'number', column, operator, value: Number(value), year: yearRange(value) };
  }
  const right = 'must be a number, as 12 or 0.5, or a day, as 2026-11-01';
  throw text.error(at, `${right}, but is “${value.slice(0, shownMax)}”`);
}

/** Of what was typed, in a message. */
const shownMax = 60;

/**
 * @param {QueryText<NotUnderstood>} text
 * @param {number} at
 * @param {string} name
 * @param {readonly string[]} heads
 */
function unknownColumn(text, at, name, heads) {
  const named = heads.filter((head) => head !== '');
  const guess = nearestTo(folded(name), named);
  const meant = guess === undefined ? '' : `; did you mean “${guess}”?`;
  const known = named.length === 0 ? 'This list has none' : `Columns: ${named.join(', ')}`;
  const hint = `${known}. Put words with such a sign in quotation marks.`;
  const words = `there is no column “${name.slice(0, shownMax)}”${meant}`;
  const thrown = text.error(at, words, hint);
  // A value does not make a column of it.
  thrown.isUnfinished = text.isAtEnd;
  return thrown;
}

/**
 * The name that differs in the fewest letters in a row, two at most.
 * @param {string} name
 * @param {readonly string[]} known
 */
function nearestTo(name, known) {
  const near = known
    .map((head) => ({ head, letters: lettersThatDiffer(name, head) }))
    .toSorted((one, other) => one.letters - other.letters)[0];
  return near !== undefined && near.letters <= 2 && near.letters <= near.head.length / 2
    ? near.head
    : undefined;
}

/** Between the same beginning and the same end. @param {string} one @param {string} other */
function lettersThatDiffer(one, other) {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-end - 1) === other.at(-end - 1)) end += 1;
  return Math.max(one.length, other.length) - start - end;
}

/**
 * A cell without a number fits no comparison; in one with a time a number is a year.
 * @param {Comparison} condition
 * @param {RowTexts} row
 */
function comparesCell({ column, operator, value, year }, { cells, times }) {
  const time = times?.[column];
  if (time !== undefined && year !== undefined) return comparesTime(time, operator, year);
  const number = numberIn(cells[column] ?? '');
  if (number === undefined) return false;
  if (operator === '>') return number > value;
  if (operator === '<') return number < value;
  if (operator === '=') return number === value;
  return operator === '>=' ? number >= value : number <= value;
}

/**
 * `12`, `1,204`, `91 %` and the 3 of `3 of 10`, as `Intl` writes them here.
 * @param {string} cell
 */
function numberIn(cell) {
  const plain = cell
    .replace(/ of .*$/s, '')
    .replace('%', '')
    .replaceAll(/\s/g, '')
    .replaceAll(group, '')
    .replace(decimal, '.');
  const value = Number(plain);
  return plain === '' || !Number.isFinite(value) ? undefined : value;
}

const separators = new Intl.NumberFormat().formatToParts(12_345.6);
const group = separators.find(({ type }) => type === 'group')?.value ?? ',';
const decimal = separators.find(({ type }) => type === 'decimal')?.value ?? '.';

/** @param {string} text @param {readonly string[]} parts */
function hasInOrder(text, parts) {
  let at = 0;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}
