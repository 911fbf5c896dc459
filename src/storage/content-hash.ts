// SHA-256 of content: computed while it streams, and verified.

import { createHash, hash } from 'node:crypto';
import { FoveaError } from '../errors.ts';

/** Hex digits of a SHA-256. */
export const hashLength = 64;

export function sha256(content: Uint8Array): string {
  return hash('sha256', content);
}

/** Bytes with their SHA-256, which is computed once. The bytes must not change any more. */
export class HashedBytes {
  readonly bytes: Uint8Array;
  readonly hash: string;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.hash = sha256(bytes);
  }
}

export function isHash(name: string): boolean {
  return name.length === hashLength && /^[0-9a-f]+$/.test(name);
}

export function damaged(hash: string): FoveaError {
  return new FoveaError('internal', damageOf(hash));
}

/** Whether that is what was thrown. */
export function isDamagedContent(thrown: unknown, hash: string): boolean {
  return thrown instanceof FoveaError && thrown.message === damageOf(hash);
}

function damageOf(hash: string): string {
  return `The stored content ${hash} is damaged: it does not match its hash.`;
}

/** Hashes and counts the content that passes. */
export class ContentMeter {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  /** The same pieces, measured. */
  async *through(
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.take(piece);
      yield piece;
    }
  }

  take(piece: Uint8Array): void {
    this.#hash.update(piece);
    this.#bytes += piece.byteLength;
  }

  /** Measures to the end, keeping nothing. */
  async drain(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const measured = this.through(pieces);
    while (!(await measured.next()).done);
  }

  /** What has passed. Call it once, at the end. */
  measured(): { readonly hash: string; readonly bytes: number } {
    return { hash: this.#hash.digest('hex'), bytes: this.#bytes };
  }
}

/** The same pieces; the last one only after the whole has matched the hash, else throws. */
export async function* verified(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  hash: string,
): AsyncGenerator<Uint8Array> {
  const meter = new ContentMeter();
  let last: Uint8Array | undefined;
  for await (const piece of meter.through(pieces)) {
    if (last !== undefined) yield last;
    last = piece;
  }
  if (meter.measured().hash !== hash) throw damaged(hash);
  if (last !== undefined) yield last;
}

/** The whole as one piece, if there is one, once it has matched the hash; else throws. */
export function* verifiedAtOnce(content: Uint8Array, hash: string): Generator<Uint8Array> {
  if (sha256(content) !== hash) throw damaged(hash);
  if (content.byteLength > 0) yield content;
}
