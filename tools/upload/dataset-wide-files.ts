// The files of a dataset that are about all of it: among its other files, or in a folder above.

import { readdir } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import type { FileRoots, NamedFile } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { slashed } from './dataset-folders.ts';

export interface DatasetWideFiles {
  /** Below these, at any depth. */
  readonly patterns: readonly string[];
  /** Right in this folder, and in those above it. */
  readonly folder: string;
}

/**
 * Each once, those nearest to the top first, as many as are worth reading. What lies outside of the
 * file roots is left out.
 */
export async function datasetWideFiles(
  files: FileRoots,
  { patterns, folder }: DatasetWideFiles,
  argument: string,
  extensions: readonly string[],
  isWanted: (path: string) => boolean,
): Promise<readonly NamedFile[]> {
  const below = await Promise.all(
    patterns.map((pattern) => files.find([pattern], argument, { extensions }).catch(() => [])),
  );
  const found = new Map(below.flat().map((file) => [file.real, file]));
  let at = folder;
  for (let level = 0; level < limits.classNamesLevelsMax; level += 1) {
    const own = await files.readable(at, argument).catch(() => undefined);
    const names = own === undefined ? [] : await readdir(own).catch(() => []);
    for (const name of names) {
      if (!extensions.includes(extname(name).toLowerCase()) || !isWanted(name)) continue;
      const path = join(at, name);
      const real = await files.readable(path, argument).catch(() => undefined);
      if (real !== undefined && !found.has(real)) found.set(real, { path, real });
    }
    at = dirname(at);
  }
  return [...found.values()]
    .filter(({ path }) => isWanted(slashed(path)))
    .sort((a, b) => depth(a) - depth(b) || (a.path < b.path ? -1 : 1))
    .slice(0, limits.classListFilesMax);
}

function depth({ path }: NamedFile): number {
  return slashed(path).split('/').length;
}
