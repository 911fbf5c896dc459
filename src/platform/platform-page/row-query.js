// What a filter asks of the rows of a list, written as the searches of images are: words, "words in
// quotes", column:word, column>=number, AND, OR, NOT or -, brackets, and * for any characters.

/**
 * @typedef {{ kind: 'text', column: number | undefined, parts: readonly string[] }} Text the parts
 *   stand in the row, or in one of its columns, in this order
 * @typedef {{ kind: 'number', column: number, operator: string, value: number }} Comparison
 * @typedef {{ kind: 'not', part: Condition }} Not
 * @typedef {{ kind: 'and', parts: readonly Condition[] }} All
 * @typedef {{ kind: 'or', parts: readonly Condition[] }} Any
 * @typedef {Text | Comparison | Not | All | Any} Condition
 * @typedef {{ condition: Condition } | { problem: string }} RowQuery
 */

/**
 * @param {string} search as it was typed
 * @param {readonly string[]} heads the names of the columns, folded, with - for spaces
 * @returns {RowQuery} `problem`: why it is not understood
 */
export function parseRowQuery(search, heads) {
  try {
    return { condition: new Parser(tokensOf(search), heads).all() };
  } catch (thrown) {
    if (thrown instanceof NotUnderstood) return { problem: thrown.message };
    throw thrown;
  }
}

/**
 * @param {Condition} condition
 * @param {{ cells: readonly string[], all: string }} row its texts, folded
 * @returns {boolean}
 */
export function fitsRow(condition, row) {
  if (condition.kind === 'not') return !fitsRow(condition.part, row);
  if (condition.kind === 'or') return condition.parts.some((part) => fitsRow(part, row));
  if (condition.kind === 'and') return condition.parts.every((part) => fitsRow(part, row));
  if (condition.kind === 'number') return compares(condition, row.cells[condition.column] ?? '');
  const { column, parts } = condition;
  return hasInOrder(column === undefined ? row.all : (row.cells[column] ?? ''), parts);
}

/** Without capitals and accents. @param {string} text */
export function folded(text) {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

class NotUnderstood extends Error {}

/** @typedef {{ kind: '(' | ')' | 'AND' | 'OR' | 'NOT' } | { kind: 'text', head: string, said: string, isQuoted: boolean }} Token */

const tokens =
  /([()])|(-(?=[^\s)])|NOT(?=[\s(]|$))|(AND|OR)(?=[\s()]|$)|(?:([^\s":()]+):)?(?:("[^"]*"?)|([^\s"()]+))|[^\s]/g;

/** @param {string} search @returns {Token[]} */
function tokensOf(search) {
  return [...search.matchAll(tokens)].map(
    ([whole, bracket, not, joint, head = '', quoted, word]) => {
      if (bracket === '(' || bracket === ')') return { kind: bracket };
      if (not !== undefined) return { kind: 'NOT' };
      if (joint === 'AND' || joint === 'OR') return { kind: joint };
      if (quoted === undefined) return { kind: 'text', head, said: word ?? whole, isQuoted: false };
      if (quoted.length < 2 || !quoted.endsWith('"'))
        throw new NotUnderstood('A “"” is not closed.');
      return { kind: 'text', head, said: quoted.slice(1, -1), isQuoted: true };
    },
  );
}

/** or = and { OR and }; and = not { [AND] not }; not = { NOT } ( brackets | text ) */
class Parser {
  #tokens;
  #heads;
  #at = 0;

  /** @param {readonly Token[]} all @param {readonly string[]} heads */
  constructor(all, heads) {
    this.#tokens = all;
    this.#heads = heads;
  }

  /** @returns {Condition} */
  all() {
    if (this.#tokens.length === 0) return { kind: 'and', parts: [] };
    const condition = this.#or();
    if (this.#at < this.#tokens.length) throw new NotUnderstood('A “)” closes no bracket.');
    return condition;
  }

  /** @returns {Condition} */
  #or() {
    const parts = [this.#and()];
    while (this.#take('OR')) parts.push(this.#and());
    return joined('or', parts);
  }

  /** @returns {Condition} */
  #and() {
    const parts = [this.#not()];
    while (this.#take('AND') || this.#isCondition()) parts.push(this.#not());
    return joined('and', parts);
  }

  /** @returns {Condition} */
  #not() {
    if (this.#take('NOT')) return { kind: 'not', part: this.#not() };
    if (this.#take('(')) {
      const inside = this.#or();
      if (!this.#take(')')) throw new NotUnderstood('A “(” is not closed.');
      return inside;
    }
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'text') throw this.#missing();
    this.#at += 1;
    return conditionOf(token, this.#heads);
  }

  #isCondition() {
    const kind = this.#tokens[this.#at]?.kind;
    return kind === 'text' || kind === 'NOT' || kind === '(';
  }

  /** @param {Token['kind']} kind */
  #take(kind) {
    const isNext = this.#tokens[this.#at]?.kind === kind;
    if (isNext) this.#at += 1;
    return isNext;
  }

  #missing() {
    const before = this.#tokens[this.#at - 1]?.kind;
    const place = before === undefined ? 'at its beginning' : `after “${before}”`;
    return new NotUnderstood(`A word is missing ${place}.`);
  }
}

/** @param {'and' | 'or'} kind @param {readonly Condition[]} parts @returns {Condition} */
function joined(kind, parts) {
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { kind, parts };
}

/**
 * @param {Extract<Token, { kind: 'text' }>} token
 * @param {readonly string[]} heads
 * @returns {Text | Comparison}
 */
function conditionOf({ head, said, isQuoted }, heads) {
  const compared = isQuoted || head !== '' ? undefined : comparisonOf(said, heads);
  if (compared !== undefined) return compared;
  const name = folded(head);
  const column = name === '' ? -1 : heads.indexOf(name);
  // 10:30 and https://… name no column.
  const isName = /^\p{L}[\p{L}-]*$/u.test(name) && !said.startsWith('//');
  if (isName && column < 0) throw unknownColumn(name, heads);
  const text = folded(column < 0 && name !== '' ? `${head}:${said}` : said);
  const parts = isQuoted ? [text] : text.split('*');
  return { kind: 'text', column: column < 0 ? undefined : column, parts };
}

/** Undefined: it compares no column. @param {string} said @param {readonly string[]} heads @returns {Comparison | undefined} */
function comparisonOf(said, heads) {
  const [, name = '', operator = '', number = ''] = /^([^<>=]+)(>=|<=|>|<|=)(.*)$/.exec(said) ?? [];
  // The column of the buttons has no name.
  const column = name === '' ? -1 : heads.indexOf(folded(name));
  if (column < 0) return undefined;
  const value = Number(number);
  if (number.trim() !== '' && Number.isFinite(value))
    return { kind: 'number', column, operator, value };
  throw new NotUnderstood(
    `A number is missing after “${name}${operator}”; ${name}:word looks for a word.`,
  );
}

/** A cell without a number, or with a unit beside %, fits no comparison. @param {Comparison} condition @param {string} cell */
function compares({ operator, value }, cell) {
  const number = numberIn(cell);
  if (number === undefined) return false;
  if (operator === '>') return number > value;
  if (operator === '<') return number < value;
  if (operator === '=') return number === value;
  return operator === '>=' ? number >= value : number <= value;
}

/** As `Intl` writes it here. @param {string} cell */
function numberIn(cell) {
  const plain = cell
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

/** @param {string} name @param {readonly string[]} heads */
function unknownColumn(name, heads) {
  const all = heads.filter((head) => head !== '').join(', ');
  const known = all === '' ? 'This list has no columns' : `Columns are ${all}`;
  const quotes = `Quotes look for a text as it stands: "${name}:…".`;
  return new NotUnderstood(`There is no column “${name}”. ${known}. ${quotes}`);
}

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
