// Preprocessing steps of every image, in the order of the table in this file.

import type { VersionSettings } from '../contract/version-settings.ts';
import type { Box } from '../imaging/box.ts';
import { duplicate, transformPixels } from './apply-augmentations.ts';
import { contrasts } from './contrast.ts';
import { composeTransforms, isIdentity, turnTransform } from './geometric-augmentations.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import type { GeometricTransform, LabelledImage } from './labelled-image.ts';
import { exifTurn } from './orientation.ts';
import { cropOrPad, isWhole } from './padding.ts';
import { toGrayscale } from './pixel-augmentations.ts';
import { isSizedFor, resizeImage } from './resize.ts';
import { clipBoxes, type Piece, piecesOf } from './tiles-and-crops.ts';
import { type Size, transformBoxes } from './transform-boxes.ts';

export type Preprocessing = VersionSettings['preprocessing'];

/** What each key does, in the order in which it is done; for the documentation. */
export const preprocessingSteps: Readonly<Record<keyof Preprocessing, string>> = {
  'filter-tags': 'Keeps images that have every tag marked true and none of those marked false.',
  'filter-null':
    'Drops images that are annotated as showing nothing, in random order, until at least so many ' +
    'percent of the images have annotations. Images that nobody annotated stay.',
  remap: 'Gives classes other names, in this version only.',
  'auto-orient': 'Applies the EXIF orientation, so that stored pixels are upright.',
  isolate: 'Makes one image of each box. Images without boxes give none.',
  'static-crop': 'Cuts out a part, in percent of the sides, rounded down to whole pixels.',
  tile:
    'Cuts into tiles: rows x columns of equal size (a remainder is lost), or of a given size or ' +
    'aspect with an overlap in percent of a tile and padding at the far edges. Every part of a ' +
    'box that lies in a tile stays.',
  contrast:
    'Contrast Stretching: the 2nd to 98th percentile of all values becomes 0 to 255. Histogram ' +
    'Equalization: luma (Rec. 601) is spread evenly. Adaptive Equalization: the same in 8 x 8 ' +
    'tiles with a clip limit of 0.03 (CLAHE). Colours are kept.',
  grayscale: 'Red, green and blue become the Rec. 709 luma.',
  resize: 'Scales with a triangle filter (antialiased bilinear), also up; see the formats below.',
};

/** An image file as its header has it. */
export interface Stored extends Size {
  /** EXIF, 1 to 8. */
  readonly orientation: number;
}

/** The images that are to be made of one. */
export interface Preparation {
  /** Makes the stored image upright. */
  readonly upright: GeometricTransform;
  readonly pieces: readonly Piece[];
}

/** From sizes and boxes alone, before any pixel is decoded. Throws as piecesOf. */
export function planPreparation(
  preprocessing: Preprocessing,
  stored: Stored,
  boxes: readonly Box[],
): Preparation {
  const { width, height, orientation } = stored;
  const turn = exifTurn(preprocessing['auto-orient'] ? orientation : 1);
  const upright = composeTransforms({ width, height }, [turnTransform(turn)]);
  const isTurned = turn !== exifTurn(1);
  const moved = isTurned ? transformBoxes(boxes, upright.matrix, upright.size) : boxes;
  return { upright, pieces: piecesOf(preprocessing, upright.size, moved) };
}

/** Whether a piece is the stored image, with no pixel changed. */
export function isUnchanged(
  preprocessing: Preprocessing,
  { upright, pieces }: Preparation,
): boolean {
  const { contrast, grayscale, isolate, resize } = preprocessing;
  return (
    isIdentity(upright) &&
    // A box over the whole image has its pixels, but is the only box of its piece.
    !isolate &&
    pieces.every(({ frames }) => frames.every((frame) => isWhole(frame, upright.size))) &&
    !contrast &&
    !grayscale &&
    (resize === undefined || isSizedFor(resize, upright.size))
  );
}

/** The upright image. */
export function makeUpright(kernel: Kernel, pixels: Pixels, { upright }: Preparation): Pixels {
  return transformPixels(kernel, pixels, upright);
}

/** One piece, ready; the upright pixels stay as they are. */
export function preparePiece(
  kernel: Kernel,
  upright: Pixels,
  piece: Piece,
  preprocessing: Preprocessing,
): LabelledImage {
  const { contrast, grayscale, resize } = preprocessing;
  const cut = piece.frames.reduce(
    (pixels, frame) => cropOrPad(kernel, { pixels, boxes: [] }, frame).pixels,
    upright,
  );
  const pixelTransforms = [
    ...(contrast ? [contrasts[contrast.type]] : []),
    ...(grayscale ? [toGrayscale] : []),
  ];
  // Paints work in place.
  const own = cut === upright && pixelTransforms.length > 0 ? duplicate(kernel, cut) : cut;
  const pixels = pixelTransforms.reduce((before, transform) => transform(kernel, before), own);
  const painted = { pixels, boxes: clipBoxes(piece.boxes, piece.size) };
  return resize ? resizeImage(kernel, painted, resize) : painted;
}
