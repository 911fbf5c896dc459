// What the page annotates with.

/** Where something is, in pixels of a picture or of the screen. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The corner and the size of a box. */
export interface Rectangle extends Size {
  readonly left: number;
  readonly top: number;
}

/** One closed ring of points. */
export type Outline = readonly (readonly [x: number, y: number])[];

/** A labelled object, in pixels of its picture. */
export interface Box extends Rectangle {
  readonly class: string;
  readonly points?: Outline;
  readonly keypoints?: readonly Keypoint[];
}

export interface Keypoint extends Point {
  readonly label: string;
  /** As COCO says it: 0 not labelled, 1 labelled but hidden, 2 visible. */
  readonly visibility: 0 | 1 | 2;
}

/** Of a prediction, around its centre, as the platform tells it. */
export interface RefusedBox extends Size, Point {
  readonly label: string;
}

/** What a model sees, or a person who labelled the image apart. */
export interface Prediction {
  readonly box: Box;
  /** 0 to 1: how sure it is; undefined: it is of a person. */
  readonly score: number | undefined;
  readonly seen: RefusedBox;
  /** The person. */
  readonly by?: string;
}

/** What the objects of a project have. */
export type Shapes = 'boxes' | 'outlines' | 'keypoints';
