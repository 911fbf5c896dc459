// A step that OpenCV, Pillow or numpy can do as well, and how far ours may be from theirs.

import type { Kernel } from '../../src/dataset-versions/kernel/operations.ts';
import type { Size } from '../../src/dataset-versions/transform-boxes.ts';
import type { RawImage } from '../../src/imaging/raw-image.ts';

export interface Step {
  /** As in the settings of a version. */
  readonly name: string;
  /** What does the same. */
  readonly reference: string;
  /** Levels of 0 to 255 by which a value may be off. */
  readonly tolerance: number;
  /** The share of pixels of one picture that may be further off. */
  readonly shareMax: number;
  /** The comparisons on an image of that size. */
  readonly cases: (size: Size) => readonly Case[];
}

export interface Case {
  /** Of reference.py. */
  readonly step: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ours: (given: Given) => RawImage | Promise<RawImage>;
}

export interface Given {
  readonly kernel: Kernel;
  readonly image: RawImage;
  /** The file that the reference wrote, where it did. */
  readonly file: () => Uint8Array;
}
