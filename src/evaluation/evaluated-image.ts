// An image with what is there (ground truth) and what a model says (detections).

import type { Mask } from './masks/mask.ts';
import { areaOfRegion, type Region } from './region.ts';

/** What is compared: the masks of two objects that have one, else their boxes. */
export interface Shape extends Region {
  /** In pixels of the image that was judged. */
  readonly mask?: Mask | undefined;
  /** Of its outline or mask, in square pixels of the original; default: of the box. */
  readonly area?: number | undefined;
}

export interface GroundTruth extends Shape {
  readonly classIndex: number;
  /** Its box as it was labelled, where the region is that of its mask; in pixels of the image. */
  readonly labelled?: Region | undefined;
  /** One box around many objects: what is found in it counts neither for nor against a model. */
  readonly isCrowd?: boolean | undefined;
}

export interface Detection extends Shape {
  readonly classIndex: number;
  /** 0 to 1. */
  readonly score: number;
}

export interface EvaluatedImage {
  readonly groundTruths: readonly GroundTruth[];
  readonly detections: readonly Detection[];
}

/** By which an object is small, medium or large. */
export function areaOfShape(shape: Shape): number {
  return shape.area ?? areaOfRegion(shape);
}
