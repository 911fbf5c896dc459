// From an annotation file to what is stored of it, in whichever thread.

import type { AnnotationWarning } from '../annotations/box-warnings.ts';
import { type WrittenAnnotation, writeAnnotation } from '../annotations/serialized-annotation.ts';
import { limits } from '../limits.ts';
import type { AnnotationFile, Parsed } from './annotation-file.ts';
import { parseAnnotation } from './parse-annotation.ts';

export interface ReadAnnotation {
  readonly annotation: WrittenAnnotation;
  /** The first of them. */
  readonly warnings: readonly AnnotationWarning[];
  readonly warningsTotal: number;
}

/** Throws as parseAnnotation. */
export function readAnnotation(file: AnnotationFile): ReadAnnotation {
  return toRead(parseAnnotation(file));
}

/** What goes back from a thread is taken in by the one that serves everybody: little of it. */
export function toRead({ annotation, warnings }: Parsed): ReadAnnotation {
  return {
    annotation: writeAnnotation(annotation),
    warnings: warnings.slice(0, limits.annotationWarningsMax),
    warningsTotal: warnings.length,
  };
}
