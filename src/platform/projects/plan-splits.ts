// Plans which image goes to which split: with as few moves as possible, or all at random.

import { type SplitName, splitName } from '../../contract/fields.ts';
import type { SplitCounts } from '../store/projects.ts';
import type { SplitMove } from '../store/rebalance.ts';
import { dealGroups, gatherGroups, type Settled, type SplitGroup } from './split-groups.ts';

export interface PlacedImage {
  readonly id: string;
  readonly split: SplitName;
}

/**
 * The moves after which the splits are as near to the shares as they can be: no fewer can do it.
 * `groups` of images keep together, and come first; what is said here holds for the others.
 *
 * Proof. Let split s have h(s) images and be to have w(s) of them. Whatever plan leads there, at
 * least max(0, h(s) - w(s)) images leave s; an image leaves one split only, so at least the sum of
 * these over the splits move. That is the number that moves here: images leave the splits that have
 * too many, so many of each, and no image goes to a split that has too many. Among the targets that
 * are equally near to the shares, `targetCounts` takes one with the least sum: only the rounding of
 * equal remainders is free, and rounding up saves a move just where a split has more than its
 * rounded-down number, each such split one.
 *
 * The order of a hash of `seed` and the image's id chooses which ones leave: the same seed gives
 * the same choice, also when some of its moves have been made. Moves are in the order of `images`.
 */
export function planRebalance(
  images: readonly PlacedImage[],
  shares: SplitCounts,
  seed: string,
  groups: readonly SplitGroup[] = [],
): readonly SplitMove[] {
  const wanted = targetCounts(images.length, shares, countSplits(images));
  const settled = gatherGroups(groups, wanted);
  return besides(settled, images, wanted, (single, left) => moveSurplus(single, left, seed));
}

/**
 * Gives every image a split at random, in the numbers of the shares; those that have it already
 * are left out. `seed` and order as above.
 */
export function planShuffle(
  images: readonly PlacedImage[],
  shares: SplitCounts,
  seed: string,
  groups: readonly SplitGroup[] = [],
): readonly SplitMove[] {
  const wanted = targetCounts(images.length, shares);
  const settled = dealGroups(groups, wanted, seed);
  return besides(settled, images, wanted, (single, left) =>
    movesOf(
      single,
      placesOf(single, seed),
      splitNames.map((name) => left[name]),
    ),
  );
}

export function countSplits(images: readonly PlacedImage[]): SplitCounts {
  const counts = { train: 0, valid: 0, test: 0 };
  for (const { split } of images) counts[split] += 1;
  return counts;
}

/** The moves of groups, with those of the images in none by the numbers that are left for them. */
function besides(
  settled: Settled,
  images: readonly PlacedImage[],
  wanted: SplitCounts,
  plan: (single: readonly PlacedImage[], left: SplitCounts) => readonly SplitMove[],
): readonly SplitMove[] {
  if (settled.size === 0) return plan(images, wanted);
  const single = images.filter(({ id }) => !settled.has(id));
  const left = { ...wanted };
  for (const split of settled.values()) left[split] = Math.max(0, left[split] - 1);
  const counts =
    single.length === 0 ? none : targetCounts(single.length, left, countSplits(single));
  const moves = plan(single, counts);
  const all: SplitMove[] = [];
  let at = 0;
  for (const { id, split } of images) {
    const to = settled.get(id);
    const move = moves[at];
    if (to !== undefined && to !== split) all.push({ imageId: id, to });
    if (move?.imageId !== id) continue;
    all.push(move);
    at += 1;
  }
  return all;
}

function moveSurplus(
  images: readonly PlacedImage[],
  wanted: SplitCounts,
  seed: string,
): readonly SplitMove[] {
  const has = countSplits(images);
  const leaving: number[] = [];
  for (const name of splitNames) {
    const surplus = has[name] - wanted[name];
    if (surplus <= 0) continue;
    for (const place of placesOf(images, seed, name).subarray(0, surplus)) leaving.push(place);
  }
  const missing = splitNames.map((name) => Math.max(0, wanted[name] - has[name]));
  return movesOf(images, leaving, missing);
}

/** Deals the images at these places out, so many to each split; in the order of `images`. */
function movesOf(
  images: readonly PlacedImage[],
  places: Iterable<number>,
  counts: readonly number[],
): readonly SplitMove[] {
  const dealt = new Uint8Array(images.length);
  let split = 0;
  let given = 0;
  for (const place of places) {
    while (split < counts.length && given === counts[split]) {
      split += 1;
      given = 0;
    }
    given += 1;
    dealt[place] = split + 1;
  }
  const moves: SplitMove[] = [];
  for (const [place, image] of images.entries()) {
    const to = splitNames[(dealt[place] ?? 0) - 1];
    if (to !== undefined && to !== image.split) moves.push({ imageId: image.id, to });
  }
  return moves;
}

/**
 * Places in `images`, all or those of one split, in the order of a hash; where two are equal, in
 * their own. Plain numbers, each the hash and the place together, sort in a tenth of the time that
 * texts of SHA-256 take: nobody gains by a chosen order, and nobody is answered meanwhile.
 */
function placesOf(images: readonly PlacedImage[], seed: string, split?: SplitName): Float64Array {
  const hashes = Math.min(2 ** 32, Math.floor(Number.MAX_SAFE_INTEGER / images.length));
  const start = hashOf(seed, 0x811c9dc5);
  const keys = new Float64Array(images.length);
  let count = 0;
  for (const [place, image] of images.entries()) {
    if (split !== undefined && image.split !== split) continue;
    keys[count] = (hashOf(image.id, start) % hashes) * images.length + place;
    count += 1;
  }
  const sorted = keys.subarray(0, count).sort();
  for (const [at, key] of sorted.entries()) sorted[at] = key % images.length;
  return sorted;
}

/** FNV-1a with the last steps of MurmurHash3, 32 bits: ids that differ little come far apart. */
function hashOf(text: string, start: number): number {
  let bits = start;
  for (let place = 0; place < text.length; place += 1) {
    bits = Math.imul(bits ^ text.charCodeAt(place), 0x01000193);
  }
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Train, valid, test: the order in which all else is equal. */
const splitNames: readonly SplitName[] = splitName.options;

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
