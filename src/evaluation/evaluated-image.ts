// An image with what is there (ground truth) and what a model says (detections).

import { areaOfRegion, type Region } from './image-region.ts';
import { isUnlabelled, type KeypointNumbers } from './keypoints/keypoint-similarity.ts';
import type { Mask } from './masks/mask.ts';

/** What is compared: the keypoints or masks of two objects that have them, else their boxes. */
export interface Shape extends Region {
  /** In pixels of the image that was judged. */
  readonly mask?: Mask | undefined;
  /** Of its class, in the pixels of its box. */
  readonly keypoints?: KeypointNumbers | undefined;
  /** Of its outline or mask, in square pixels of the original; default: of the box. */
  readonly area?: number | undefined;
}

export interface GroundTruth extends Shape {
  readonly classIndex: number;
  /** Its box as it was labelled, where the region is that of its mask; in pixels of the image. */
  readonly labelled?: Region | undefined;
  /** One box around many objects: what is found in it counts neither for nor against a model. */
  readonly isCrowd?: boolean | undefined;
  /** Of its keypoints, where it has some. */
  readonly sigmas?: readonly number[] | undefined;
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

/** Whether it counts neither for nor against a model: a crowd, or without a labelled keypoint. */
export function isLeftOut({ isCrowd, keypoints }: GroundTruth): boolean {
  return isCrowd === true || (keypoints !== undefined && isUnlabelled(keypoints));
}

/** By which an object is small, medium or large. */
export function areaOfShape(shape: Shape): number {
  return shape.area ?? areaOfRegion(shape);
}
