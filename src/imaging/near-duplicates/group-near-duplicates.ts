// Finds images that show the same picture: in another size, format, quality or light, cropped,
// mirrored, or taken from a little beside it.

import { setImmediate } from 'node:timers/promises';
import { limits } from '../../limits.ts';
import { LruCache } from '../../lru-cache.ts';
import { type Pause, within } from '../../work-watcher.ts';
import type { Descriptor } from '../similarity-descriptor.ts';
import { doOverlap } from './align-pictures.ts';
import {
  asItIs,
  type CentredDescriptor,
  CentredDescriptors,
  mirrorings,
  type Picture,
  pictureOf,
} from './centred-descriptors.ts';
import { patternsOf, uniteCopies } from './copies.ts';
import { DisjointSets } from './disjoint-sets.ts';
import { findCandidates } from './nearest-descriptors.ts';

/** Places of the vectors, ascending; the groups by their first. */
type Groups = readonly (readonly number[])[];

export interface NearDuplicateGroups {
  readonly groups: Groups;
  /** Those of them that show all the same, the same way round: labels have the same places. */
  readonly copies: Groups;
  /** Vectors of pictures too even to be told from each other: they are in no group. */
  readonly plain: number;
  /** False: so many are nearly alike that some were not compared with all of these. */
  readonly isComplete: boolean;
}

/**
 * Groups vectors of descriptors. Each member is a near-duplicate of another one in its group, not
 * necessarily of all: so the frames of a slow video are one group, and a group that lies in two
 * splits has a pair that does.
 *
 * Copies are near by their vectors. Of the others each is laid over the few that look most like it,
 * also mirrored, and moved and scaled until they differ least. `pause` is awaited between parts of
 * the work.
 */
export async function groupNearDuplicates(
  vectors: readonly Descriptor['vector'][],
  pause: Pause = nextTurn,
): Promise<NearDuplicateGroups> {
  const patterns = patternsOf(vectors);
  const plain = vectors.length - patterns.length;
  const sets = new DisjointSets(vectors.length);
  const isComplete = await uniteCopies(patterns, sets, within(pause, 0, 0.25));
  const copies = sets.groups();
  await uniteOverlapping(
    vectors,
    patterns.map(({ place }) => place),
    sets,
    within(pause, 0.25, 1),
  );
  return { groups: sets.groups(), copies, plain, isComplete };
}

async function uniteOverlapping(
  vectors: readonly Descriptor['vector'][],
  withPattern: readonly number[],
  sets: DisjointSets,
  pause: Pause,
): Promise<void> {
  const placeOf = (at: number) => withPattern[at] ?? 0;
  const areApart = (one: number, other: number) => !sets.areOne(placeOf(one), placeOf(other));
  const descriptors = new CentredDescriptors(withPattern.flatMap((place) => vectors[place] ?? []));
  const pictures = new Pictures(descriptors);
  let aligned = 0;
  const candidates = await findCandidates(descriptors, areApart, within(pause, 0, 0.6));
  for (const [at, { one, other, mirroring }] of candidates.entries()) {
    if (!areApart(one, other)) continue;
    const [moved, still] = [pictures.of(other), pictures.of(one, mirroring)];
    const inGrey = descriptors.isGrey(one) || descriptors.isGrey(other);
    if (moved !== undefined && still !== undefined && doOverlap(moved, still, inGrey)) {
      sets.unite(placeOf(one), placeOf(other));
    }
    aligned += 1;
    if (aligned % limits.picturesAlignedAtOnce === 0)
      await pause(0.6 + 0.4 * (at / candidates.length));
  }
}

const nextTurn: Pause = async () => {
  await setImmediate();
};

/** The pictures of descriptors that have much in them. */
class Pictures {
  readonly #descriptors: CentredDescriptors;
  readonly #drawn = new LruCache<string, { readonly picture: Picture | undefined }>({
    weightMax: limits.picturesDrawnMax,
  });

  constructor(descriptors: CentredDescriptors) {
    this.#descriptors = descriptors;
  }

  /** Undefined: it could be laid over many others. */
  of(place: number, mirroring = asItIs): Picture | undefined {
    const key = `${place} ${mirrorings.indexOf(mirroring)}`;
    const drawn = this.#drawn.get(key);
    if (drawn) return drawn.picture;
    const descriptor = this.#descriptors.of(place, mirroring);
    const picture = hasDetail(descriptor) ? pictureOf(descriptor) : undefined;
    this.#drawn.set(key, { picture });
    return picture;
  }
}

/** Whether there is much to see, in many coefficients: one slope or wave fits onto any other. */
function hasDetail(descriptor: CentredDescriptor): boolean {
  let [squares, fourths] = [0, 0];
  for (const coefficient of descriptor) {
    squares += coefficient ** 2;
    fourths += coefficient ** 4;
  }
  const isPlain = squares < limits.plainPatternMin ** 2;
  return !isPlain && squares ** 2 >= limits.detailedCoefficientsMin * fourths;
}
