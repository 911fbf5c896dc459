// How conditions are joined, in searches of images and in filters of lists, by recursive descent.
// Browsers load it too. What a condition is, its reader says.
//
// or     = and { "OR" and }
// and    = not { [ "AND" ] not }
// not    = { "NOT" | "-" } factor
// factor = "(" or ")" | what the reader reads

/** @import { QueryText } from './query-text.js' */

/**
 * @template Condition
 * @typedef {Condition
 *   | { readonly kind: 'all' }
 *   | { readonly kind: 'and' | 'or', readonly parts: readonly Tree<Condition>[] }
 *   | { readonly kind: 'not', readonly part: Tree<Condition> }} Tree
 */

/** @typedef {'brackets' | 'NOT' | undefined} Inside what is around a place */

/**
 * @template Condition
 * @typedef {object} Reader
 * @property {number} depthMax of brackets in brackets: the parser is recursive
 * @property {(inside: Inside) => Tree<Condition> | undefined} readCondition what is at the place of
 *   the text, which is no bracket; undefined: what was read is no condition, as `sort:name`
 */

/**
 * Reads the whole text, which has something beside spaces. Throws errors of the text.
 * @template Condition
 * @param {QueryText<Error>} text
 * @param {Reader<Condition>} reader
 * @returns {{ query: Tree<Condition>, hasAlternatives: boolean }} `hasAlternatives`: OR stands
 *   outside of brackets
 */
export function parseConditions(text, reader) {
  const parts = new Grammar(text, reader).read();
  return { query: joined('or', parts), hasAlternatives: parts.length > 1 };
}

/** @template Condition */
class Grammar {
  #text;
  #reader;
  #depth = 0;
  /** @type {Inside} */
  #inside;

  /** @param {QueryText<Error>} text @param {Reader<Condition>} reader */
  constructor(text, reader) {
    this.#text = text;
    this.#reader = reader;
  }

  read() {
    const parts = this.#readOr();
    if (!this.#text.isAtEnd) throw this.#text.error(this.#text.at, 'this ")" closes no bracket');
    return parts;
  }

  /** Its alternatives. @returns {Tree<Condition>[]} */
  #readOr() {
    /** @type {Tree<Condition>[]} */
    const parts = [];
    let hasCondition = this.#readAnd(parts);
    while (this.#text.takeKeyword('OR')) {
      if (!hasCondition) throw this.#missing();
      hasCondition = this.#readAnd(parts);
      if (!hasCondition) throw this.#missing();
    }
    return parts;
  }

  /**
   * False where there is no condition but something else, as in `sort:name` alone.
   * @param {Tree<Condition>[]} ways
   */
  #readAnd(ways) {
    const text = this.#text;
    /** @type {Tree<Condition>[]} */
    const parts = [];
    let isWanted = true;
    for (text.skipSpace(); !this.#isEndOfAnd(); text.skipSpace()) {
      const { at } = text;
      if (text.takeKeyword('AND')) {
        if (isWanted) throw text.error(at, 'a condition is missing before AND');
        isWanted = true;
        continue;
      }
      const part = this.#readNot();
      if (part) parts.push(part);
      isWanted = false;
    }
    if (isWanted) throw this.#missing();
    if (parts.length > 0) ways.push(joined('and', parts));
    return parts.length > 0;
  }

  #isEndOfAnd() {
    return this.#text.isAtEnd || this.#text.peek() === ')' || this.#text.isKeyword('OR');
  }

  #missing() {
    return this.#text.error(this.#text.at, 'a condition is missing here');
  }

  /** Undefined for what is no condition. @returns {Tree<Condition> | undefined} */
  #readNot() {
    const text = this.#text;
    const at = text.at;
    let isNegated = false;
    for (;;) {
      if (text.takeKeyword('NOT')) text.skipSpace();
      else if (text.peek() === '-') text.skip(1);
      else break;
      isNegated = !isNegated;
    }
    if (text.at === at) return this.#readFactor();
    if (this.#isEndOfAnd() || text.isKeyword('AND') || text.peek() === ' ') throw this.#missing();
    const outside = this.#inside;
    this.#inside ??= 'NOT';
    const part = this.#readFactor();
    this.#inside = outside;
    if (part === undefined) throw text.error(at, 'NOT needs a condition');
    return isNegated ? { kind: 'not', part } : part;
  }

  /** @returns {Tree<Condition> | undefined} */
  #readFactor() {
    const isBracket = this.#text.peek() === '(';
    return isBracket ? this.#readBrackets() : this.#reader.readCondition(this.#inside);
  }

  /** @returns {Tree<Condition>} */
  #readBrackets() {
    const text = this.#text;
    const at = text.at;
    this.#depth += 1;
    const { depthMax } = this.#reader;
    if (this.#depth > depthMax) {
      throw text.error(at, `has brackets in brackets, more than ${depthMax} deep`);
    }
    text.skip(1);
    const outside = this.#inside;
    this.#inside = 'brackets';
    const parts = this.#readOr();
    this.#inside = outside;
    if (text.peek() !== ')') throw text.error(at, 'this "(" is not closed');
    text.skip(1);
    this.#depth -= 1;
    return joined('or', parts);
  }
}

/**
 * @template Condition
 * @param {'and' | 'or'} kind
 * @param {readonly Tree<Condition>[]} parts
 * @returns {Tree<Condition>}
 */
function joined(kind, parts) {
  const [first = { kind: 'all' }] = parts;
  return parts.length <= 1 ? first : { kind, parts };
}

/**
 * Why a word of signs alone is no word: `&&`, `||`. Undefined: it is none.
 * @param {string} word
 */
export function whyNoSign(word) {
  if (/^&+$/.test(word))
    return 'write AND, or nothing: conditions next to each other must all hold';
  return /^\|+$/.test(word) ? 'write OR' : undefined;
}
