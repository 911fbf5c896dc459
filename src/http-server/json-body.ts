// A JSON body with bounds: depth and number of members are known before anything is built.

import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { cutOut, putBack, type Span } from './long-strings.ts';

/** The body of a request that says it is JSON; read when it is first asked for. */
export class JsonBody {
  /** Until they are read: a large body is in memory once, not twice. */
  #bytes: Uint8Array | undefined;
  #members: JsonMembers = {};

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * The object that it holds; an empty body is an empty object. Throws `invalid_input` for broken
   * JSON, broken UTF-8, another value than an object, too deep nesting and `__proto__` members, and
   * `too_large` for too many members.
   */
  get members(): JsonMembers {
    if (this.#bytes) {
      const text = this.shortText;
      this.#members = text === undefined ? parseLong(this.#bytes) : parseJsonText(text);
      this.#bytes = undefined;
    }
    return this.#members;
  }

  /** Its text, of which nothing is known yet; undefined: it is long, broken UTF-8, or was read. */
  get shortText(): string | undefined {
    if (this.#bytes === undefined || this.#bytes.length >= longBytesMin) return undefined;
    try {
      return utf8.decode(this.#bytes);
    } catch {
      return undefined;
    }
  }
}

type JsonMembers = Record<string, unknown>;

/** The same for a text that is there already. */
export function parseJsonText(text: string): JsonMembers {
  // With few brackets, and so without depth, it is not worth a look at each of its bytes.
  if (hasManyBrackets(text)) return parseLong(Buffer.from(text));
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw invalidArgument('', notJson);
  }
  return checked(value, text, text.includes('\\u'));
}

function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > limits.jsonDepthMax) return true;
    }
  }
  return false;
}

function parseLong(bytes: Uint8Array): JsonMembers {
  const { hasEscapes, longStrings } = checkBounds(bytes);
  let value: unknown;
  let text: string;
  try {
    const cut = cutOut(bytes, longStrings);
    text = utf8.decode(cut?.rest ?? bytes);
    value = text === '' ? {} : JSON.parse(text);
    if (cut && !putBack(value, cut.strings)) value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw invalidArgument('', notJson);
  }
  return checked(value, text, hasEscapes);
}

const notJson = 'The body is not valid JSON in UTF-8.';

function checked(value: unknown, text: string, hasEscapes: boolean): JsonMembers {
  if (!isRecord(value)) throw invalidArgument('', 'The body must be a JSON object.');
  // Only such a text can hold the name, written out or with escapes.
  if (hasEscapes || text.includes('__proto__')) refusePrototypes(value);
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** What a byte outside of a string does to the bounds; 0: nothing. */
const effects = new Uint8Array(256);
const [separates, opens, closes, quotes] = [1, 2, 3, 4];
effects[0x2c] = separates;
for (const byte of Buffer.from('[{')) effects[byte] = opens;
for (const byte of Buffer.from(']}')) effects[byte] = closes;
effects[quote] = quotes;

interface Bounds {
  /** Whether the text holds characters as `\u0041`, which may hide a name. */
  readonly hasEscapes: boolean;
  /** Where they begin and end, without their quotes. */
  readonly longStrings: readonly Span[];
}

function checkBounds(bytes: Uint8Array): Bounds {
  const strings = new StringScanner(bytes);
  let depth = 0;
  let elements = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const effect = effects[bytes[index] ?? 0];
    if (effect === 0) continue;
    if (effect === quotes) index = strings.endOf(index);
    else if (effect === closes) depth -= 1;
    else {
      elements += 1;
      if (effect === opens) depth += 1;
      if (depth > limits.jsonDepthMax) throw tooDeep();
      if (elements > limits.jsonElementsMax) throw tooMany();
    }
  }
  return strings;
}

function tooDeep(): FoveaError {
  return invalidArgument('', `The body is nested deeper than ${limits.jsonDepthMax} levels.`);
}

function tooMany(): FoveaError {
  return new FoveaError('too_large', `The body has more than ${limits.jsonElementsMax} members.`);
}

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
    const bytes = this.#bytes;
    const near = Math.min(bytes.length, start + nearBytes);
    let index = start + 1;
    for (; index < near; index += 1) {
      const byte = bytes[index];
      if (byte === quote) return index;
      if (byte === backslash) {
        index += 1;
        this.hasEscapes ||= bytes[index] === letterU;
      }
    }
    const end = this.#farEnd(index);
    if (end - start > longBytesMin) this.longStrings.push({ start: start + 1, end });
    return end;
  }

  #farEnd(start: number): number {
    let index = start;
    for (;;) {
      if (this.#quoteAt < index) this.#quoteAt = this.#find(quote, index);
      if (this.#backslashAt < index) this.#backslashAt = this.#find(backslash, index);
      if (this.#quoteAt <= this.#backslashAt) return this.#quoteAt;
      index = this.#backslashAt + 1;
      this.hasEscapes ||= this.#bytes[index] === letterU;
      index += 1;
    }
  }

  #find(byte: number, from: number): number {
    const index = this.#bytes.indexOf(byte, from);
    return index < 0 ? this.#bytes.length : index;
  }
}

const nearBytes = 64;
/** From here on, to read a string with all others takes longer than to cut it out. */
const longBytesMin = 16 * 1024;

/** Without recursion, though the depth is bounded by now. */
function refusePrototypes(root: object): void {
  const waiting: object[] = [root];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (Object.hasOwn(next, '__proto__')) {
      throw invalidArgument('__proto__', 'is not allowed as the name of a member');
    }
    for (const member of Object.values(next)) if (isObject(member)) waiting.push(member);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}
