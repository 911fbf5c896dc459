// A JSON body within the bounds of its operation: they are looked at before anything is built.

import type { BodyBounds } from '../contract/body-bounds.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import {
  excessWords,
  hasPrototypeName,
  type JsonBounds,
  type JsonExcess,
  type JsonOutline,
  jsonExcess,
  longStringBytesMin,
} from '../json-text.ts';
import { cutOut, putBack } from './long-strings.ts';

/** The body of a request that says it is JSON, and is short; read when it is first asked for. */
export class JsonBody {
  #bytes: Uint8Array | undefined;
  #members: JsonObject = {};
  readonly #bounds: JsonBounds;

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  /** Whether a body is one: it has no long texts, and is read in no time. */
  static takes(bytes: number): boolean {
    return bytes < longStringBytesMin;
  }

  /** What `parseJsonText` says of it; broken UTF-8 is `invalid_input` too. */
  get members(): JsonObject {
    if (this.#bytes) {
      const text = this.shortText;
      if (text === undefined) throw invalidArgument('', notJson);
      this.#members = parseJsonText(text, this.#bounds);
      this.#bytes = undefined;
    }
    return this.#members;
  }

  /** Its text, of which nothing is known yet; undefined: it is broken UTF-8, or was read. */
  get shortText(): string | undefined {
    if (this.#bytes === undefined) return undefined;
    try {
      return utf8.decode(this.#bytes);
    } catch {
      return undefined;
    }
  }
}

/**
 * The object that a text holds; an empty text is an empty object. Throws `invalid_input` for broken
 * JSON, another value than an object, too deep nesting and `__proto__` members, and `too_large` for
 * too many values.
 */
export function parseJsonText(text: string, bounds: JsonBounds): JsonObject {
  refuseExcess(jsonExcess(text, bounds), bounds);
  return checked(parsed(text), text, text.includes('\\u'));
}

/**
 * The same for a long body, of which the outline was seen: its long texts are read step by step,
 * and others come in between.
 */
export async function readLongJson(
  bytes: Uint8Array,
  { hasEscapes, longStrings }: JsonOutline,
  { parsedBytesMax }: BodyBounds,
): Promise<JsonObject> {
  const longBytes = longStrings.reduce((sum, { start, end }) => sum + end - start, 0);
  if (bytes.length - longBytes > parsedBytesMax) {
    throw tooLarge(`has more than ${parsedBytesMax} bytes beside its long texts`);
  }
  const { rest, strings } = await cutOut(bytes, longStrings).catch(() => {
    throw invalidArgument('', notJson);
  });
  const text = decoded(rest);
  const value = parsed(text);
  if (putBack(value, strings)) return checked(value, text, hasEscapes);
  throw invalidArgument('', `The name of a member has ${longStringBytesMin} bytes or more.`);
}

/** Throws what `parseJsonText` says of an excess. */
export function refuseExcess(excess: JsonExcess | undefined, bounds: JsonBounds): void {
  if (excess === undefined) return;
  const words = excessWords(excess, bounds);
  throw excess === 'depth' ? invalidArgument('', `The body ${words}.`) : tooLarge(words);
}

function tooLarge(words: string): FoveaError {
  return new FoveaError('too_large', `The body ${words}.`);
}

const notJson = 'The body is not valid JSON in UTF-8.';

function decoded(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidArgument('', notJson);
  }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    throw invalidArgument('', notJson);
  }
}

function checked(value: unknown, text: string, hasEscapes: boolean): JsonObject {
  if (!isJsonObject(value)) throw invalidArgument('', 'The body must be a JSON object.');
  // Only such a text can hold the name, written out or with escapes.
  if ((hasEscapes || text.includes('__proto__')) && hasPrototypeName(value)) {
    throw invalidArgument('__proto__', 'is not allowed as the name of a member');
  }
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
