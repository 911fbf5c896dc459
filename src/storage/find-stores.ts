// The database files of a data folder, and whether they are sound.

import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { limits } from '../limits.ts';
import { checkFile, type FileState } from './check-file.ts';

interface FoundStore {
  /** Below the data folder. */
  readonly name: string;
  readonly bytes: number;
  readonly state: FileState;
}

/** In the folder and one level below; none where there is no folder yet. */
export async function findStores(home: string): Promise<readonly FoundStore[]> {
  const entries = await readdir(home, { withFileTypes: true }).catch(() => []);
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(home, name));
  const inside = await Promise.all(
    [home, ...folders].map(async (folder) => {
      const names = await readdir(folder).catch((): string[] => []);
      return names.filter((name) => /\.(db|sqlite)$/.test(name)).map((name) => join(folder, name));
    }),
  );
  return Promise.all(
    inside
      .flat()
      .toSorted()
      .map(async (path) => {
        const { size } = await stat(path);
        const state = checkFile(path, size, limits.doctorStoreBytesMax);
        return { name: relative(home, path), bytes: size, state };
      }),
  );
}
