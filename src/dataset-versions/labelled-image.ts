// An image in work: its pixels in the memory of a kernel, and what is labelled on it.

import type { Box } from '../imaging/box.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import type { Turn } from './orientation.ts';
import type { Matrix, Size } from './transform-boxes.ts';

export interface Picture {
  readonly pixels: Pixels;
  /** In pixels of this picture. */
  readonly boxes: readonly Box[];
}

/** What moves points: pixels, boxes, outlines and keypoints alike, by the same numbers. */
export interface Move {
  /** Where a point goes. */
  readonly matrix: Matrix;
  /** Of the image after it. */
  readonly size: Size;
  /** The move is nothing but this turn: then every pixel is one of the old ones. */
  readonly turn?: Turn;
}

/** Changes colours in place, or gives new pixels of the same size. */
export type Paint = (kernel: Kernel, pixels: Pixels) => Pixels;

export const black = [0, 0, 0] as const;
