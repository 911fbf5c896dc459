// Who else uses a data folder: each process holds a lock on it for as long as it lives.

import { setTimeout as wait } from 'node:timers/promises';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Lock, tryLock } from '../../storage/file-lock.ts';

export interface Presence {
  release(): void;
}

/**
 * Makes this process known to the others of a data folder. While it is certainly alone it runs
 * `whileAlone`; another process that starts waits for that. Throws `conflict` when another one
 * takes too long over it.
 */
export async function enterFolder(
  path: string,
  whileAlone: () => Promise<void>,
): Promise<Presence> {
  const exclusive = tryLock(path, 'exclusive');
  try {
    if (exclusive) await whileAlone();
  } finally {
    exclusive?.release();
  }
  // Between the two locks another process may find itself alone. It is right: nothing was written
  // here so far.
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
