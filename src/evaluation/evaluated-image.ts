// An image with what is there (ground truth) and what a model says (detections).

/** A box by its upper left corner, in pixels of the original image. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface GroundTruth extends Region {
  readonly classIndex: number;
  /** Of its outline, in square pixels; default: of the box. */
  readonly area?: number | undefined;
  /** One box around many objects: what is found in it counts neither for nor against a model. */
  readonly isCrowd?: boolean | undefined;
}

export interface Detection extends Region {
  readonly classIndex: number;
  /** 0 to 1. */
  readonly score: number;
}

export interface EvaluatedImage {
  readonly groundTruths: readonly GroundTruth[];
  readonly detections: readonly Detection[];
}

export function areaOfRegion({ width, height }: Region): number {
  return width * height;
}
