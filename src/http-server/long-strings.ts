// Long strings of a JSON body, which images in base64 are: decoded once, and never parsed.

import { isAscii } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Span } from '../json-text.ts';

interface Cut {
  /** The body with a mark in the place of each string. */
  readonly rest: Uint8Array;
  readonly strings: readonly string[];
}

/** Unknown to whoever sends a body, so that no string of theirs is one. */
const mark = `${randomUUID()} `;

/** Cuts strings out of a body. Undefined where there are none, or one does not stand as it is. */
export function cutOut(bytes: Uint8Array, spans: readonly Span[]): Cut | undefined {
  if (spans.length === 0) return undefined;
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: Uint8Array[] = [];
  const strings: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    const content = whole.subarray(start, end);
    if (!isPlain(content)) return undefined;
    pieces.push(whole.subarray(from, start), Buffer.from(`${mark}${strings.length}`));
    strings.push(content.toString('latin1'));
    from = end;
  }
  pieces.push(whole.subarray(from));
  return { rest: Buffer.concat(pieces), strings };
}

/** Whether a string stands there as it is: ASCII without escapes and control characters. */
function isPlain(content: Buffer): boolean {
  if (!isAscii(content) || content.includes(backslash)) return false;
  // Four at a time: taking a blank from each leaves the highest bit where there was less.
  const padding = (4 - (content.byteOffset % 4)) % 4;
  const words = Math.max(0, Math.floor((content.length - padding) / 4));
  const aligned = new Int32Array(content.buffer, content.byteOffset + padding, words);
  let borrowed = 0;
  for (let index = 0; index < words; index += 1) borrowed |= (aligned[index] ?? 0) - blanks;
  const rest = [...content.subarray(0, padding), ...content.subarray(padding + words * 4)];
  return (borrowed & highestBits) === 0 && rest.every((byte) => byte >= blank);
}

const backslash = 0x5c;
const blank = 0x20;
const blanks = 0x20202020;
const highestBits = 0x80808080;

/** False where not all marks were found among the values, as when one is the name of a member. */
export function putBack(root: unknown, strings: readonly string[]): boolean {
  let found = 0;
  const original = (value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(mark)) return undefined;
    found += 1;
    return strings[Number(value.slice(mark.length))];
  };
  const waiting: object[] = isObject(root) ? [root] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, member] of Object.entries(next)) {
      const text = original(member);
      if (text !== undefined) Reflect.set(next, name, text);
      else if (isObject(member)) waiting.push(member);
    }
  }
  return found === strings.length;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
