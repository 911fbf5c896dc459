// Of boxes of one class that overlap, the best one (non-maximum suppression).

import type { Edges } from './box-geometry.ts';

export interface Candidate extends Edges {
  readonly classIndex: number;
  readonly score: number;
}

/**
 * The best first, `countMax` at most. A box is dropped that overlaps a better one of its class by
 * more than `overlap` (intersection over union, 0 to 1; 1 drops none).
 */
export function suppress(
  candidates: readonly Candidate[],
  overlap: number,
  countMax: number,
): readonly Candidate[] {
  const kept: Candidate[] = [];
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

function overlapOf(one: Edges, other: Edges): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const both = width * height;
  return both / (areaOf(one) + areaOf(other) - both);
}

function areaOf({ left, top, right, bottom }: Edges): number {
  return (right - left) * (bottom - top);
}
