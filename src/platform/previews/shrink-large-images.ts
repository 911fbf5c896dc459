// Scales very large images of a preview down first: all pixels of an image, and of a copy or two,
// are in memory at once.

import type { Annotation } from '../../annotations/annotation.ts';
import { scaledBy } from '../../annotations/box-geometry.ts';
import { readImageHeader, reencode } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';

export interface PreviewSource {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  readonly hash: string;
  /** Undefined: not annotated. */
  readonly annotation: Annotation | undefined;
}

/**
 * The source, or a smaller JPEG of it with its boxes, and a warning that says so. Errors as
 * readImageFile.
 */
export async function shrinkSource(
  source: PreviewSource,
): Promise<{ readonly source: PreviewSource; readonly warnings: readonly string[] }> {
  const { width, height } = await readImageHeader(source.bytes);
  const scale = Math.sqrt(limits.previewPixelsMax / (width * height));
  if (scale >= 1) return { source, warnings: [] };
  const bytes = await reencode(source.bytes, scale, quality);
  const { annotation } = source;
  const shrunk = annotation && scaleAnnotation(annotation, scale);
  const size = `${Math.round(width * scale)} x ${Math.round(height * scale)}`;
  const why = `previews work on at most ${limits.previewPixelsMax} pixels of one image`;
  const warning = `${source.name}: shown from a copy of ${size} pixels; ${why}`;
  return { source: { ...source, bytes, annotation: shrunk }, warnings: [warning] };
}

/** JPEG quality without visible loss. */
const quality = 95;

function scaleAnnotation(annotation: Annotation, scale: number): Annotation {
  if (annotation.kind !== 'detection') return annotation;
  return { ...annotation, boxes: annotation.boxes.map((box) => scaledBy(box, scale)) };
}
