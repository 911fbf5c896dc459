// Plans of who goes to which split, held against every other way to get there.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SplitName } from '../../../src/contract/fields.ts';
import {
  countSplits,
  type PlacedImage,
  planRebalance,
  planShuffle,
  targetCounts,
} from '../../../src/platform/projects/plan-splits.ts';
import type { SplitCounts } from '../../../src/platform/store/projects.ts';
import type { SplitMove } from '../../../src/platform/store/rebalance.ts';

const names: readonly SplitName[] = ['train', 'valid', 'test'];

const split = fc.constantFrom<SplitName>('train', 'valid', 'test');
const splits = fc.array(split, { maxLength: 30 });
const shares = fc
  .record({ train: fc.nat(100), valid: fc.nat(100), test: fc.nat(100) })
  .filter(({ train, valid, test }) => train + valid + test > 0);

function place(splits: readonly SplitName[]): readonly PlacedImage[] {
  return splits.map((split, number) => ({ id: `image-${number}`, split }));
}

function made(images: readonly PlacedImage[], moves: readonly SplitMove[]) {
  const to = new Map(moves.map((move) => [move.imageId, move.to]));
  return images.map(({ id, split }) => ({ id, split: to.get(id) ?? split }));
}

/** All ways to share out so many images. */
function everyCount(images: number): readonly SplitCounts[] {
  const upTo = (n: number) => Array.from({ length: n + 1 }, (_, i) => i);
  return upTo(images).flatMap((train) =>
    upTo(images - train).map((valid) => ({ train, valid, test: images - train - valid })),
  );
}

/** How far counts are from the shares: squared, in units that stay whole. */
function distance(counts: SplitCounts, images: number, shares: SplitCounts): number {
  const sum = shares.train + shares.valid + shares.test;
  return names.reduce((far, name) => far + (counts[name] * sum - images * shares[name]) ** 2, 0);
}

function movesBetween(from: SplitCounts, to: SplitCounts): number {
  return names.reduce((moves, name) => moves + Math.max(0, from[name] - to[name]), 0);
}

describe('a rebalance', () => {
  it('moves as few images as any way to the nearest shares does', () => {
    fc.assert(
      fc.property(splits, shares, fc.string(), (splits, shares, seed) => {
        const images = place(splits);
        const moves = planRebalance(images, shares, seed);
        const before = countSplits(images);
        const after = countSplits(made(images, moves));
        const all = everyCount(images.length);
        const nearest = Math.min(...all.map((to) => distance(to, images.length, shares)));
        const best = all.filter((to) => distance(to, images.length, shares) === nearest);
        const lowerBound = Math.min(...best.map((to) => movesBetween(before, to)));
        expect(distance(after, images.length, shares)).toBe(nearest);
        expect(moves).toHaveLength(lowerBound);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is within one image of the exact shares, moves no image twice, and none in vain', () => {
    fc.assert(
      fc.property(splits, shares, (splits, shares) => {
        const images = place(splits);
        const moves = planRebalance(images, shares, 'a');
        const after = countSplits(made(images, moves));
        const sum = shares.train + shares.valid + shares.test;
        for (const name of names) {
          const exact = (images.length * shares[name]) / sum;
          expect(Math.abs(after[name] - exact)).toBeLessThan(1);
        }
        expect(new Set(moves.map(({ imageId }) => imageId)).size).toBe(moves.length);
        const from = new Map(images.map(({ id, split }) => [id, split]));
        for (const { imageId, to } of moves) expect(from.get(imageId)).not.toBe(to);
        expect(planRebalance(made(images, moves), shares, 'b')).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('goes on to the same end when some of its moves have been made', () => {
    fc.assert(
      fc.property(splits, shares, fc.nat(), (splits, shares, part) => {
        const images = place(splits);
        const moves = planRebalance(images, shares, 'task');
        const half = moves.slice(0, part % (moves.length + 1));
        const rest = planRebalance(made(images, half), shares, 'task');
        expect(half.length + rest.length).toBe(moves.length);
        const ids = [...half, ...rest].map(({ imageId }) => imageId).sort();
        expect(ids).toEqual(moves.map(({ imageId }) => imageId).sort());
      }),
      { numRuns: 1_000 },
    );
  });

  it('chooses by its seed which images move', () => {
    const images = place(Array<SplitName>(200).fill('train'));
    const shares = { train: 1, valid: 1, test: 0 };
    const ids = (seed: string) =>
      planRebalance(images, shares, seed)
        .map(({ imageId }) => imageId)
        .sort();
    expect(ids('a')).toHaveLength(100);
    expect(ids('a')).toEqual(ids('a'));
    expect(ids('a')).not.toEqual(ids('b'));
  });
});

describe('a shuffle', () => {
  it('gives the shares, leaves out what stays, and is the same again', () => {
    fc.assert(
      fc.property(splits, shares, fc.nat(), (splits, shares, part) => {
        const images = place(splits);
        const moves = planShuffle(images, shares, 'task');
        const after = made(images, moves);
        expect(countSplits(after)).toEqual(targetCounts(images.length, shares));
        const half = made(images, moves.slice(0, part % (moves.length + 1)));
        expect(made(half, planShuffle(half, shares, 'task'))).toEqual(after);
      }),
      { numRuns: 1_000 },
    );
  });

  it('takes no heed of where images were', () => {
    const shares = { train: 70, valid: 20, test: 10 };
    const wasTrain = place(Array<SplitName>(100).fill('train'));
    const wasTest = place(Array<SplitName>(100).fill('test'));
    const ends = [wasTrain, wasTest].map((images) =>
      made(images, planShuffle(images, shares, 's')),
    );
    expect(ends[0]).toEqual(ends[1]);
  });
});

describe('targets', () => {
  it.each([
    [364, { train: 70, valid: 20, test: 10 }, { train: 255, valid: 73, test: 36 }],
    [10, { train: 1, valid: 1, test: 1 }, { train: 4, valid: 3, test: 3 }],
    [1, { train: 1, valid: 1, test: 1 }, { train: 1, valid: 0, test: 0 }],
    [5, { train: 0, valid: 0, test: 3 }, { train: 0, valid: 0, test: 5 }],
    [0, { train: 70, valid: 20, test: 10 }, { train: 0, valid: 0, test: 0 }],
    [3, { train: 2 ** 53 - 1, valid: 2 ** 53 - 1, test: 0 }, { train: 2, valid: 1, test: 0 }],
  ])('share out %i images by %o as %o', (images, shares, expected) => {
    expect(targetCounts(images, shares)).toEqual(expected);
  });

  it('leave the odd image where it is', () => {
    const shares = { train: 1, valid: 1, test: 0 };
    expect(targetCounts(3, shares, { train: 1, valid: 2, test: 0 })).toEqual({
      train: 1,
      valid: 2,
      test: 0,
    });
  });
});
