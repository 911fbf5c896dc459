// Long strings of a JSON body, such as images in base64: cut out, decoded in steps that let other
// requests in between, and put back after the rest was parsed.

import { isAscii } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isObjectOrArray } from '../json-object.ts';
import type { Span } from '../json-scanner.ts';
import { limits } from '../limits.ts';

interface Extracted {
  /** The body with a mark in the place of each string. */
  readonly rest: Uint8Array;
  readonly strings: readonly string[];
}

/** Random, so that no string in a body can look like a mark. */
const mark = `${randomUUID()} `;

/** Cuts strings out of a body. Rejects if one is not a JSON string in UTF-8. */
export async function extractStrings(
  bytes: Uint8Array,
  spans: readonly Span[],
): Promise<Extracted> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pieces: Uint8Array[] = [];
  const strings: string[] = [];
  const steps = new Steps();
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(whole.subarray(from, start), Buffer.from(`${mark}${strings.length}`));
    strings.push(await readString(whole.subarray(start, end), steps));
    from = end;
  }
  pieces.push(whole.subarray(from));
  return { rest: Buffer.concat(pieces), strings };
}

/** Yields to the event loop after each `limits.longTextStepBytes`. */
class Steps {
  #bytes = 0;

  async after(bytes: number): Promise<void> {
    this.#bytes += bytes;
    if (this.#bytes < limits.longTextStepBytes) return;
    this.#bytes = 0;
    await setImmediate();
  }
}

async function readString(content: Buffer, steps: Steps): Promise<string> {
  if (isPlain(content)) {
    await steps.after(content.length);
    return content.toString('latin1');
  }
  const pieces: string[] = [];
  for (let from = 0; from < content.length; ) {
    const to = pieceEnd(content, from);
    pieces.push(unescaped(content.subarray(from, to)));
    await steps.after(to - from);
    from = to;
  }
  return pieces.join('');
}

/** Where a string can be cut without splitting an escape or a character. */
function pieceEnd(content: Buffer, from: number): number {
  let end = from + limits.longTextStepBytes;
  if (end >= content.length) return content.length;
  while (((content[end] ?? 0) & 0xc0) === 0x80 && end > from + 1) end -= 1;
  // The longest escape has six bytes: an escape that began earlier is complete.
  const last = content.lastIndexOf(backslash, end - 1);
  if (last < from || end - last >= 6) return end;
  let first = last;
  while (first > from && content[first - 1] === backslash) first -= 1;
  const beginsEscape = (last - first) % 2 === 0;
  const isOver = content[last + 1] !== letterU && end - last >= 2;
  return beginsEscape && !isOver ? last : end;
}

function unescaped(piece: Buffer): string {
  const text: unknown = JSON.parse(`"${utf8.decode(piece)}"`);
  return String(text);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const letterU = 0x75;

/** Whether a string needs no decoding: ASCII without escapes and control characters. */
function isPlain(content: Buffer): boolean {
  if (!isAscii(content) || content.includes(backslash)) return false;
  // Four bytes at a time: subtracting 0x20 from each sets the highest bit of smaller ones.
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

/** Puts the strings back; false if one is the name of a member. */
export function restoreStrings(root: unknown, strings: readonly string[]): boolean {
  const original = (value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(mark)) return undefined;
    return strings[Number(value.slice(mark.length))];
  };
  const waiting: object[] = isObjectOrArray(root) ? [root] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [name, member] of Object.entries(next)) {
      if (name.startsWith(mark)) return false;
      const text = original(member);
      if (text !== undefined) Reflect.set(next, name, text);
      else if (isObjectOrArray(member)) waiting.push(member);
    }
  }
  return true;
}
