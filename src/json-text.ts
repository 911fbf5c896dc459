// JSON text before it is parsed: how many values it has, and how deep they lie. One pass over its
// bytes builds nothing; what it costs to parse them depends on these numbers.

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

/** What one pass over a JSON text sees. Text that is no JSON may pass: only a parser knows. */
export interface JsonOutline {
  /** The first bound that the text exceeds; undefined: it keeps all of them. */
  readonly excess: JsonExcess | undefined;
  /** Whether there are characters as `\u0041`, which may hide a name. */
  readonly hasEscapes: boolean;
  /** Strings that are better cut out than parsed. Not all of them where there is an excess. */
  readonly longStrings: readonly Span[];
}

/** How a JSON text exceeds its bounds; undefined: it keeps them. */
export function jsonExcess(text: string | Uint8Array, bounds: JsonBounds): JsonExcess | undefined {
  // A bracket, a comma and a quote are one byte each: so short a text exceeds nothing.
  if (text.length <= Math.min(bounds.elementsMax, bounds.depthMax, bounds.membersMax)) {
    return undefined;
  }
  return outlineOf(typeof text === 'string' ? Buffer.from(text) : text, bounds).excess;
}

/** The same in words that follow the name of what holds the text: `has more than 8 elements`. */
export function excessWords(excess: JsonExcess, bounds: JsonBounds): string {
  if (excess === 'depth') return `is nested deeper than ${bounds.depthMax} levels`;
  if (excess === 'elements') return `has more than ${bounds.elementsMax} values`;
  return `has an object with more than ${bounds.membersMax} members`;
}

/** One pass over a text in UTF-8, which ends where a bound is exceeded. */
export function outlineOf(bytes: Uint8Array, bounds: JsonBounds): JsonOutline {
  const { elementsMax, depthMax, membersMax } = bounds;
  const strings = new StringScanner(bytes);
  const outline = (excess?: JsonExcess) => ({
    excess,
    hasEscapes: strings.hasEscapes,
    longStrings: strings.longStrings,
  });
  // What may still come at each depth: an array has no bound of its own.
  const left = new Float64Array(depthMax + 1).fill(Number.POSITIVE_INFINITY);
  let depth = 0;
  let elements = 1;
  for (let index = 0; index < bytes.length; index += 1) {
    const effect = effects[bytes[index] ?? 0];
    if (effect === 0) continue;
    if (effect === quotes) index = strings.endOf(index);
    else if (effect === closes) depth = Math.max(0, depth - 1);
    else {
      elements += 1;
      if (elements > elementsMax) return outline('elements');
      if (effect !== separates) {
        depth += 1;
        if (depth > depthMax) return outline('depth');
        left[depth] = effect === opensObject ? membersMax : Number.POSITIVE_INFINITY;
      }
      // The first member of an object comes with its bracket, each other one with a comma.
      const more = (left[depth] ?? 0) - 1;
      if (more < 0) return outline('members');
      left[depth] = more;
    }
  }
  return outline();
}

/** From here on, to read a string with all others takes longer than to cut it out. */
export const longStringBytesMin = 16 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** What a byte outside of a string does to the bounds; 0: nothing. */
const effects = new Uint8Array(256);
const [separates, opensObject, opensArray, closes, quotes] = [1, 2, 3, 4, 5];
effects[0x2c] = separates;
effects[0x7b] = opensObject;
effects[0x5b] = opensArray;
for (const byte of Buffer.from(']}')) effects[byte] = closes;
effects[quote] = quotes;

/** Finds the ends of strings: short ones byte by byte, long ones, which are images, by a search. */
class StringScanner {
  readonly #bytes: Uint8Array;
  /** Where the next ones were found; each byte is searched once. */
  #quoteAt = -1;
  #backslashAt = -1;
  hasEscapes = false;
  readonly longStrings: Span[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The index of the quote that ends the string which begins at `start`, or the end of all. */
  endOf(start: number): number {
    const end = this.#end(start + 1);
    if (end - start > longStringBytesMin) this.longStrings.push({ start: start + 1, end });
    return end;
  }

  #end(start: number): number {
    const bytes = this.#bytes;
    let index = start;
    for (let near = index + nearBytes; index < bytes.length; near = index + nearBytes) {
      for (; index < near; index += 1) {
        if (bytes[index] === quote) return index;
        if (bytes[index] === backslash) index = this.#escape(index);
      }
      if (this.#quoteAt < index) this.#quoteAt = this.#find(quote, index);
      if (this.#backslashAt < index) this.#backslashAt = this.#find(backslash, index);
      if (this.#quoteAt <= this.#backslashAt) return this.#quoteAt;
      index = this.#escape(this.#backslashAt) + 1;
    }
    return bytes.length;
  }

  /** The index of the byte that a backslash escapes. */
  #escape(at: number): number {
    this.hasEscapes ||= this.#bytes[at + 1] === letterU;
    return at + 1;
  }

  #find(byte: number, from: number): number {
    const index = this.#bytes.indexOf(byte, from);
    return index < 0 ? this.#bytes.length : index;
  }
}

/** So many bytes are looked at one by one, after each escape anew: a search costs as much. */
const nearBytes = 64;
