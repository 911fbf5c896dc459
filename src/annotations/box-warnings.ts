// What is odd about boxes. Nothing is dropped, moved or clipped: decisions/degenerate-boxes.md.

import type { Box } from '../imaging/box.ts';
import { edgesOf } from './box-geometry.ts';

export type AnnotationProblem =
  | 'zero_size'
  | 'outside_image'
  | 'over_edge'
  | 'size_differs'
  | 'shape_left_out';

/** Something odd that was kept as it was labelled (decisions/degenerate-boxes.md). */
export interface AnnotationWarning {
  readonly problem: AnnotationProblem;
  /** Place of the box among those of its image, from 1; absent when the whole file is meant. */
  readonly box?: number;
  readonly label?: string;
  /** For example `RBC box 13: zero width and height at 504, 337; kept as labelled`. */
  readonly message: string;
}

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Boxes without an area, outside of the image or over its edge. */
export function warningsOf(boxes: readonly Box[], image: ImageSize): readonly AnnotationWarning[] {
  return boxes.flatMap((box, index) => boxWarnings(box, index + 1, image));
}

/** A shape that the platform cannot keep as it is; the box stays. */
export function shapeLeftOut(box: Box, place: number, what: string): AnnotationWarning {
  return warn('shape_left_out', box, place, what);
}

function boxWarnings(box: Box, place: number, image: ImageSize): AnnotationWarning[] {
  const warnings: AnnotationWarning[] = [];
  const zero = [box.width === 0 && 'width', box.height === 0 && 'height'].filter(Boolean);
  if (zero.length > 0) {
    const where = `at ${shown(box.x)}, ${shown(box.y)}`;
    const message = `zero ${zero.join(' and ')} ${where}; kept as labelled`;
    warnings.push(warn('zero_size', box, place, message));
  }
  const { left, top, right, bottom } = edgesOf(box);
  const over = [
    { edge: 'left', by: -left },
    { edge: 'upper', by: -top },
    { edge: 'right', by: right - image.width },
    { edge: 'lower', by: bottom - image.height },
  ].filter(({ by }) => by > tolerance);
  if (over.length === 0) return warnings;
  const size = `${image.width} x ${image.height}`;
  if (left > image.width || top > image.height || right < 0 || bottom < 0) {
    const message = `outside of the image of ${size} pixels; kept as labelled`;
    return [...warnings, warn('outside_image', box, place, message)];
  }
  const edges = over.map(({ edge, by }) => `${edge} edge by ${shown(by)}`).join(' and the ');
  const message = `reaches over the ${edges} of ${size} pixels; kept as labelled`;
  return [...warnings, warn('over_edge', box, place, message)];
}

// Normalised coordinates with six digits miss an edge by so much on the largest images.
const tolerance = 0.05;

function warn(
  problem: AnnotationWarning['problem'],
  { label }: Box,
  box: number,
  message: string,
): AnnotationWarning {
  return { problem, box, label, message: `${label} box ${box}: ${message}` };
}

function shown(pixels: number): number {
  return Math.round(pixels * 100) / 100;
}
