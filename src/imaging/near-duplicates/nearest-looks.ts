// For each image the few others that look most like it, also mirrored: candidates for a closer
// look.

import { limits } from '../../limits.ts';
import { quantise, quantiseQuery } from '../../vector-search/quantise.ts';
import { VectorBlock } from '../../vector-search/vector-block.ts';
import { type Looks, type Mirroring, mirrorings } from './looks.ts';

export interface CandidatePair {
  readonly one: number;
  readonly other: number;
  /** How `one` is mirrored to look like `other`. */
  readonly mirroring: Mirroring;
  /** Correlation of their looks. */
  readonly likeness: number;
}

/**
 * Pairs of the places in `looks`, the most alike first. Of each place those with its nearest few
 * others, as far as `isWanted`. `pause` is awaited between parts of the work.
 */
export async function findCandidates(
  looks: Looks,
  isWanted: (one: number, other: number) => boolean,
  pause: () => Promise<void>,
): Promise<readonly CandidatePair[]> {
  const nearest = new NearestPairs(looks.count);
  const block = new VectorBlock(64, looks.count);
  let compared = 0;
  for (let one = 0; one < looks.count; one += 1) {
    for (const mirroring of mirrorings) {
      block.compare(quantiseQuery(unit(looks.of(one, mirroring))), (other, likeness) => {
        if (!nearest.isNear(one, other, likeness) || !isWanted(one, other)) return;
        nearest.add({ one, other, mirroring, likeness });
      });
    }
    block.add(one, quantise(unit(looks.of(one))));
    compared += one * mirrorings.length;
    if (compared < limits.looksComparedAtOnce) continue;
    compared = 0;
    await pause();
  }
  return nearest.pairs.toSorted((a, b) => b.likeness - a.likeness);
}

/** Of each place the few pairs that are most alike. */
class NearestPairs {
  readonly #pairs = new Map<number, readonly CandidatePair[]>();
  /** For each place the likeness from which on a pair is one of its few. */
  readonly #least: Float64Array;

  constructor(count: number) {
    this.#least = new Float64Array(count).fill(limits.candidateLikenessMin);
  }

  isNear(one: number, other: number, likeness: number): boolean {
    return likeness >= (this.#least[one] ?? 0) || likeness >= (this.#least[other] ?? 0);
  }

  add(pair: CandidatePair): void {
    for (const place of [pair.one, pair.other]) {
      if (pair.likeness < (this.#least[place] ?? 0)) continue;
      const best = [...(this.#pairs.get(place) ?? []), pair]
        .toSorted((a, b) => b.likeness - a.likeness)
        .slice(0, limits.candidatesOfImageMax);
      this.#pairs.set(place, best);
      const last = best[limits.candidatesOfImageMax - 1];
      if (last) this.#least[place] = last.likeness;
    }
  }

  /** Each once. */
  get pairs(): readonly CandidatePair[] {
    return [...new Set([...this.#pairs.values()].flat())];
  }
}

/** Of length 1; 0 for what has nothing but the mean image in it. */
function unit(look: Float32Array): Float32Array {
  const length = Math.hypot(...look);
  return length === 0 ? look : look.map((wave) => wave / length);
}
