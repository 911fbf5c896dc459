// How files are called below the folder that all of a dataset have in common.

import { dirname, relative, sep } from 'node:path';
import { type DatasetFile, foldersOf } from '../../src/annotation-formats/path-hints.ts';

/** Where a file lies, and what it is called in the dataset. */
export interface PlacedFile extends DatasetFile {
  readonly real: string;
  /** The path that it was found by, with slashes. */
  readonly foundAt: string;
}

/** Names the files of a dataset, which consists of these; `real`: where a file is read. */
export function placer(paths: readonly string[]): (path: string, real?: string) => PlacedFile {
  const base = commonFolder(paths);
  return (path, real = path) => ({
    real,
    path: slashed(relative(base, path)),
    foundAt: slashed(path),
  });
}

/** The folders above a file of a dataset, which consists of these, from the outermost on. */
export function folderFinder(paths: readonly string[]): (path: string) => readonly string[] {
  const place = placer(paths);
  return (path) => foldersOf(place(path).path);
}

/** The deepest folder that all files are in or below. */
export function commonFolder(paths: readonly string[]): string {
  const [first = '', ...others] = [...new Set(paths.map((path) => dirname(path)))];
  const parts = first.split(sep);
  const shared = others.reduce((least, folder) => {
    const other = folder.split(sep);
    const differs = parts.findIndex((part, index) => part !== other[index]);
    return Math.min(least, differs === -1 ? parts.length : differs);
  }, parts.length);
  return parts.slice(0, shared).join(sep) || sep;
}

export function slashed(path: string): string {
  return path.split(sep).join('/');
}
