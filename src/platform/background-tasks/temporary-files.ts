// Temporary files of background tasks; those of dead processes are removed.

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';

export interface TemporaryFiles {
  /**
   * Gives `use` the path of a new file or folder, which is gone when this resolves. Nobody else is
   * given the same path: an attempt whose lease is lost may still be writing when the next begins.
   */
  withFile<Result>(use: (path: string) => Promise<Result>): Promise<Result>;
}

/** A folder for such files, made where there is none. Several processes may share it. */
export async function openTemporaryFiles(folder: string, clock: Clock): Promise<TemporaryFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const deadBeforeMs = clock.now() - limits.blobUnfinishedMsMax;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found && found.mtimeMs <= deadBeforeMs) await rm(path, { force: true, recursive: true });
  }
  return {
    withFile: async (use) => {
      const path = join(folder, randomUUID());
      try {
        return await use(path);
      } finally {
        await rm(path, { force: true, recursive: true });
      }
    },
  };
}
