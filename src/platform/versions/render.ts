// Makes the images of a version: decodes a source once, then gives any number of copies.

import type { Box } from '../annotations/annotation.ts';
import {
  type ImageFile,
  openPixels,
  openRaw,
  type RawImage,
  readImageHeader,
  readOut,
} from '../image-file.ts';
import { compose, identity, type Matrix, moveBoxes, type Size } from './geometry.ts';
import { type Move, moveOf } from './moves.ts';
import type { Step } from './steps.ts';

export interface Rendered {
  /** The original bytes, when no step changes a pixel; else a JPEG. */
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
}

/** One image, preprocessed. */
export interface Source {
  /**
   * The image after further steps. `boxes` are those of the original, in its stored pixels; they
   * are clipped and may be dropped, unless no step moves a pixel. Errors as readImageFile.
   */
  render(boxes: readonly Box[], steps: readonly Step[]): Promise<Rendered>;
}

/**
 * Reads the header of an image; its pixels are decoded and preprocessed once, when a copy needs
 * them. Errors as readImageFile (image-file.ts).
 */
export async function openSource(
  bytes: Uint8Array,
  preprocessing: readonly Step[],
): Promise<Source> {
  const file = await readImageHeader(bytes);
  const prepared = planMoves(preprocessing, file, file.orientation);
  let pixels: Promise<RawImage> | undefined;
  return {
    render: async (boxes, steps) => {
      // The first turn of the file is done with: a later auto-orient has nothing to do.
      const further = planMoves(steps, prepared.size, 1);
      if (prepared.moves.length + further.moves.length === 0) {
        const { contentType, width, height } = file;
        return { bytes, contentType, width, height, boxes };
      }
      pixels ??= decode(bytes, file, prepared.moves);
      const matrix = compose(prepared.matrix, further.matrix);
      return {
        bytes: await encode(file, await pixels, further.moves),
        contentType: 'image/jpeg',
        ...further.size,
        boxes: moveBoxes(boxes, matrix, further.size),
      };
    },
  };
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

interface Moves {
  readonly moves: readonly Move[];
  readonly matrix: Matrix;
  readonly size: Size;
}

function planMoves(steps: readonly Step[], { width, height }: Size, orientation: number): Moves {
  const moves: Move[] = [];
  let size: Size = { width, height };
  let matrix = identity;
  for (const step of steps) {
    const move = moveOf(step, size, orientation);
    if (move === undefined) continue;
    moves.push(move);
    size = move.size;
    matrix = compose(matrix, move.matrix);
  }
  return { moves, matrix, size };
}

/** Each move in a pipeline of its own: within one, sharp has an order of its own. */
async function decode(
  bytes: Uint8Array,
  file: ImageFile,
  [first, ...others]: readonly Move[],
): Promise<RawImage> {
  const stored = await openPixels(bytes, file);
  let image = await readOut(file, first ? first.run(stored) : stored);
  for (const move of others) image = await readOut(file, move.run(await openRaw(image)));
  return image;
}

async function encode(
  file: ImageFile,
  image: RawImage,
  moves: readonly Move[],
): Promise<Uint8Array> {
  const [last, ...others] = moves.toReversed();
  let before = image;
  for (const move of others.toReversed()) {
    before = await readOut(file, move.run(await openRaw(before)));
  }
  const pixels = await openRaw(before);
  return (last ? last.run(pixels) : pixels).jpeg(jpegOptions).toBuffer();
}

/** Without the second pass over the codes, encoding takes half the time for a few bytes more. */
const jpegOptions = { quality: 95, chromaSubsampling: '4:4:4', optimiseCoding: false } as const;
