// How good a model is, on images whose boxes are known.

import { type Candidate, suppress } from '../../annotations/non-maximum-suppression.ts';
import type { Corners } from '../../imaging/letterbox-resize.ts';
import { candidateOf } from './boxes-of-cells.ts';
import { gridSide } from './features.ts';
import type { Example } from './fit.ts';
import { CellPass, type Network, padded } from './network.ts';

export interface Quality {
  /** Mean over the classes of the area under precision and recall, at an overlap of 0.5. */
  readonly map50: number;
  /** Of the boxes that reach the usual least confidence, the share that is right. */
  readonly precision: number;
  /** Of the boxes that are there, the share that these find. */
  readonly recall: number;
}

/** Classes without a box in the images do not count. */
export function qualityOf(network: Network, examples: readonly Example[]): Quality {
  const judged = examples.map((example) => judge(network, example));
  const found = judged.flatMap(({ found }) => found).sort((one, other) => other.score - one.score);
  const counts = new Map<number, number>();
  for (const { classIndex } of examples.flatMap(({ boxes }) => boxes)) {
    counts.set(classIndex, (counts.get(classIndex) ?? 0) + 1);
  }
  const areas = [...counts].map(([classIndex, count]) =>
    areaUnder(
      found.filter((one) => one.classIndex === classIndex),
      count,
    ),
  );
  const sure = found.filter(({ score }) => score >= confidence);
  const right = sure.filter(({ isRight }) => isRight).length;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    map50: mean(areas),
    precision: sure.length === 0 ? 0 : right / sure.length,
    recall: total === 0 ? 0 : right / total,
  };
}

/** The default of the runtime. */
const confidence = 0.4;
const overlapMin = 0.5;
const scoreMin = 0.01;
const boxesMax = 300;

interface Judged {
  readonly classIndex: number;
  readonly score: number;
  readonly isRight: boolean;
}

/** Matches detections to boxes, the surest first; each box is matched once. */
function judge(network: Network, { maps, boxes }: Example): { readonly found: readonly Judged[] } {
  const taken = new Set<number>();
  const found = detect(network, maps).map((candidate): Judged => {
    const { classIndex, score } = candidate;
    let [best, most] = [-1, overlapMin];
    for (const [place, box] of boxes.entries()) {
      if (box.classIndex !== classIndex || taken.has(place)) continue;
      const overlap = overlapOf(box, candidate);
      if (overlap >= most) [best, most] = [place, overlap];
    }
    if (best >= 0) taken.add(best);
    return { classIndex, score, isRight: best >= 0 };
  });
  return { found };
}

function detect(network: Network, maps: Float32Array): readonly Candidate[] {
  const pass = new CellPass(network);
  const bordered = padded(maps, { across: false, down: false });
  const candidates: Candidate[] = [];
  for (let row = 0; row < gridSide; row++) {
    for (let column = 0; column < gridSide; column++) {
      pass.forward(bordered, row, column);
      const candidate = candidateOf(pass.output, row, column);
      if (candidate.score >= scoreMin) candidates.push(candidate);
    }
  }
  return suppress(candidates, overlapMin, boxesMax);
}

/** `found` is sorted, the best first. Precision counts as the best that is still to come. */
function areaUnder(found: readonly Judged[], count: number): number {
  let right = 0;
  const points = found.map(({ isRight }, place) => {
    if (isRight) right += 1;
    return { precision: right / (place + 1), isRight };
  });
  let [area, best] = [0, 0];
  for (const { precision, isRight } of points.toReversed()) {
    best = Math.max(best, precision);
    if (isRight) area += best / count;
  }
  return area;
}

function overlapOf(one: Corners, other: Corners): number {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  if (width <= 0 || height <= 0) return 0;
  const area = ({ left, top, right, bottom }: Corners) => (right - left) * (bottom - top);
  return (width * height) / (area(one) + area(other) - width * height);
}

function mean(figures: readonly number[]): number {
  if (figures.length === 0) return 0;
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length;
}
