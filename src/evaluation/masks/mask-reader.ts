// Masks as COCO writes them: polygons, or runs, as numbers or compressed into characters. What a
// mask takes is known before it is made.

import { FoveaError, invalidArgument } from '../../errors.ts';
import { isJsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { type Mask, maskOf, unite } from './mask.ts';
import { maskOfOutline, type Size } from './mask-of-outline.ts';

/** Counts what all masks of an evaluation take. */
export interface MaskReader {
  /** Throws `too_large`. */
  ofOutline(outline: ArrayLike<number>, size: Size): Mask;
  /** `path`: where it stands. Throws `invalid_input` with it, and `too_large`. */
  ofSegmentation(segmentation: unknown, size: Size, path: string): Mask;
}

export function createMaskReader(): MaskReader {
  let runs = 0;
  const counted = (mask: Mask | undefined): Mask => {
    runs += mask?.runs.length ?? 0;
    if (mask !== undefined && runs <= 2 * limits.maskRunsMax) return mask;
    throw new FoveaError('too_large', 'The masks take too much memory.', {
      hint: 'Judge fewer images at a time, or simplify the outlines.',
    });
  };
  const ofOutline = (outline: ArrayLike<number>, size: Size) =>
    counted(maskOfOutline(outline, size));
  return {
    ofOutline,
    ofSegmentation: (segmentation, size, path) => {
      if (isJsonObject(segmentation)) {
        const { size: given, counts } = segmentation;
        checkSize(given, size, `${path}.size`);
        return counted(maskOfCounts(countsIn(counts, `${path}.counts`), size, `${path}.counts`));
      }
      const parts = polygonsIn(segmentation, path).map((outline) => ofOutline(outline, size));
      return unite(parts, size.height);
    },
  };
}

function polygonsIn(segmentation: unknown, path: string): readonly (readonly number[])[] {
  if (!Array.isArray(segmentation)) {
    throw wrong(path, 'must be polygons or a run-length encoding', shapesKnown);
  }
  const list: readonly unknown[] = segmentation;
  return list.map((part, place) => {
    const numbers: readonly unknown[] = Array.isArray(part) ? part : [];
    const outline = numbers.filter(isCoordinate);
    if (outline.length < numbers.length || outline.length < 6 || outline.length % 2 === 1) {
      throw wrong(`${path}[${place}]`, 'must be [x, y, x, y, …] of three corners or more', '');
    }
    return outline;
  });
}

function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= limits.boxCoordinateMax;
}

function checkSize(given: unknown, { height, width }: Size, path: string): void {
  const [rows, columns]: readonly unknown[] = Array.isArray(given) ? given : [];
  if (rows === height && columns === width) return;
  const hint = 'A mask has the size of the image that is judged, in a version that of the version.';
  throw wrong(path, `must be [${height}, ${width}], the height and width of its image`, hint);
}

function countsIn(counts: unknown, path: string): readonly number[] {
  if (typeof counts === 'string') return decompress(counts, path);
  const list: readonly unknown[] = Array.isArray(counts) ? counts : [undefined];
  return list.map((count, place) => {
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
    const text = Array.isArray(counts) ? `${path}[${place}]` : path;
    throw wrong(text, 'must be whole numbers of pixels, or their compressed text', '');
  });
}

/** Bits of a count that a character has; the next bit says that more follow. */
const bitsOfCharacter = 5;

/** No count of pixels takes more. */
const charactersOfCount = 7;

/** Each count but the first three is the difference to the one two before. */
function decompress(text: string, path: string): readonly number[] {
  const counts: number[] = [];
  for (let at = 0; at < text.length; ) {
    let [count, unit, code] = [0, 1, moreBit];
    const start = at;
    for (; (code & moreBit) !== 0; at++) {
      code = text.charCodeAt(at) - firstCharacter;
      if (!(code >= 0 && code < 64) || at - start === charactersOfCount) {
        throw wrong(path, `is no compressed text at character ${at + 1}`, countsKnown);
      }
      count += (code & 31) * unit;
      unit *= 2 ** bitsOfCharacter;
    }
    if ((code & signBit) !== 0) count -= unit;
    counts.push(counts.length > 2 ? count + (counts.at(-2) ?? 0) : count);
  }
  return counts;
}

const firstCharacter = 48;
const moreBit = 32;
const signBit = 16;

/** The first count is of the background. */
function maskOfCounts(counts: readonly number[], { width, height }: Size, path: string): Mask {
  const runs: number[] = [];
  let pixel = 0;
  for (const [place, count] of counts.entries()) {
    if (count < 0) throw wrong(path, `has a run of ${count} pixels`, countsKnown);
    if (place % 2 === 1) runs.push(pixel, pixel + count);
    pixel += count;
  }
  if (pixel === width * height) return maskOf(runs, height);
  throw wrong(path, `has ${pixel} pixels, and the image ${width * height}`, countsKnown);
}

const shapesKnown =
  '[[x, y, x, y, …], …] in pixels, or {"size": [height, width], "counts": …} as pycocotools has it.';

const countsKnown = 'Write it as pycocotools.mask.encode gives it, decoded as ASCII.';

function wrong(path: string, message: string, hint: string): FoveaError {
  return invalidArgument(`predictions${path}`, message, hint === '' ? undefined : hint);
}
