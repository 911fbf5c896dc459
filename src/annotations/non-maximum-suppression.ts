// Of boxes of one class that overlap, the best one (non-maximum suppression).

import { type Edges, overlapOf } from './box-geometry.ts';

export interface Candidate extends Edges {
  readonly classIndex: number;
  readonly score: number;
}

/**
 * The best first, `countMax` at most. A box is dropped that overlaps a better one of its class by
 * more than `overlap` (intersection over union, 0 to 1; 1 drops none).
 */
export function suppress<One extends Candidate>(
  candidates: readonly One[],
  overlap: number,
  countMax: number,
): readonly One[] {
  const kept: One[] = [];
  for (const candidate of [...candidates].sort((one, other) => other.score - one.score)) {
    if (kept.length === countMax) break;
    const isDropped = kept.some(
      (better) =>
        better.classIndex === candidate.classIndex && overlapOf(better, candidate) > overlap,
    );
    if (!isDropped) kept.push(candidate);
  }
  return kept;
}
