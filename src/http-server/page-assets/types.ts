// What the parts of our pages work with.

/** One thing that a model saw in an image, in pixels of that image. */
export interface Finding {
  readonly kind: 'box' | 'outline' | 'keypoints';
  readonly class: string;
  readonly confidence: number | undefined;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Corners of an outline. */
  readonly points: readonly (readonly [number, number])[];
  readonly keypoints: readonly Keypoint[];
}

export interface Keypoint {
  readonly x: number;
  readonly y: number;
  readonly occluded: boolean;
}
