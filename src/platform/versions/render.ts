// Makes the images of a version: decodes a source once, then gives any number of copies.

import { FoveaError } from '../../errors.ts';
import type { Box } from '../annotations/annotation.ts';
import type { Step } from './steps.ts';

export interface Rendered {
  readonly bytes: Uint8Array;
  /** The original bytes, when no step changes a pixel; else a JPEG. */
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
}

/** One image, preprocessed. */
export interface Source {
  /** The image after further steps; `boxes` are those of the original, in its stored pixels. */
  render(boxes: readonly Box[], steps: readonly Step[]): Promise<Rendered>;
}

/** Reads an image once and applies the preprocessing. Errors as readImageFile (image-file.ts). */
export async function openSource(
  _bytes: Uint8Array,
  _preprocessing: readonly Step[],
): Promise<Source> {
  throw new FoveaError('not_implemented', 'Not there yet.');
}

/** One image after all the steps. */
export async function renderImage(
  bytes: Uint8Array,
  boxes: readonly Box[],
  steps: readonly Step[],
): Promise<Rendered> {
  const source = await openSource(bytes, steps);
  return source.render(boxes, []);
}
