// A JSON body with bounds: depth and number of members are known before anything is built.

import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';

/**
 * The object that a JSON body holds; an empty body is an empty object. Throws `invalid_input` for
 * broken JSON, broken UTF-8, another value than an object, too deep nesting and `__proto__`
 * members, and `too_large` for too many members.
 */
export function parseJsonBody(bytes: Uint8Array): Record<string, unknown> {
  const { hasEscapes } = checkBounds(bytes);
  let value: unknown;
  let text: string;
  try {
    text = utf8.decode(bytes);
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    throw invalidArgument('', 'The body is not valid JSON in UTF-8.');
  }
  if (!isRecord(value)) throw invalidArgument('', 'The body must be a JSON object.');
  // Only such a text can hold the name, written out or with escapes.
  if (hasEscapes || text.includes('__proto__')) refusePrototypes(value);
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const letterU = 0x75;
const opening = [0x5b, 0x7b];
const closing = [0x5d, 0x7d];

/** Also tells whether the text holds characters as `\u0041`, which may hide a name. */
function checkBounds(bytes: Uint8Array): { readonly hasEscapes: boolean } {
  let depth = 0;
  let elements = 0;
  let hasEscapes = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (byte === quote) {
      for (index += 1; index < bytes.length && bytes[index] !== quote; index += 1) {
        if (bytes[index] !== backslash) continue;
        index += 1;
        hasEscapes ||= bytes[index] === letterU;
      }
    } else if (byte === comma) elements += 1;
    else if (opening.includes(byte)) {
      elements += 1;
      depth += 1;
    } else if (closing.includes(byte)) depth -= 1;
    if (depth > limits.jsonDepthMax) {
      throw invalidArgument('', `The body is nested deeper than ${limits.jsonDepthMax} levels.`);
    }
    if (elements > limits.jsonElementsMax) {
      throw new FoveaError(
        'too_large',
        `The body has more than ${limits.jsonElementsMax} members.`,
      );
    }
  }
  return { hasEscapes };
}

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
