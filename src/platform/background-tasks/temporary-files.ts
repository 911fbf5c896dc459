// Temporary files of background tasks; those of dead processes are removed.

import { randomUUID } from 'node:crypto';
import { mkdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import { removeAbandoned } from '../../storage/abandoned-files.ts';

export interface TemporaryFiles {
  /**
   * Calls `use` with the path of a new file or folder, and removes it afterwards. Paths are unique:
   * an attempt whose lease is lost may still be writing when the next one begins.
   */
  withFile<Result>(use: (path: string) => Promise<Result>): Promise<Result>;
  /**
   * Calls `use` with a folder that the attempts at one task share on this machine. It stays until
   * `forget`, or until a process starts an hour after the last attempt.
   */
  withShared<Result>(name: string, use: (folder: string) => Promise<Result>): Promise<Result>;
  forget(name: string): Promise<void>;
}

/** Creates the folder where it is missing. Several processes may share it. */
export async function openTemporaryFiles(folder: string, clock: Clock): Promise<TemporaryFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder, clock);
  return {
    withFile: async (use) => {
      const path = join(folder, randomUUID());
      try {
        return await inUse(path, clock, use);
      } finally {
        await rm(path, { force: true, recursive: true });
      }
    },
    withShared: async (name, use) => {
      const path = join(folder, name);
      await mkdir(path, { recursive: true, mode: 0o700 });
      return inUse(path, clock, use);
    },
    forget: (name) => rm(join(folder, name), { force: true, recursive: true }),
  };
}

/** A training reads its dataset for hours: other processes that start must not take it for left. */
async function inUse<Result>(
  path: string,
  clock: Clock,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const touch = async () => {
    const now = clock.now() / 1_000;
    await utimes(path, now, now).catch(() => undefined);
  };
  const touching = setInterval(touch, limits.blobUnfinishedMsMax / 4).unref();
  try {
    return await use(path);
  } finally {
    clearInterval(touching);
  }
}
