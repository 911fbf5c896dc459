// The splits that folders give the images in them: train, valid and test, as datasets have them.

import {
  isKindFolder,
  splitOfFolders,
  splitOfName,
} from '../../src/annotation-formats/path-hints.ts';
import { countedSplits, type FoundSplits } from './counted-splits.ts';
import { commonFolder, folderFinder, slashed } from './dataset-folders.ts';

/**
 * By the folders below the one of all images, or by that one: a dataset may be taken folder by
 * folder. Undefined where none is called as a split is.
 */
export function splitsOfFolders(paths: readonly string[]): FoundSplits | undefined {
  const foldersOf = folderFinder(paths);
  const below = (path: string) => splitOfFolders(foldersOf(path));
  const ofAll = splitOfAll(paths);
  const splitOf = paths.some(below) ? below : () => ofAll;
  return countedSplits(paths, splitOf, 'their folders are called');
}

/** Of `valid/images` it is valid. The folder of a single image is named for other things. */
function splitOfAll(paths: readonly string[]) {
  if (paths.length < 2) return undefined;
  const folders = slashed(commonFolder(paths)).split('/');
  return splitOfName(folders.findLast((name) => !isKindFolder(name)) ?? '');
}
