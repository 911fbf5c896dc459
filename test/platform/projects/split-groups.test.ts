// Plans for groups of near-duplicates: each in one split, the shares as near as that allows.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SplitName } from '../../../src/contract/fields.ts';
import {
  countSplits,
  planRebalance,
  planShuffle,
  targetCounts,
} from '../../../src/platform/projects/plan-splits.ts';
import type { SplitMove } from '../../../src/platform/store/rebalance.ts';

type Image = { readonly id: string; readonly split: SplitName };

const split = fc.constantFrom<SplitName>('train', 'valid', 'test');
const shares = fc
  .record({ train: fc.nat(100), valid: fc.nat(100), test: fc.nat(100) })
  .filter(({ train, valid, test }) => train + valid + test > 0);

/** Images by groups of two to five, and single ones. */
const grouped = fc.record({
  groups: fc.array(fc.array(split, { minLength: 2, maxLength: 5 }), { maxLength: 8 }),
  singles: fc.array(split, { maxLength: 20 }),
});

function place({ groups, singles }: { groups: SplitName[][]; singles: SplitName[] }) {
  const named = groups.map((group, number) => ({
    images: group.map((split, at): Image => ({ id: `group-${number}-${at}`, split })),
  }));
  const others = singles.map((split, at): Image => ({ id: `single-${at}`, split }));
  return { groups: named, images: [...named.flatMap(({ images }) => images), ...others] };
}

function made(images: readonly Image[], moves: readonly SplitMove[]): readonly Image[] {
  const to = new Map(moves.map((move) => [move.imageId, move.to]));
  return images.map(({ id, split }) => ({ id, split: to.get(id) ?? split }));
}

function splitsOf(group: { images: readonly Image[] }, images: readonly Image[]): Set<SplitName> {
  const ids = new Set(group.images.map(({ id }) => id));
  return new Set(images.filter(({ id }) => ids.has(id)).map(({ split }) => split));
}

describe.each([
  ['a rebalance', planRebalance],
  ['a shuffle', planShuffle],
])('%s', (_name, plan) => {
  it('leaves no group in two splits, and moves no image in vain or twice', () => {
    fc.assert(
      fc.property(grouped, shares, fc.string(), (made0, shares, seed) => {
        const { groups, images } = place(made0);
        const moves = plan(images, shares, seed, groups);
        const after = made(images, moves);
        for (const group of groups) expect(splitsOf(group, after).size).toBe(1);
        const from = new Map(images.map(({ id, split }) => [id, split]));
        expect(new Set(moves.map(({ imageId }) => imageId)).size).toBe(moves.length);
        for (const { imageId, to } of moves) expect(from.get(imageId)).not.toBe(to);
      }),
      { numRuns: 1_000 },
    );
  });

  it('meets the shares where single images can make up for the groups', () => {
    fc.assert(
      fc.property(
        fc.array(split, { minLength: 30, maxLength: 40 }),
        fc.string(),
        (singles, seed) => {
          const { groups, images } = place({
            groups: [
              ['train', 'train', 'valid'],
              ['test', 'test'],
            ],
            singles,
          });
          const shares = { train: 1, valid: 1, test: 1 };
          const wanted = targetCounts(images.length, shares, countSplits(images));
          const after = countSplits(made(images, plan(images, shares, seed, groups)));
          const differences = Object.keys(wanted).map((name) =>
            Math.abs(Reflect.get(wanted, name) - Reflect.get(after, name)),
          );
          // Equal remainders may be rounded up elsewhere.
          expect(Math.max(...differences)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a rebalance with groups', () => {
  it('moves nothing a second time', () => {
    fc.assert(
      fc.property(grouped, shares, (made0, shares) => {
        const first = place(made0);
        const after = made(first.images, planRebalance(first.images, shares, 'a', first.groups));
        // Of equal remainders another one may be rounded up now.
        const targetOf = (images: readonly Image[]) =>
          targetCounts(images.length, shares, countSplits(images));
        fc.pre(isDeepStrictEqual(targetOf(after), targetOf(first.images)));
        const byId = new Map(after.map((image) => [image.id, image]));
        const groups = first.groups.map(({ images }) => ({
          images: images.flatMap(({ id }) => byId.get(id) ?? []),
        }));
        expect(planRebalance(after, shares, 'b', groups)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('gathers a group where most of it is, and moves single ones to make up for it', () => {
    const { groups, images } = place({
      groups: [['train', 'valid', 'valid']],
      singles: ['train', 'train', 'valid'],
    });
    const moves = planRebalance(images, { train: 1, valid: 1, test: 0 }, 'a', groups);
    expect(moves).toEqual([
      { imageId: 'group-0-0', to: 'valid' },
      { imageId: 'single-2', to: 'train' },
    ]);
  });

  it('moves whole groups on from a split that has too many, the largest that fits', () => {
    const { groups, images } = place({
      groups: [
        ['train', 'train', 'train', 'train', 'train', 'train'],
        ['train', 'train'],
        ['train', 'train', 'train'],
      ],
      singles: [],
    });
    const moves = planRebalance(images, { train: 6, valid: 3, test: 2 }, 'a', groups);
    expect(countSplits(made(images, moves))).toEqual({ train: 6, valid: 3, test: 2 });
  });

  it('leaves one great group in one split, the nearest to the shares', () => {
    const group: SplitName[] = Array(10).fill('test');
    const { groups, images } = place({ groups: [group], singles: [] });
    const moves = planRebalance(images, { train: 7, valid: 2, test: 1 }, 'a', groups);
    expect(countSplits(made(images, moves))).toEqual({ train: 10, valid: 0, test: 0 });
  });
});

it('a group goes where those of it are that may not move', () => {
  const { groups, images } = place({ groups: [['train', 'train']], singles: ['valid', 'valid'] });
  const fixed = groups.map((group) => ({ ...group, fixed: 'test' as const }));
  for (const plan of [planRebalance, planShuffle]) {
    const after = made(images, plan(images, { train: 1, valid: 1, test: 0 }, 'a', fixed));
    expect(countSplits(after)).toMatchObject({ test: 2 });
  }
});
