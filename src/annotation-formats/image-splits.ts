// The split of an image in a dataset: by its folders, else by a list that names it.

import type { SplitName } from '../contract/fields.ts';
import { limits } from '../limits.ts';
import { imageNameIn } from './image-list.ts';
import {
  baseName,
  type DatasetFile,
  foldersOf,
  splitOfFolders,
  splitOfName,
  stemOf,
} from './path-hints.ts';

export interface SplitList {
  readonly entry: DatasetFile;
  /** Keys of the images that it names. */
  readonly names: readonly string[];
}

/** The split of an image that its dataset says; undefined: it says none. */
export type FindSplit = (path: string) => SplitName | undefined;

/**
 * Lists as VOC has them (`ImageSets/Main/train.txt`: names without extensions, of one class with 1,
 * 0 or -1 behind) or Darknet (`train.txt`: paths). Lists in `Main` are about all images and go
 * before those in other folders.
 */
export function namedSplits(lists: readonly SplitList[]): ReadonlyMap<string, SplitName> {
  const named = new Map<string, SplitName>();
  for (const { entry, names } of inOrder(lists)) {
    const split = splitOfName(stemOf(entry.path));
    if (split === undefined) continue;
    for (const name of names) if (!named.has(name)) named.set(name, split);
  }
  return named;
}

/** What is to be said of images that lists of different splits name; by their keys. */
export function tornBetween(lists: readonly SplitList[]): ReadonlyMap<string, string> {
  const naming = new Map<string, SplitList[]>();
  for (const list of inOrder(lists)) {
    for (const name of list.names) {
      const before = naming.get(name) ?? [];
      // Lists elsewhere count for nothing where those in Main name the image.
      if (before[0] && rank(before[0].entry) !== rank(list.entry)) continue;
      naming.set(name, [...before, list]);
    }
  }
  return new Map(
    [...naming].flatMap(([name, several]): readonly (readonly [string, string])[] => {
      const splits = new Set(several.map(({ entry }) => splitOfName(stemOf(entry.path))));
      const files = several.map(({ entry }) => baseName(entry.path)).join(' and ');
      return splits.size > 1 ? [[name, `is in ${files}, of which the first counts`]] : [];
    }),
  );
}

export function splitFinder(named: ReadonlyMap<string, SplitName>): FindSplit {
  return (path) => splitOfFolders(foldersOf(path)) ?? named.get(keyOf(path));
}

/** By their paths, whatever their order in the dataset: test, train, val. */
function inOrder(lists: readonly SplitList[]): readonly SplitList[] {
  return lists.toSorted(
    (a, b) => rank(a.entry) - rank(b.entry) || (a.entry.path < b.entry.path ? -1 : 1),
  );
}

function rank({ path }: DatasetFile): number {
  return foldersOf(path).at(-1)?.toLowerCase() === 'main' ? 0 : 1;
}

/** The keys in a list that images of the dataset have, each once. */
export function namesIn(text: string, imageKeys: ReadonlySet<string>): readonly string[] {
  const names = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    // No path is so long.
    if (line.length > limits.zipNameCharactersMax) continue;
    const key = keyOf(imageNameIn(line));
    if (key !== '' && imageKeys.has(key)) names.add(key);
  }
  return [...names];
}

/** What lists call an image: its name without folders, and without the extension of an image. */
export function keyOf(path: string): string {
  return baseName(path).replace(/\.(jpe?g|jpe|jfif|png|webp|bmp|tiff?|avif)$/i, '');
}
