// Copies the files that rows refer to, and holds each against its hash where it comes to.

import { limits } from '../../limits.ts';
import { Semaphore } from '../../semaphore.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { isDamagedContent } from '../../storage/content-hash.ts';
import { isMissingContent, readWhole, referencedFiles } from '../referenced-files.ts';
import type { Progress } from './copy-rows.ts';

export interface FilesReport {
  readonly files: number;
  readonly bytes: number;
  /** Those that were not there yet. */
  readonly copied: number;
  /** Hashes of files that the source has not, or not as they were. */
  readonly lost: readonly string[];
  /** Hashes of files that are damaged where they came to. */
  readonly damaged: readonly string[];
}

/** `from` and `to` may be the same: then all are read. */
export async function copyFiles(
  reader: AsyncReader,
  { from, to }: { readonly from: BlobStore; readonly to: BlobStore },
  progress: Progress,
): Promise<FilesReport> {
  const counts = { files: 0, bytes: 0, copied: 0 };
  const bad: Record<BadFile, string[]> = { lost: [], damaged: [] };
  const move = async (hash: string) => {
    const outcome = await copyFile(hash, from, to);
    if (typeof outcome === 'string') {
      bad[outcome].push(hash);
      return;
    }
    counts.files += 1;
    counts.bytes += outcome.bytes;
    if (outcome.isCopied) counts.copied += 1;
    progress('Files', counts.files);
  };
  const permits = new Semaphore({ permitsMax: limits.moveFilesMax });
  for await (const hashes of referencedFiles(reader)) {
    await Promise.all(hashes.map((hash) => permits.run(() => move(hash))));
  }
  return { ...counts, ...bad };
}

type BadFile = 'lost' | 'damaged';

type Outcome = { readonly bytes: number; readonly isCopied: boolean } | BadFile;

async function copyFile(hash: string, from: BlobStore, to: BlobStore): Promise<Outcome> {
  const there = await readWhole(to, hash);
  if (typeof there === 'number') return { bytes: there, isCopied: false };
  if (there === 'damaged') return from === to ? 'lost' : 'damaged';
  if (from === to) return 'lost';
  if (!(await put(hash, from, to))) return 'lost';
  const bytes = await readWhole(to, hash);
  return typeof bytes === 'number' ? { bytes, isCopied: true } : 'damaged';
}

/** Whether the source has it as it was. */
async function put(hash: string, from: BlobStore, to: BlobStore): Promise<boolean> {
  try {
    await to.put(await from.open(hash));
    return true;
  } catch (thrown) {
    if (isDamagedContent(thrown, hash) || isMissingContent(thrown)) return false;
    throw thrown;
  }
}
