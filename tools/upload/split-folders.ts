// The splits that folders give the images in them: train, valid and test, as datasets have them.

import { splitOfFolders } from '../../src/annotation-formats/path-hints.ts';
import { count, splitList } from '../format.ts';
import { folderFinder } from './dataset-folders.ts';
import type { ListedSplits } from './split-lists.ts';

/** Undefined where no folder below the one of all images is called as a split is. */
export function splitsOfFolders(paths: readonly string[]): ListedSplits | undefined {
  const foldersOf = folderFinder(paths);
  const splitOf = (path: string) => splitOfFolders(foldersOf(path));
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
