// Average precision and average recall by the COCO protocol, of all classes and of each.

import {
  type AreaRange,
  type ClassMatches,
  overlapThresholds,
  type RangeMatches,
  steps,
} from './class-matches.ts';

/** 0 to 1; null where there is no ground truth to measure by (pycocotools says -1). */
export type Figure = number | null;

/** To four digits, as figures are told. */
export function rounded(figure: Figure): Figure {
  return figure === null ? null : Math.round(figure * 1e4) / 1e4;
}

export interface SizeFigures {
  readonly ap: Figure;
  readonly ar: Figure;
  readonly groundTruths: number;
}

export interface PrecisionFigures {
  /** Mean over IoU 0.50 to 0.95. */
  readonly ap: Figure;
  readonly ap50: Figure;
  readonly ap75: Figure;
  /** With one detection of each image and class, with ten. */
  readonly ar1: Figure;
  readonly ar10: Figure;
  /** That with a hundred; of keypoints, with twenty. */
  readonly ar100: Figure;
  /** The recall at these IoU; undefined in an evaluation of an earlier version of Fovea. */
  readonly ar50?: Figure;
  readonly ar75?: Figure;
  readonly small: SizeFigures;
  readonly medium: SizeFigures;
  readonly large: SizeFigures;
  readonly groundTruths: number;
}

/** Of an image and a class, those of the highest scores: the protocol looks at no more. */
export const detectionsMax = { ofRegions: 100, ofKeypoints: 20 } as const;

/** `most`: detections of an image that count. */
export function figuresOfClass(matches: ClassMatches, most: number): PrecisionFigures {
  const all = curves(matches, 'all', most);
  const sized = (range: AreaRange): SizeFigures => {
    const { precisions, recalls } = curves(matches, range, most);
    const { groundTruths } = matches.ranges[range];
    return { ap: mean(precisions), ar: mean(recalls), groundTruths };
  };
  return {
    ap: mean(all.precisions),
    ap50: all.precisions[0] ?? null,
    ap75: all.precisions[at75] ?? null,
    ar1: mean(curves(matches, 'all', 1).recalls),
    ar10: mean(curves(matches, 'all', 10).recalls),
    ar100: mean(all.recalls),
    ar50: all.recalls[0] ?? null,
    ar75: all.recalls[at75] ?? null,
    small: sized('small'),
    medium: sized('medium'),
    large: sized('large'),
    groundTruths: matches.ranges.all.groundTruths,
  };
}

const at75 = overlapThresholds.length / 2;

/** Means over the classes that have ground truth. */
export function meanOfClasses(classes: readonly PrecisionFigures[]): PrecisionFigures {
  const over = (figure: (one: PrecisionFigures) => Figure) => mean(classes.map(figure));
  const sum = (count: (one: PrecisionFigures) => number) =>
    classes.reduce((total, one) => total + count(one), 0);
  const sized = (range: Exclude<AreaRange, 'all'>): SizeFigures => ({
    ap: over((one) => one[range].ap),
    ar: over((one) => one[range].ar),
    groundTruths: sum((one) => one[range].groundTruths),
  });
  return {
    ap: over(({ ap }) => ap),
    ap50: over(({ ap50 }) => ap50),
    ap75: over(({ ap75 }) => ap75),
    ar1: over(({ ar1 }) => ar1),
    ar10: over(({ ar10 }) => ar10),
    ar100: over(({ ar100 }) => ar100),
    ar50: over(({ ar50 = null }) => ar50),
    ar75: over(({ ar75 = null }) => ar75),
    small: sized('small'),
    medium: sized('medium'),
    large: sized('large'),
    groundTruths: sum(({ groundTruths }) => groundTruths),
  };
}

const recallPoints = steps(0, 1, 101);

interface Curves {
  /** The average precision at each threshold of IoU; none without ground truth. */
  readonly precisions: readonly number[];
  readonly recalls: readonly number[];
}

function curves({ scores, ranks, ranges }: ClassMatches, range: AreaRange, most: number): Curves {
  const matches = ranges[range];
  if (matches.groundTruths === 0) return { precisions: [], recalls: [] };
  const places = [...scores.keys()].filter((place) => (ranks[place] ?? 0) < most);
  const each = [...overlapThresholds.keys()].map((bit) => curve(matches, places, bit));
  return {
    precisions: each.map(({ precision }) => precision),
    recalls: each.map(({ recall }) => recall),
  };
}

function curve(matches: RangeMatches, places: readonly number[], bit: number) {
  const { groundTruths, matched, ignored } = matches;
  const precisions: number[] = [];
  const recalls: number[] = [];
  let [right, wrong] = [0, 0];
  for (const place of places) {
    const mask = 1 << bit;
    if (((ignored[place] ?? 0) & mask) === 0) {
      if (((matched[place] ?? 0) & mask) === 0) wrong += 1;
      else right += 1;
    }
    precisions.push(right / (right + wrong + Number.EPSILON));
    recalls.push(right / groundTruths);
  }
  return { precision: areaUnder(precisions, recalls), recall: recalls.at(-1) ?? 0 };
}

/** At each recall, the best precision that is reached there or beyond. */
function areaUnder(precisions: number[], recalls: readonly number[]): number {
  for (let place = precisions.length - 1; place > 0; place--) {
    const [here, before] = [precisions[place] ?? 0, precisions[place - 1] ?? 0];
    if (here > before) precisions[place - 1] = here;
  }
  let [sum, place] = [0, 0];
  for (const recall of recallPoints) {
    while (place < recalls.length && (recalls[place] ?? 0) < recall) place += 1;
    sum += precisions[place] ?? 0;
  }
  return sum / recallPoints.length;
}

function mean(figures: readonly Figure[]): Figure {
  const known = figures.filter((figure) => figure !== null);
  if (known.length === 0) return null;
  return known.reduce((sum, figure) => sum + figure, 0) / known.length;
}
