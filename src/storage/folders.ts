// Folders that survive a power cut: a new entry is there only after its folder was fsynced.

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes a folder, for its owner only, with all missing folders above it. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const last = dirname(resolve(first));
  for (let above = dirname(resolve(path)); above.length >= last.length; above = dirname(above)) {
    syncFolderNow(above);
    if (above === last) return;
  }
}

/** Writes a folder's entries to the disk. */
export async function syncFolder(path: string): Promise<void> {
  if (!canSyncFolders) return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Likewise, for those who cannot wait. */
export function syncFolderNow(path: string): void {
  if (!canSyncFolders) return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The operating system's name of what went wrong, for example `ENOENT`. */
export function errorCode(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}

/** Windows opens no folders, and keeps their entries in a journal of its own. */
const canSyncFolders = process.platform !== 'win32';
