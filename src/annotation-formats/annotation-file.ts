// An annotation file as it is given, and what it was read into.

import type { Annotation, ProjectType } from '../annotations/annotation.ts';
import type { AnnotationWarning } from '../annotations/box-warnings.ts';

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
