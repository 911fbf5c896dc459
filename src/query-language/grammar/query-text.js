// The text of a query and a place in it: reads pieces, and points at what is wrong. Browsers load
// it too, for the filters of lists.

/**
 * @typedef {{ readonly at: number, readonly value: string }} Piece a piece of the text, and where
 *   it starts
 */

/** @template {Error} Failure */
export class QueryText {
  #text;
  #makeError;
  #at = 0;

  /**
   * @param {string} text
   * @param {(message: string, hint: string) => Failure} makeError
   */
  constructor(text, makeError) {
    this.#text = text.toWellFormed();
    this.#makeError = makeError;
  }

  get at() {
    return this.#at;
  }

  get length() {
    return this.#text.length;
  }

  get isAtEnd() {
    return this.#at >= this.#text.length;
  }

  /** The next character; empty at the end. */
  peek() {
    return this.#text[this.#at] ?? '';
  }

  /** What is next and fits a sticky pattern; empty where nothing does. @param {RegExp} pattern */
  lookAhead(pattern) {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? '';
  }

  /** @param {number} count */
  skip(count) {
    this.#at += count;
  }

  skipSpace() {
    this.#take(/\s*/y);
  }

  /** @param {'AND' | 'OR' | 'NOT'} word */
  isKeyword(word) {
    if (!this.#text.startsWith(word, this.#at)) return false;
    const next = this.#text[this.#at + word.length] ?? ' ';
    return /[\s()"]/.test(next);
  }

  /** @param {'AND' | 'OR' | 'NOT'} word */
  takeKeyword(word) {
    if (!this.isKeyword(word)) return false;
    this.#at += word.length;
    return true;
  }

  /**
   * The `name` of `name:`, which is passed over; undefined where there is none.
   * @returns {Piece | undefined}
   */
  takeFieldName() {
    const at = this.#at;
    const found = this.#take(/[A-Za-z][A-Za-z_-]*:/y);
    return found === '' ? undefined : { at, value: found.slice(0, -1) };
  }

  /**
   * `metadata.` where a key and its value follow, as in `metadata.camera=7`; it is passed over.
   * @returns {Piece | undefined}
   */
  takeMetadataPath() {
    const at = this.#at;
    const found = this.#take(/metadata\.(?=[^\s()":=]+[:=])/iy);
    return found === '' ? undefined : { at, value: 'metadata' };
  }

  /**
   * One of these texts; undefined where none is next. The longer ones stand first.
   * @template {string} Text
   * @param {readonly Text[]} texts
   * @returns {Text | undefined}
   */
  takeOneOf(texts) {
    const found = texts.find((text) => this.#text.startsWith(text, this.#at));
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /**
   * Up to a space, a bracket, a quotation mark or one of `stops`.
   * @param {string} stops
   * @returns {Piece}
   */
  readBare(stops) {
    const at = this.#at;
    const isStop = (/** @type {string} */ letter) =>
      /[\s()"]/.test(letter) || stops.includes(letter);
    while (!this.isAtEnd && !isStop(this.peek())) this.#at += 1;
    return { at, value: this.#text.slice(at, this.#at) };
  }

  /**
   * What stands between quotation marks; `\"` and `\\` stand for themselves in it.
   * @returns {string}
   */
  readQuoted() {
    const at = this.#at;
    const found = this.#take(/"(?:[^"\\]|\\.)*"/sy);
    if (found === '') throw this.error(at, 'this quotation mark is not closed');
    return found.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
  }

  /**
   * A value, quoted or not. Throws where there is none; `what` names it.
   * @param {string} what
   * @param {string} [stops]
   * @returns {Piece}
   */
  readValue(what, stops = '') {
    const at = this.#at;
    const value = this.peek() === '"' ? this.readQuoted() : this.readBare(stops).value;
    if (value === '') throw this.error(at, `${what} is missing here`);
    return { at, value };
  }

  /**
   * An error about a place, counted in characters from 1, with a look at it.
   * @param {number} at
   * @param {string} message
   * @param {string} [hint]
   * @returns {Failure}
   */
  error(at, message, hint) {
    const place = [...this.#text.slice(0, at)].length + 1;
    return this.#makeError(
      `at character ${place}: ${message}`,
      [this.#lookAt(at), ...(hint ? [hint] : [])].join(' '),
    );
  }

  /**
   * The text around a place in one line, which many show alone, with an arrow at the place.
   * @param {number} at
   */
  #lookAt(at) {
    const from = Math.max(0, at - shownBefore);
    const to = at + shownAfter;
    const [before, after] = [this.#text.slice(from, at), this.#text.slice(at, to)].map((part) =>
      part.replaceAll(/[\s\p{Cc}]/gu, ' '),
    );
    return `${from > 0 ? '…' : ''}${before}→${after}${to < this.#text.length ? '…' : ''}`;
  }

  /** @param {RegExp} pattern */
  #take(pattern) {
    const found = this.lookAhead(pattern);
    this.#at += found.length;
    return found;
  }
}

const shownBefore = 40;
const shownAfter = 30;
