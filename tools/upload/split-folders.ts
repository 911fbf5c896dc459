// The splits that folders give the images in them: train, valid and test, as datasets have them.

import {
  isKindFolder,
  splitOfFolders,
  splitOfName,
} from '../../src/annotation-formats/path-hints.ts';
import { count, splitList } from '../format.ts';
import { commonFolder, folderFinder, slashed } from './dataset-folders.ts';
import type { ListedSplits } from './split-lists.ts';

/**
 * By the folders below the one of all images, or by that one: a dataset may be taken folder by
 * folder. Undefined where none is called as a split is.
 */
export function splitsOfFolders(paths: readonly string[]): ListedSplits | undefined {
  const foldersOf = folderFinder(paths);
  const below = (path: string) => splitOfFolders(foldersOf(path));
  const ofAll = splitOfAll(paths);
  const splitOf = paths.some(below) ? below : () => ofAll;
  const counts = { train: 0, valid: 0, test: 0 };
  let others = 0;
  for (const path of paths) {
    const split = splitOf(path);
    if (split === undefined) others += 1;
    else counts[split] += 1;
  }
  if (others === paths.length) return undefined;
  const rest = others === 0 ? '' : ` ${count(others, 'image')} in no such folder, for train.`;
  return { splitOf, words: ` Splits as their folders are called: ${splitList(counts)}.${rest}` };
}

/** Of `valid/images` it is valid. The folder of a single image is named for other things. */
function splitOfAll(paths: readonly string[]) {
  if (paths.length < 2) return undefined;
  const folders = slashed(commonFolder(paths)).split('/');
  return splitOfName(folders.findLast((name) => !isKindFolder(name)) ?? '');
}
