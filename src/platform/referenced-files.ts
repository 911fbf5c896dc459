// The stored files that rows refer to, by their hashes.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { AsyncReader } from '../storage/async-database.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { isDamagedContent, isHash } from '../storage/content-hash.ts';
import { blobReferences } from './database/create-store.ts';

/** Those that come after `last`, each once, in their order; in pages. */
export async function* referencedFiles(
  reader: Pick<AsyncReader, 'all'>,
  last = '',
): AsyncGenerator<readonly string[]> {
  const count = limits.moveHashesMax;
  for (let after = last; ; ) {
    const found = new Set<string>();
    for (const { table, column } of fileColumns()) {
      const sql = `SELECT DISTINCT ${column} AS hash FROM ${table} WHERE ${column} > ?
        ORDER BY ${column} LIMIT ?`;
      const hashes = await reader.all(sql, [after, count], (row) => row.text('hash'));
      for (const hash of hashes) found.add(hash);
    }
    // Each reference gives its first ones: so the first ones of all are among them.
    const page = [...found].sort().slice(0, count);
    yield page.filter(isHash);
    if (page.length < count) return;
    after = page.at(-1) ?? after;
  }
}

export interface FileColumn {
  readonly table: string;
  readonly column: string;
}

/** Where rows refer to files. */
export function fileColumns(): readonly FileColumn[] {
  return blobReferences.map((reference) => {
    const [, table, column] = /^SELECT 1 FROM (\w+) WHERE (\w+) = \?$/.exec(reference) ?? [];
    if (table === undefined || column === undefined) {
      throw new FoveaError('internal', 'A reference to files is not known.');
    }
    return { table, column };
  });
}

/** Its length, where it is what its hash says. Throws `unavailable` while the store is away. */
export async function readWhole(
  store: Pick<BlobStore, 'open'>,
  hash: string,
): Promise<number | 'missing' | 'damaged'> {
  try {
    let bytes = 0;
    for await (const piece of await store.open(hash)) bytes += piece.length;
    return bytes;
  } catch (thrown) {
    if (isDamagedContent(thrown, hash)) return 'damaged';
    if (isMissingContent(thrown)) return 'missing';
    throw thrown;
  }
}

export function isMissingContent(thrown: unknown): boolean {
  return thrown instanceof FoveaError && thrown.code === 'not_found';
}
