// An image while it is rendered: pixels in the memory of a kernel, and boxes; its transforms.

import type { Box } from '../imaging/box.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import type { Turn } from './orientation.ts';
import type { Matrix, Size } from './transform-boxes.ts';

export interface LabelledImage {
  readonly pixels: Pixels;
  /** In pixels of this image. */
  readonly boxes: readonly Box[];
}

/** Moves pixels, boxes, outlines and keypoints by the same numbers. */
export interface GeometricTransform {
  readonly matrix: Matrix;
  /** Of the image after it. */
  readonly size: Size;
  /** Set if the transform is only this turn: no pixel is interpolated. */
  readonly turn?: Turn;
}

/** Changes colours in place, or gives new pixels of the same size. */
export type PixelTransform = (kernel: Kernel, pixels: Pixels) => Pixels;

export const black = [0, 0, 0] as const;
