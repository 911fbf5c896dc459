// A file store in memory: what the suite holds against the folder, so that it judges the interface.

import { Readable } from 'node:stream';
import { notFound } from '../../src/errors.ts';
import type { FileStore } from '../../src/storage/file-store.ts';

export function memoryFiles(): FileStore {
  const kept = new Map<string, Buffer>();
  const find = (id: string) => {
    const content = kept.get(id);
    if (content === undefined) throw notFound('file', id);
    return content;
  };
  return {
    write: async (id, content) => {
      const pieces: Uint8Array[] = [];
      if (content instanceof Uint8Array) pieces.push(content);
      else for await (const piece of content) pieces.push(piece);
      const all = Buffer.concat(pieces);
      kept.set(id, all);
      return { bytes: all.length, diskBytes: all.length };
    },
    open: async (id, range) => {
      const content = find(id);
      const part = range ? content.subarray(range.start, range.end + 1) : content;
      return Readable.from(part.length > 0 ? [part] : [], { objectMode: false });
    },
    read: async (id) => find(id),
    size: async (id) => find(id).length,
    remove: async (ids) => {
      for (const id of ids) kept.delete(id);
    },
    ids: async function* () {
      yield* kept.keys();
    },
    freeBytes: async () => 1_000_000,
    clearUnfinished: async () => 0,
  };
}
