// Temporary files of background tasks; those of dead processes are removed.

import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { removeAbandoned } from '../../storage/abandoned-files.ts';

export interface TemporaryFiles {
  /**
   * Calls `use` with the path of a new file or folder, and removes it afterwards. Paths are unique:
   * an attempt whose lease is lost may still be writing when the next one begins.
   */
  withFile<Result>(use: (path: string) => Promise<Result>): Promise<Result>;
}

/** Creates the folder where it is missing. Several processes may share it. */
export async function openTemporaryFiles(folder: string, clock: Clock): Promise<TemporaryFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder, clock);
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
