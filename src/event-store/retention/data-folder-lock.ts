// Every process that uses a data folder holds a shared lock on it for as long as it lives.

import { setTimeout as wait } from 'node:timers/promises';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Lock, tryLock } from '../../storage/file-lock.ts';

export interface DataFolderLock {
  release(): void;
}

/**
 * Takes the shared lock. If no other process holds it, first runs `whileExclusive` under an
 * exclusive lock; processes that start meanwhile wait. Throws `conflict` when that takes too long.
 */
export async function lockDataFolder(
  path: string,
  whileExclusive: () => Promise<void>,
): Promise<DataFolderLock> {
  const exclusive = tryLock(path, 'exclusive');
  try {
    if (exclusive) await whileExclusive();
  } finally {
    exclusive?.release();
  }
  // Between the two locks another process may get the exclusive lock. That is harmless: this
  // process has written nothing so far.
  const shared = await takeShared(path);
  return { release: () => shared.release() };
}

async function takeShared(path: string): Promise<Lock> {
  for (let leftMs = limits.databaseBusyMsMax; leftMs > 0; leftMs -= retryMs) {
    const lock = tryLock(path, 'shared');
    if (lock) return lock;
    await wait(retryMs);
  }
  throw new FoveaError('conflict', 'Another process keeps the data folder to itself.');
}

const retryMs = 20;
