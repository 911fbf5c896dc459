// The splits that a dataset gives the images of an upload, and the words for them.

import type { SplitName } from '../../src/contract/fields.ts';
import { count, splitList } from '../format.ts';

export interface FoundSplits {
  /** Undefined: none is said of the image. */
  splitOf(path: string): SplitName | undefined;
  /** ` Splits as in ImageSets/Main: 8 train, 2 valid, 2 test.` */
  readonly words: string;
  /** Of images that are left open: ` 1 image in none of them, for train.` */
  readonly restWords: string;
}

/** ` Splits as ${what}: 8 train, 2 valid, 0 test.` Undefined where no image has one. */
export function countedSplits(
  paths: readonly string[],
  splitOf: FoundSplits['splitOf'],
  what: string,
): FoundSplits | undefined {
  const counts = { train: 0, valid: 0, test: 0 };
  let others = 0;
  for (const path of paths) {
    const split = splitOf(path);
    if (split === undefined) others += 1;
    else counts[split] += 1;
  }
  if (others === paths.length) return undefined;
  const rest = others === 0 ? '' : ` ${count(others, 'image')} in none of them, for train.`;
  return { splitOf, words: ` Splits as ${what}: ${splitList(counts)}.`, restWords: rest };
}
