// Parses JSON bodies within the bounds of their operation, which are checked before parsing.

import type { BodyLimits } from '../contract/operation.ts';
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
} from '../json-scanner.ts';
import { extractStrings, restoreStrings } from './long-json-strings.ts';

/** A short JSON body, parsed on first use. */
export class JsonBody {
  #bytes: Uint8Array | undefined;
  #members: JsonObject = {};
  readonly #bounds: JsonBounds;

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  /** Whether a body is short enough: it has no long strings. */
  static takes(bytes: number): boolean {
    return bytes < longStringBytesMin;
  }

  /** Throws as `parseJsonText`, and `invalid_input` for broken UTF-8. */
  get members(): JsonObject {
    if (this.#bytes) {
      const text = this.shortText;
      if (text === undefined) throw invalidArgument('', notJson);
      this.#members = parseJsonText(text, this.#bounds);
      this.#bytes = undefined;
    }
    return this.#members;
  }

  /** The unparsed text; undefined if it is broken UTF-8, or was parsed already. */
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

/** The same for a long body, whose outline is known: its long strings are decoded in steps. */
export async function readLongJson(
  bytes: Uint8Array,
  { hasEscapes, longStrings }: JsonOutline,
  { parsedBytesMax }: BodyLimits,
): Promise<JsonObject> {
  const longBytes = longStrings.reduce((sum, { start, end }) => sum + end - start, 0);
  if (bytes.length - longBytes > parsedBytesMax) {
    throw tooLarge(`has more than ${parsedBytesMax} bytes beside its long texts`);
  }
  const { rest, strings } = await extractStrings(bytes, longStrings).catch(() => {
    throw invalidArgument('', notJson);
  });
  const text = decoded(rest);
  const value = parsed(text);
  if (restoreStrings(value, strings)) return checked(value, text, hasEscapes);
  throw invalidArgument('', `The name of a member has ${longStringBytesMin} bytes or more.`);
}

/** Throws the error of an exceeded bound, if any. */
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
  // No other text can contain the name, written out or with escapes.
  if ((hasEscapes || text.includes('__proto__')) && hasPrototypeName(value)) {
    throw invalidArgument('__proto__', 'is not allowed as the name of a member');
  }
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
