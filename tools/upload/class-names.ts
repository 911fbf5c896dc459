// Class names by number, as YOLO files need them: a names file, or the data.yaml of a dataset.

import { stat } from 'node:fs/promises';
import {
  type ClassList,
  classNamesOfLines,
  differingLists,
  type FindClassList,
  findClassLists,
  isClassList,
  isYaml,
} from '../../src/annotation-formats/class-lists.ts';
import { invalidArgument } from '../../src/errors.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { fileAt } from '../format.ts';
import { openYamlReader, type YamlReader } from './data-yaml-reader.ts';
import { slashed } from './dataset-folders.ts';
import { datasetWideFiles } from './dataset-wide-files.ts';
import type { Labelmap } from './file-messages.ts';
import { readText } from './read-text.ts';

/**
 * The classes of a file with one name per line, or of a YAML file with `names` as a list or a map.
 * Throws `invalid_input` naming `argument` for a file without names or with errors.
 */
export async function readClassNames(
  files: FileRoots,
  path: string,
  argument: string,
  signal: AbortSignal,
): Promise<Labelmap> {
  const real = await files.readable(path, argument);
  const yaml = openYamlReader(argument, signal);
  try {
    const labelmap = await namesIn(real, path, argument, yaml);
    if (Object.keys(labelmap).length > 0) return labelmap;
  } finally {
    yaml.close();
  }
  const right = isYaml(real)
    ? 'a key "names" with a list of names, or with a map from numbers to names'
    : 'one class name per line';
  throw invalidArgument(argument, `${fileAt(path)} has no class names; expected ${right}`);
}

async function namesIn(
  real: string,
  path: string,
  argument: string,
  yaml: YamlReader,
): Promise<Labelmap> {
  if (isYaml(slashed(real))) return (await yaml.read(real, path)).labelmap;
  return classNamesOfLines(await readText(real, argument, limits.nameListBytesMax));
}

export interface FoundNames {
  /** By paths with slashes. */
  readonly find: FindClassList;
  readonly lists: readonly ClassList[];
  /** Files that may have class names, and cannot be read. */
  readonly unread: readonly string[];
}

/**
 * The files of class names in a folder of YOLO labels, below it and above it, as far as they can be
 * read below the file roots.
 */
export async function findClassNames(
  files: FileRoots,
  labels: string,
  argument: string,
  signal: AbortSignal,
): Promise<FoundNames> {
  const real = await files.readable(labels, argument);
  const isFolder = (await stat(real)).isDirectory();
  const place = { patterns: isFolder ? [labels] : [], folder: real };
  const extensions = ['.yaml', '.yml', '.names', '.labels', '.txt'];
  const found = await datasetWideFiles(files, place, argument, extensions, isClassList);
  const yaml = openYamlReader(argument, signal);
  const lists: ClassList[] = [];
  const unread: string[] = [];
  try {
    for (const { path, real } of found) {
      const labelmap = await namesIn(real, path, argument, yaml).catch(() => undefined);
      signal.throwIfAborted();
      if (labelmap === undefined) unread.push(path);
      else if (Object.keys(labelmap).length > 0) lists.push({ path: slashed(path), labelmap });
    }
  } finally {
    yaml.close();
  }
  return { find: findClassLists(lists), lists, unread };
}

/**
 * ` Class names from …`; empty where there is no file for them. `labels`: the YOLO files that
 * count.
 */
export function namesWords({ find, lists, unread }: FoundNames, labels: readonly string[]): string {
  if (lists.length === 0) {
    const files = shown(unread.map((path) => ({ path })));
    return unread.length === 0 ? '' : ` No class names: ${files} cannot be read.`;
  }
  const differing = differingLists(find, labels);
  if (differing.length > 0) return differingNames(differing.map(({ path }) => path));
  const [used] = labels.flatMap((label) => find(label) ?? []);
  if (used !== undefined) return ` Class names from ${fileAt(used.path)}.`;
  const what = `${lists.length} files have other class names each (${shown(lists)})`;
  return ` ${what}: name one in "labelmap_file", or upload each folder with its own.`;
}

/** Of files that count beside each other, and differ. */
export function differingNames(paths: readonly string[]): string {
  const files = `${paths.length} files that differ (${shown(paths.map((path) => ({ path })))})`;
  return ` Class names from ${files}: for each label file the nearest counts.`;
}

function shown(lists: readonly Pick<ClassList, 'path'>[]): string {
  const more = lists.length > filesShownMax ? ` and ${lists.length - filesShownMax} more` : '';
  return (
    lists
      .slice(0, filesShownMax)
      .map(({ path }) => fileAt(path))
      .join(', ') + more
  );
}

const filesShownMax = 5;
