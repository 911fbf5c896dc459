// Writes a new file atomically: it is there as a whole or not at all, also after a power cut.

import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../durable-folders.ts';
import { FoveaError, invalidArgument, systemErrorCode } from '../errors.ts';
import { checkRealFolder, createRealFile } from '../file-access/open-real-file.ts';

export interface AtomicFile {
  write(chunk: Uint8Array): Promise<void>;
  /** Renames the file to its path, durably. */
  commit(): Promise<void>;
  /** Removes what was written. Does nothing after `commit`. */
  discard(): Promise<void>;
}

/**
 * Begins a file that `commit` renames to `path`, which contains no symbolic links
 * (file-access/open-real-file.ts). Until then it has another name in the same folder.
 * Throws `invalid_input` where a file is there already or none can be written; all of its methods
 * throw `full` where the disk is full.
 */
export async function createAtomicFile(path: string): Promise<AtomicFile> {
  await requireFree(path);
  const temporary = `${path}.${randomUUID()}.part`;
  const handle = await orExplain(createRealFile(temporary));
  let isOver = false;
  return {
    write: (chunk) => orExplain(handle.writeFile(chunk)),
    commit: async () => {
      await orExplain(handle.sync());
      await orExplain(handle.close());
      await requireFree(path);
      await checkRealFolder(path);
      await orExplain(rename(temporary, path));
      isOver = true;
      // The file is whole: a folder that refuses to be synced is no failure.
      await syncFolder(dirname(path)).catch(() => undefined);
    },
    discard: async () => {
      if (isOver) return;
      await closeQuietly(handle);
      await rm(temporary, { force: true });
    },
  };
}

async function requireFree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found) throw invalidArgument('path', 'is there already: give the path of a new file');
}

async function closeQuietly(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined);
}

async function orExplain<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof FoveaError) throw cause;
    const code = systemErrorCode(cause);
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const hint = 'Make room, or give a path on another disk.';
      throw new FoveaError('full', 'The disk is full: the file was not written.', { hint, cause });
    }
    throw invalidArgument('path', 'cannot be written: give a path in a folder that can be');
  }
}
