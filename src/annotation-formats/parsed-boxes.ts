// The boxes that were read from an annotation file, with a warning for whatever is odd about them.

import { type AnnotationWarning, type ImageSize, warningsOf } from '../annotations/box-warnings.ts';
import type { Box, Point } from '../imaging/box.ts';
import type { AnnotatedImage, Parsed } from './annotation-file.ts';
import { refusal } from './value-checks.ts';

/** The result of a file with boxes, with a warning for everything that is odd about them. */
export function parsedBoxes(
  boxes: readonly Box[],
  image: AnnotatedImage,
  stated: ImageSize | undefined,
  others: readonly AnnotationWarning[] = [],
): Parsed {
  const warnings = [...sizeWarnings(image, stated), ...others, ...warningsOf(boxes, image)];
  return { annotation: { kind: 'detection', boxes }, warnings };
}

function sizeWarnings(
  { width, height }: ImageSize,
  stated: ImageSize | undefined,
): readonly AnnotationWarning[] {
  // Tools that do not know the size write 0.
  if (stated === undefined || stated.width === 0 || stated.height === 0) return [];
  if (stated.width === width && stated.height === height) return [];
  const message =
    `the file was made for ${stated.width} x ${stated.height} pixels, ` +
    `the image has ${width} x ${height}; the coordinates were kept as they are`;
  return [{ problem: 'size_differs', message }];
}

/** Numbers x, y, x, y, … as points. Throws when one is left over. */
export function pointsFrom(numbers: readonly number[], place: string): readonly Point[] {
  if (numbers.length % 2 !== 0) {
    throw refusal(place, `must be pairs of x and y, but has ${numbers.length} numbers`);
  }
  const points: Point[] = [];
  for (let at = 0; at < numbers.length; at += 2)
    points.push([numbers[at] ?? 0, numbers[at + 1] ?? 0]);
  return points;
}
