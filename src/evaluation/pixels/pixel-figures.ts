// Figures of semantic segmentation, from numbers of pixels: as the field has them, and exact.

import type { Figure } from '../average-precision.ts';
import type { ConfusedPixels } from './confused-pixels.ts';

export interface ClassPixels {
  /** Pixels of the labels. */
  readonly labelled: number;
  readonly found: number;
  /** Both. */
  readonly right: number;
  /** Null: neither labelled nor found. */
  readonly iou: Figure;
  /** Of what was found, what is right; null: nothing was found. */
  readonly precision: Figure;
  /** Of what is labelled, what was found: what others call the accuracy of a class. */
  readonly recall: Figure;
  /** Dice. */
  readonly f1: Figure;
}

export interface PixelFigures {
  /** Share of all pixels that have their class, the background among them. */
  readonly pixelAccuracy: Figure;
  /** Mean over the classes and the background, of those that are labelled or found. */
  readonly meanIou: Figure;
  /** The same without the background. */
  readonly meanIouOfClasses: Figure;
  /** Mean recall of the classes and the background, of those that are labelled. */
  readonly meanAccuracy: Figure;
  /** Mean IoU by how many pixels of the labels a class has. */
  readonly frequencyWeightedIou: Figure;
  /** The background comes behind the classes. */
  readonly each: readonly ClassPixels[];
}

/** `cells`: a confusion matrix in which the background comes behind `classCount` classes. */
export function pixelFigures(cells: readonly ConfusedPixels[], classCount: number): PixelFigures {
  const rows = Array.from({ length: classCount + 1 }, () => ({ labelled: 0, found: 0, right: 0 }));
  for (const [truth, found, pixels] of cells) {
    const [row, column] = [rows[truth], rows[found]];
    if (row === undefined || column === undefined) continue;
    row.labelled += pixels;
    column.found += pixels;
    if (truth === found) row.right += pixels;
  }
  const each = rows.map(figuresOf);
  const sum = (figure: (row: ClassPixels) => number) =>
    each.reduce((total, row) => total + figure(row), 0);
  const all = sum(({ labelled }) => labelled);
  return {
    pixelAccuracy: share(
      sum(({ right }) => right),
      all,
    ),
    meanIou: mean(each.map(({ iou }) => iou)),
    meanIouOfClasses: mean(each.slice(0, classCount).map(({ iou }) => iou)),
    meanAccuracy: mean(each.map(({ recall }) => recall)),
    frequencyWeightedIou: share(
      sum(({ labelled, iou }) => labelled * (iou ?? 0)),
      all,
    ),
    each,
  };
}

function figuresOf(counts: Pick<ClassPixels, 'labelled' | 'found' | 'right'>): ClassPixels {
  const { labelled, found, right } = counts;
  return {
    labelled,
    found,
    right,
    iou: share(right, labelled + found - right),
    precision: share(right, found),
    recall: share(right, labelled),
    f1: share(2 * right, labelled + found),
  };
}

function share(part: number, whole: number): Figure {
  return whole === 0 ? null : part / whole;
}

function mean(figures: readonly Figure[]): Figure {
  const known = figures.filter((one) => one !== null);
  return share(
    known.reduce((sum, one) => sum + one, 0),
    known.length,
  );
}
