// For each image the few others that look most like it, also mirrored: candidates for a closer
// look.

import { limits } from '../../limits.ts';
import { type QuantisedQuery, quantise, quantiseQuery } from '../../vector-search/quantise.ts';
import { VectorBlock } from '../../vector-search/vector-block.ts';
import { cellsOf } from '../../vector-search/vector-cells.ts';
import { type Pause, within } from '../../work-watcher.ts';
import { type CentredDescriptors, type Mirroring, mirrorings } from './centred-descriptors.ts';
import { packDescriptors, unitDescriptor } from './unit-descriptors.ts';

export interface CandidatePair {
  readonly one: number;
  readonly other: number;
  /** How `one` is mirrored to look like `other`. */
  readonly mirroring: Mirroring;
  /** Correlation of their descriptors. */
  readonly likeness: number;
}

/** A pair that is worth a closer look. */
type IsWanted = (one: number, other: number) => boolean;

/**
 * Pairs of the places in `descriptors`. Of each place those with its nearest few others, as far as
 * `isWanted`: of more than `exactMax` nearly all of them, since they are looked for in the cells
 * around each. The order is one in which pairs of the same places follow each other. `pause` is
 * awaited between parts of the work.
 */
export async function findCandidates(
  descriptors: CentredDescriptors,
  isWanted: IsWanted,
  pause: Pause,
  exactMax: number = limits.descriptorsComparedExactMax,
): Promise<readonly CandidatePair[]> {
  const nearest = new NearestPairs(descriptors.count);
  if (descriptors.count > exactMax) return fromCells(descriptors, nearest, isWanted, pause);
  const block = new VectorBlock(64, descriptors.count);
  let compared = 0;
  for (let one = 0; one < descriptors.count; one += 1) {
    for (const mirroring of mirrorings) {
      block.compare(queryOf(descriptors, one, mirroring), (other, likeness) => {
        if (!nearest.isNear(one, other, likeness) || !isWanted(one, other)) return;
        nearest.add({ one, other, mirroring, likeness });
      });
    }
    block.add(one, quantise(unitDescriptor(descriptors.of(one))));
    compared += one * mirrorings.length;
    if (compared < limits.descriptorsComparedAtOnce) continue;
    compared = 0;
    await pause((one / descriptors.count) ** 2);
  }
  return nearest.pairs;
}

async function fromCells(
  descriptors: CentredDescriptors,
  nearest: NearestPairs,
  isWanted: IsWanted,
  pause: Pause,
) {
  const cells = await cellsOf(packDescriptors(descriptors), within(pause, 0, 0.1));
  let compared = 0;
  for (const [at, one] of cells.order.entries()) {
    for (const mirroring of mirrorings) {
      const query = queryOf(descriptors, one, mirroring);
      for (const range of cells.near(query, limits.descriptorCellsSearched)) {
        compared += range.end - range.start;
        cells.block.compare(
          query,
          (other, likeness) => {
            if (!nearest.isNear(one, other, likeness) || !isWanted(one, other)) return;
            nearest.add({ one, other, mirroring, likeness });
          },
          range,
        );
      }
    }
    if (compared < limits.descriptorsComparedAtOnce) continue;
    compared = 0;
    await pause(0.1 + 0.9 * (at / descriptors.count));
  }
  return nearest.pairs;
}

function queryOf(
  descriptors: CentredDescriptors,
  place: number,
  mirroring: Mirroring,
): QuantisedQuery {
  return quantiseQuery(unitDescriptor(descriptors.of(place, mirroring)));
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
    // Most pairs are not even that.
    if (likeness < limits.candidateLikenessMin) return false;
    return likeness >= (this.#least[one] ?? 0) || likeness >= (this.#least[other] ?? 0);
  }

  add(pair: CandidatePair): void {
    for (const place of [pair.one, pair.other]) {
      if (pair.likeness < (this.#least[place] ?? 0)) continue;
      const before = this.#pairs.get(place) ?? [];
      // From cells, a pair comes once from each of its places.
      if (before.some((known) => isSame(known, pair))) continue;
      const best = [...before, pair]
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

/** Mirrored the same way round, either looks like the other. */
function isSame(pair: CandidatePair, { one, other, mirroring }: CandidatePair): boolean {
  return pair.one === other && pair.other === one && pair.mirroring === mirroring;
}
