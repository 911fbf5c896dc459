// What somebody said an image shows: boxes, or classes of the whole image. In absolute pixels.

import type { projectTypes } from '../../contract/projects.ts';
import type { Box } from '../../pictures/box.ts';

export type ProjectType = (typeof projectTypes)[number];

/** No boxes, or no labels: somebody looked, and there is nothing to label. */
export type Annotation =
  | { readonly kind: 'detection'; readonly boxes: readonly Box[] }
  | { readonly kind: 'classification'; readonly labels: readonly string[] };

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

export interface Parsed {
  readonly annotation: Annotation;
  readonly warnings: readonly AnnotationWarning[];
}

/** The image that an annotation file has to be about; pixels as stored. */
export interface AnnotatedImage {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** Class id to class name, for example `{ "0": "cat" }`. */
export type Labelmap = Readonly<Record<string, string>>;

/** An annotation file, and what it is for. */
export interface AnnotationFile {
  readonly text: string;
  /** Its name; the extension tells the format where the content does not. */
  readonly fileName: string | undefined;
  readonly image: AnnotatedImage;
  readonly labelmap: Labelmap | undefined;
  readonly projectType: ProjectType;
}
