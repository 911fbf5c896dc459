// One labelled object of an image, in absolute pixels.

/** x and y in pixels from the upper left corner of the stored image. */
export type Point = readonly [x: number, y: number];

export interface Keypoint {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  /** As COCO says it: 0 not labelled, 1 labelled but hidden, 2 visible. */
  readonly visibility: 0 | 1 | 2;
}

/** One labelled object. */
export interface Box {
  readonly label: string;
  /** The centre, as the API shows it. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The outline of the object, one closed ring. */
  readonly points?: readonly Point[];
  readonly keypoints?: readonly Keypoint[];
}
