// Reads an annotation file of any known format.

import { FoveaError } from '../../errors.ts';
import type { AnnotationFile, Parsed } from './annotation.ts';

/**
 * The annotation of one image, read from the text of an annotation file. The format is recognised
 * by content, then by file name extension. Throws `invalid_input` or `too_large`.
 */
export function parseAnnotation(_file: AnnotationFile): Parsed {
  throw new FoveaError('not_implemented', 'Not there yet.');
}
