// Moves a long log of a SQLite file into the file in a thread: whoever commits next would do it
// otherwise, and for the log of a large version that holds up all others for half a second.

import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { limits } from '../limits.ts';
import { WorkerThread } from '../worker-thread.ts';

/**
 * Calls `release`, which ends the snapshot that kept the log, and resolves once the log is moved.
 * Throws nothing: what is not moved stays in the log, and is moved by a later commit.
 */
export async function moveLogAfter(path: string, release: () => void): Promise<void> {
  if ((await logBytesOf(path)) < limits.databaseLogMovedBytes) {
    release();
    return;
  }
  const entry = new URL(`./log-worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new WorkerThread<'move', 'ready' | 'moved'>({ entry, data: path });
  try {
    // It is there before anybody else may begin with the log.
    await thread.started();
    release();
    await thread.ask('move', { msMax: limits.databaseLogMoveMsMax });
  } finally {
    await thread.terminate();
  }
}

async function logBytesOf(path: string): Promise<number> {
  const log = await stat(`${path}-wal`).catch(() => undefined);
  return log?.size ?? 0;
}
