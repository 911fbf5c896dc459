// A JSON body with bounds: depth and number of members are known before anything is built.

import { FoveaError, invalidArgument } from '../errors.ts';
import {
  excessWords,
  type JsonBounds,
  type JsonExcess,
  jsonExcess,
  longStringBytesMin,
  outlineOf,
} from '../json-text.ts';
import { limits } from '../limits.ts';
import { cutOut, putBack } from './long-strings.ts';

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
    if (this.#bytes === undefined || this.#bytes.length >= longStringBytesMin) return undefined;
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
  refuse(jsonExcess(text, bounds));
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw invalidArgument('', notJson);
  }
  return checked(value, text, text.includes('\\u'));
}

const bounds: JsonBounds = {
  elementsMax: limits.jsonElementsMax,
  depthMax: limits.jsonDepthMax,
  membersMax: limits.jsonElementsMax,
};

function refuse(excess: JsonExcess | undefined): void {
  if (excess === undefined) return;
  const message = `The body ${excessWords(excess, bounds)}.`;
  throw excess === 'depth' ? invalidArgument('', message) : new FoveaError('too_large', message);
}

function parseLong(bytes: Uint8Array): JsonMembers {
  const { excess, hasEscapes, longStrings } = outlineOf(bytes, bounds);
  refuse(excess);
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
