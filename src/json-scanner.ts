// Scans JSON text before it is parsed: number of values, depth, and long strings, which decide what
// parsing costs.

import { isObjectOrArray } from './json-object.ts';

/** What a JSON text may hold. */
export interface JsonBounds {
  /** Values of all kinds together, at any depth. */
  readonly elementsMax: number;
  readonly depthMax: number;
  /** Members of one object: each new name costs more than an element of an array. */
  readonly membersMax: number;
}

/** The bound that a text exceeds. */
export type JsonExcess = 'elements' | 'depth' | 'members';

/** Where a string begins and ends in a text, in bytes, without its quotes. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The result of a scan. Invalid JSON may pass: only a parser knows. */
export interface JsonOutline {
  /** The first bound that the text exceeds; undefined: it keeps all of them. */
  readonly excess: JsonExcess | undefined;
  /** Whether there are characters as `\u0041`, which may hide a name. */
  readonly hasEscapes: boolean;
  /** Values up to there. */
  readonly elements: number;
  /** Strings that are better extracted than parsed; incomplete if a bound is exceeded. */
  readonly longStrings: readonly Span[];
}

/** The first bound that a JSON text exceeds, if any. */
export function jsonExcess(text: string | Uint8Array, bounds: JsonBounds): JsonExcess | undefined {
  // Most texts are too short for all bounds but that of depth.
  const isShort = text.length < Math.min(bounds.elementsMax, bounds.membersMax);
  if (isShort && typeof text === 'string' && !hasMoreBrackets(text, bounds.depthMax)) {
    return undefined;
  }
  return outlineOf(typeof text === 'string' ? Buffer.from(text) : text, bounds).excess;
}

/** Whether an object in a parsed value has a member named `__proto__`. Needs no stack. */
export function hasPrototypeName(root: unknown): boolean {
  const waiting: object[] = isObjectOrArray(root) ? [root] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Object.hasOwn(next, '__proto__')) return true;
    for (const member of Object.values(next)) if (isObjectOrArray(member)) waiting.push(member);
  }
  return false;
}

function hasMoreBrackets(text: string, most: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

/** The same in words that follow the name of what holds the text: `has more than 8 elements`. */
export function excessWords(excess: JsonExcess, bounds: JsonBounds): string {
  if (excess === 'depth') return `is nested deeper than ${bounds.depthMax} levels`;
  if (excess === 'elements') return `has more than ${bounds.elementsMax} values`;
  return `has an object with more than ${bounds.membersMax} members`;
}

/** One pass over a text in UTF-8, which ends where a bound is exceeded. */
export function outlineOf(bytes: Uint8Array, bounds: JsonBounds): JsonOutline {
  const scanner = new JsonScanner(bounds);
  scanner.push(bytes);
  return scanner;
}

/** From this length on, extracting a string is faster than parsing it with the rest. */
export const longStringBytesMin = 16 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** What a byte outside of a string does to the bounds. */
const effects = new Uint8Array(256);
const [nothing, separates, opensObject, opensArray, closes, quotes] = [0, 1, 2, 3, 4, 5];
effects[0x2c] = separates;
effects[0x7b] = opensObject;
effects[0x5b] = opensArray;
for (const byte of Buffer.from(']}')) effects[byte] = closes;
effects[quote] = quotes;

/** The same for a text in UTF-8 that comes in pieces. */
export class JsonScanner implements JsonOutline {
  excess: JsonExcess | undefined;
  hasEscapes = false;
  elements = 1;
  readonly longStrings: Span[] = [];
  readonly #bounds: JsonBounds;
  /** What may still come at each depth: an array has no bound of its own. */
  readonly #left: Float64Array;
  #depth = 0;
  /** Bytes of the pieces before. */
  #offset = 0;
  #isInString = false;
  #isEscaped = false;
  #stringStart = 0;
  /** Where the next ones are in this piece: each byte of it is searched once. */
  #quoteAt = -1;
  #backslashAt = -1;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
    this.#left = new Float64Array(bounds.depthMax + 1).fill(Number.POSITIVE_INFINITY);
  }

  /** Nothing is looked at any more where a bound is exceeded. */
  push(piece: Uint8Array): JsonExcess | undefined {
    if (this.excess !== undefined) return this.excess;
    this.#quoteAt = -1;
    this.#backslashAt = -1;
    let index = this.#isInString ? this.#pastString(piece, 0) : 0;
    while (index < piece.length) {
      const effect = effects[piece[index] ?? 0];
      index += 1;
      if (effect === nothing) continue;
      if (effect === quotes) {
        this.#stringStart = this.#offset + index;
        index = this.#pastString(piece, index);
      } else if (effect === closes) {
        this.#depth = Math.max(0, this.#depth - 1);
      } else {
        this.excess = this.#count(effect);
        if (this.excess !== undefined) return this.excess;
      }
    }
    this.#offset += piece.length;
    return undefined;
  }

  #count(effect: number | undefined): JsonExcess | undefined {
    const { elementsMax, depthMax, membersMax } = this.#bounds;
    this.elements += 1;
    if (this.elements > elementsMax) return 'elements';
    if (effect !== separates) {
      this.#depth += 1;
      if (this.#depth > depthMax) return 'depth';
      this.#left[this.#depth] = effect === opensObject ? membersMax : Number.POSITIVE_INFINITY;
    }
    // The first member of an object comes with its bracket, each other one with a comma.
    const more = (this.#left[this.#depth] ?? 0) - 1;
    this.#left[this.#depth] = more;
    return more < 0 ? 'members' : undefined;
  }

  /** The index behind the quote that ends the string, or behind the piece. */
  #pastString(piece: Uint8Array, start: number): number {
    this.#isInString = true;
    let index = start;
    while (index < piece.length) {
      const near = Math.min(piece.length, index + nearBytes);
      for (; index < near; index += 1) {
        const byte = piece[index];
        if (this.#isEscaped) {
          this.#isEscaped = false;
          if (byte === letterU) this.hasEscapes = true;
        } else if (byte === quote) return this.#end(index);
        else if (byte === backslash) this.#isEscaped = true;
      }
      if (this.#isEscaped) continue;
      if (this.#quoteAt < index) this.#quoteAt = find(piece, quote, index);
      if (this.#backslashAt < index) this.#backslashAt = find(piece, backslash, index);
      index = Math.min(this.#quoteAt, this.#backslashAt);
    }
    return index;
  }

  #end(index: number): number {
    const [start, end] = [this.#stringStart, this.#offset + index];
    if (end - start >= longStringBytesMin) this.longStrings.push({ start, end });
    this.#isInString = false;
    return index + 1;
  }
}

function find(piece: Uint8Array, byte: number, from: number): number {
  const index = piece.indexOf(byte, from);
  return index < 0 ? piece.length : index;
}

/** So many bytes are looked at one by one, after each escape anew: a search costs as much. */
const nearBytes = 64;
