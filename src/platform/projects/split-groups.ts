// Gives groups of near-duplicates a split each: a picture in train and in valid would be a leak.

import { type SplitName, splitName } from '../../contract/fields.ts';
import { type Random, randomFrom, shuffled } from '../../seeded-random.ts';
import type { SplitCounts } from '../store/projects.ts';

interface Placed {
  readonly id: string;
  readonly split: SplitName;
}

/** Images that a rebalance may move, and that show the same picture. */
export interface SplitGroup<Image extends Placed = Placed> {
  readonly images: readonly Image[];
  /** Where others of the group are that may not move: it goes there, whatever the shares. */
  readonly fixed?: SplitName | undefined;
}

/** The split of each image of a group. */
export type Settled = ReadonlyMap<string, SplitName>;

/**
 * Gathers each group where most of its images are. From a split that has more images in groups
 * than it is to have images, groups move on while that brings the splits nearer to `wanted`:
 * large ones that fit, then small ones. Images in no group are to make up the rest.
 */
export function gatherGroups(groups: readonly SplitGroup[], wanted: SplitCounts): Settled {
  const places = new Places(groups, wanted);
  const bySize = groups.toSorted((a, b) => b.images.length - a.images.length);
  places.moveEach(bySize, (size, over, room) => size <= Math.min(over, room));
  // Each move makes the sum of the squared differences less, so this comes to an end.
  const isNearer = (size: number, over: number, room: number) => size < over + room;
  const smallestFirst = bySize.toReversed();
  while (places.moveEach(smallestFirst, isNearer));
  return settled(places.homes);
}

/**
 * Deals groups out at random: each to a split with room for it, the likelier the more room it has,
 * else to the one with most. The same `seed` gives the same.
 */
export function dealGroups(
  groups: readonly SplitGroup[],
  wanted: SplitCounts,
  seed: string,
): Settled {
  const random = randomFrom(seed);
  const room = { ...wanted };
  const homes = new Map<SplitGroup, SplitName>();
  for (const group of shuffled(groups, random)) {
    const home = group.fixed ?? splitWithRoom(room, group.images.length, random);
    homes.set(group, home);
    room[home] -= group.images.length;
  }
  return settled(homes);
}

const splitNames: readonly SplitName[] = splitName.options;

/** Where each group is, and how many images more than wanted that makes in each split. */
class Places {
  readonly homes: Map<SplitGroup, SplitName>;
  readonly #over: Record<SplitName, number>;

  constructor(groups: readonly SplitGroup[], wanted: SplitCounts) {
    this.homes = new Map(groups.map((group) => [group, group.fixed ?? mainSplit(group)]));
    this.#over = { train: -wanted.train, valid: -wanted.valid, test: -wanted.test };
    for (const [{ images }, home] of this.homes) this.#over[home] += images.length;
  }

  /** To the split with most room, from one with too many, where `doesFit`. Whether any moved. */
  moveEach(
    groups: readonly SplitGroup[],
    doesFit: (size: number, over: number, room: number) => boolean,
  ): boolean {
    let hasMoved = false;
    for (const group of groups) {
      const home = this.homes.get(group) ?? mainSplit(group);
      const over = this.#over[home];
      if (group.fixed !== undefined || over <= 0) continue;
      const to = splitOfMost((name) => -this.#over[name]);
      const size = group.images.length;
      if (!doesFit(size, over, -this.#over[to])) continue;
      this.homes.set(group, to);
      this.#over[home] -= size;
      this.#over[to] += size;
      hasMoved = true;
    }
    return hasMoved;
  }
}

function splitWithRoom(room: SplitCounts, size: number, random: Random): SplitName {
  const fitting = splitNames.filter((name) => room[name] >= size);
  let at = random() * fitting.reduce((sum, name) => sum + room[name], 0);
  for (const name of fitting) {
    at -= room[name];
    if (at < 0) return name;
  }
  return splitOfMost((name) => room[name]);
}

function mainSplit({ images }: SplitGroup): SplitName {
  return splitOfMost((name) => images.filter(({ split }) => split === name).length);
}

/** The first of those with the most. */
function splitOfMost(amount: (name: SplitName) => number): SplitName {
  const most = Math.max(...splitNames.map(amount));
  return splitNames.find((name) => amount(name) === most) ?? 'train';
}

function settled(homes: ReadonlyMap<SplitGroup, SplitName>): Settled {
  const pairs = [...homes].flatMap(([{ images }, home]) =>
    images.map(({ id }): [string, SplitName] => [id, home]),
  );
  return new Map(pairs);
}
