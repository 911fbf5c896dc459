// A blob store in memory: the smallest thing that keeps the interface's promises to its callers.

import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../src/clock.ts';
import { FoveaError, notFound } from '../../src/errors.ts';
import type { BlobContent, BlobStore } from '../../src/storage/blob-store.ts';
import { HashedBytes } from '../../src/storage/content-hash.ts';

interface Kept {
  content: Uint8Array;
  touchedMs: number;
}

/** The store, and what it keeps: for tests that damage it. */
export function memoryBlobs(clock: Clock): BlobStore & { readonly kept: Map<string, Kept> } {
  const kept = new Map<string, Kept>();
  const find = (hash: string) => {
    const found = kept.get(hash);
    if (found === undefined) throw notFound('stored content', hash);
    return found.content;
  };
  const get = async (hash: string) => {
    const content = find(hash);
    if (sha256(content) === hash) return content;
    throw new FoveaError('internal', `The stored content ${hash} is damaged.`);
  };
  const put = async (given: BlobContent) => {
    const content = given instanceof HashedBytes ? given.bytes : given;
    const whole = Uint8Array.from(
      content instanceof Uint8Array ? content : await buffer(Readable.from(content)),
    );
    const hash = sha256(whole);
    kept.set(hash, { content: whole, touchedMs: clock.now() });
    return { hash, bytes: whole.byteLength };
  };
  return {
    kept,
    put,
    file: () => undefined,
    get,
    putFile: async (path) => {
      const blob = await put(await readFile(path));
      await rm(path);
      return blob;
    },
    open: async (hash) => {
      find(hash);
      return Readable.from(
        lazily(() => get(hash)),
        { objectMode: false },
      );
    },
    openRange: async (hash, { start, end }) => Readable.from([find(hash).slice(start, end + 1)]),
    link: async () => undefined,
    size: async (hash) => find(hash).byteLength,
    has: async (hash) => kept.has(hash),
    sweep: async (isReferenced, olderThanMs) => {
      const youngFromMs = clock.now() - olderThanMs;
      const result = { removed: 0, bytesRemoved: 0, kept: 0 };
      for (const [hash, blob] of kept) {
        const goes = blob.touchedMs <= youngFromMs && !(await isReferenced(hash));
        if (goes && (kept.get(hash)?.touchedMs ?? 0) <= youngFromMs) {
          kept.delete(hash);
          result.removed += 1;
          result.bytesRemoved += blob.content.byteLength;
        } else result.kept += 1;
      }
      return result;
    },
  };
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function* lazily(content: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield await content();
}
