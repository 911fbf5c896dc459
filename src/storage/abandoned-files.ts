// Files and folders of processes that ended before they were done with them.

import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';

/** Removes from a folder what is so old that no process can still be at work on it. */
export async function removeAbandoned(folder: string, clock: Clock): Promise<void> {
  const deadBeforeMs = clock.now() - limits.blobUnfinishedMsMax;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs <= deadBeforeMs) await rm(path, { force: true, recursive: true });
  }
}
