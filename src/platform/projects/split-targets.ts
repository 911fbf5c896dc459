// How many images each split is to have.

import { type SplitName, splitName } from '../../contract/fields.ts';
import type { SplitCounts } from '../store/projects.ts';

/** Train, valid, test: the order in which all else is equal. */
export const splitNames: readonly SplitName[] = splitName.options;

/**
 * Whole numbers of images that are as near to the shares as whole numbers can be, and add up to
 * `images`: the largest remainders are rounded up (the sum of the squared differences is least).
 * Where remainders are equal, the split that has more than its rounded-down number keeps one more,
 * so that no image moves for nothing; then train comes before valid and test. `shares` are whole
 * numbers of at least 0, one of them greater.
 */
export function targetCounts(
  images: number,
  shares: SplitCounts,
  has: SplitCounts = none,
): SplitCounts {
  const sum = splitNames.reduce((total, name) => total + BigInt(shares[name]), 0n);
  const exact = splitNames.map((name) => {
    // Shares may be as large as numbers go.
    const product = BigInt(images) * BigInt(shares[name]);
    return { name, whole: Number(product / sum), remainder: product % sum };
  });
  const missing = images - exact.reduce((total, { whole }) => total + whole, 0);
  const up = exact
    .toSorted((a, b) => compare(b.remainder, a.remainder) || above(b, has) - above(a, has))
    .slice(0, missing);
  const counts = { ...none };
  for (const part of exact) counts[part.name] = part.whole + (up.includes(part) ? 1 : 0);
  return counts;
}

const none = { train: 0, valid: 0, test: 0 };

function compare(a: bigint, b: bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function above({ name, whole }: { name: SplitName; whole: number }, has: SplitCounts): number {
  return has[name] > whole ? 1 : 0;
}
