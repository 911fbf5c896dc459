// The text of a query and a place in it: reads pieces, and points at what is wrong.

import { type FoveaError, invalidArgument } from '../errors.ts';

/** A piece of the text, and where it starts. */
export interface Piece {
  readonly at: number;
  readonly value: string;
}

export class QueryText {
  readonly #text: string;
  readonly #path: string;
  #at = 0;

  /** `path`: the argument that has the text. */
  constructor(text: string, path: string) {
    this.#text = text.toWellFormed();
    this.#path = path;
  }

  get at(): number {
    return this.#at;
  }

  get length(): number {
    return this.#text.length;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** The next character; empty at the end. */
  peek(): string {
    return this.#text[this.#at] ?? '';
  }

  skip(count: number): void {
    this.#at += count;
  }

  skipSpace(): void {
    this.#take(/\s*/y);
  }

  isKeyword(word: 'AND' | 'OR' | 'NOT'): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    const next = this.#text[this.#at + word.length] ?? ' ';
    return /[\s()"]/.test(next);
  }

  takeKeyword(word: 'AND' | 'OR' | 'NOT'): boolean {
    if (!this.isKeyword(word)) return false;
    this.#at += word.length;
    return true;
  }

  /** The `name` of `name:`, which is passed over; undefined where there is none. */
  takeFieldName(): Piece | undefined {
    const at = this.#at;
    const found = this.#take(/[A-Za-z][A-Za-z_-]*:/y);
    return found === '' ? undefined : { at, value: found.slice(0, -1) };
  }

  /** `metadata.` where a key and its value follow, as in `metadata.camera=7`; it is passed over. */
  takeMetadataPath(): Piece | undefined {
    const at = this.#at;
    const found = this.#take(/metadata\.(?=[^\s()":=]+[:=])/iy);
    return found === '' ? undefined : { at, value: 'metadata' };
  }

  /** One of these texts; undefined where none is next. The longer ones stand first. */
  takeOneOf<Text extends string>(texts: readonly Text[]): Text | undefined {
    const found = texts.find((text) => this.#text.startsWith(text, this.#at));
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Up to a space, a bracket, a quotation mark or one of `stops`. */
  readBare(stops: string): Piece {
    const at = this.#at;
    const isStop = (letter: string) => /[\s()"]/.test(letter) || stops.includes(letter);
    while (!this.isAtEnd && !isStop(this.peek())) this.#at += 1;
    return { at, value: this.#text.slice(at, this.#at) };
  }

  /** What stands between quotation marks; `\"` and `\\` stand for themselves in it. */
  readQuoted(): string {
    const at = this.#at;
    const found = this.#take(/"(?:[^"\\]|\\.)*"/sy);
    if (found === '') throw this.error(at, 'this quotation mark is not closed');
    return found.slice(1, -1).replaceAll(/\\(.)/gs, '$1');
  }

  /** A value, quoted or not. Throws where there is none; `what` names it. */
  readValue(what: string, stops = ''): Piece {
    const at = this.#at;
    const value = this.peek() === '"' ? this.readQuoted() : this.readBare(stops).value;
    if (value === '') throw this.error(at, `${what} is missing here`);
    return { at, value };
  }

  /** An error about a place, counted in characters from 1, with a look at it. */
  error(at: number, message: string, hint?: string): FoveaError {
    const place = [...this.#text.slice(0, at)].length + 1;
    return invalidArgument(
      this.#path,
      `at character ${place}: ${message}`,
      [this.#lookAt(at), ...(hint ? [hint] : [])].join(' '),
    );
  }

  /** The text around a place in one line, which many show alone, with an arrow at the place. */
  #lookAt(at: number): string {
    const from = Math.max(0, at - shownBefore);
    const to = at + shownAfter;
    const [before, after] = [this.#text.slice(from, at), this.#text.slice(at, to)].map((part) =>
      part.replaceAll(/[\s\p{Cc}]/gu, ' '),
    );
    return `${from > 0 ? '…' : ''}${before}→${after}${to < this.#text.length ? '…' : ''}`;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

const shownBefore = 40;
const shownAfter = 30;
