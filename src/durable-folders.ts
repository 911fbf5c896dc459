// Makes folders and new entries survive a power cut: an entry is durable only once its folder was
// synced.

import { closeSync, fsync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { systemErrorCode } from './errors.ts';

/**
 * Makes a folder, for its owner only, with all missing folders above it. One by one: Node's own
 * recursion never ends where a file system refuses folders as missing, such as /proc.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    if (made(folder)) syncFolderNow(dirname(folder));
  }
}

function isFolder(path: string): boolean {
  return (
    path === dirname(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  );
}

/** False: another process was first. */
function made(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'EEXIST' && isFolder(folder)) return false;
    throw thrown;
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

/** The same for several, whose syncs run together. The calling thread opens them. */
export async function syncFolders(paths: Iterable<string>): Promise<void> {
  if (canSyncFolders) await Promise.all([...paths].map(syncOpened));
}

async function syncOpened(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await promisify(fsync)(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The same, synchronously. */
export function syncFolderNow(path: string): void {
  if (!canSyncFolders) return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Windows opens no folders, and keeps their entries in a journal of its own. */
const canSyncFolders = process.platform !== 'win32';

/**
 * Callers that wait for the same folder share one sync, which begins after the last of them asked;
 * what is running already may have missed their entries. All of them get its error.
 */
export function createSharedSync(
  sync: (folder: string) => Promise<void>,
): (folder: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const begin = async (folder: string) => {
    await running.get(folder)?.catch(() => {});
    next.delete(folder);
    const work = sync(folder);
    running.set(folder, work);
    try {
      await work;
    } finally {
      if (running.get(folder) === work) running.delete(folder);
    }
  };
  return (folder) => {
    const waiting = next.get(folder) ?? begin(folder);
    next.set(folder, waiting);
    return waiting;
  };
}
