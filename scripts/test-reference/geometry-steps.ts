// Steps that move pixels, beside Pillow's.

import {
  chooseCrop,
  chooseFlip,
  chooseNinety,
  chooseRotate,
  chooseShear,
} from '../../src/dataset-versions/geometric-augmentations.ts';
import { preparePiece } from '../../src/dataset-versions/preprocessing.ts';
import { renderSources } from '../../src/dataset-versions/render-images.ts';
import { resizeImage } from '../../src/dataset-versions/resize.ts';
import { piecesOf } from '../../src/dataset-versions/tiles-and-crops.ts';
import type { Size } from '../../src/dataset-versions/transform-boxes.ts';
import type { RawImage } from '../../src/imaging/raw-image.ts';
import { applying, drawing, painting } from './our-steps.ts';
import type { Case, Step } from './step.ts';

/**
 * In hard stripes the roundings of two passes may add up; and a pixel whose centre comes from the
 * very edge of the image may count as inside or outside.
 */
const fewPixels = 0.001;

export const geometrySteps: readonly Step[] = [
  {
    name: 'auto-orient',
    reference: 'Pillow exif_transpose',
    tolerance: 1,
    shareMax: 0,
    cases: () => [1, 2, 3, 4, 5, 6, 7, 8].map(orientedTo),
  },
  {
    name: 'flip',
    reference: 'Pillow transpose',
    tolerance: 0,
    shareMax: 0,
    cases: () => [
      transposed('FLIP_LEFT_RIGHT', chooseFlip({ horizontal: true }, drawing(0))),
      transposed('FLIP_TOP_BOTTOM', chooseFlip({ vertical: true }, drawing(0))),
    ],
  },
  {
    name: 'ninety',
    reference: 'Pillow transpose',
    tolerance: 0,
    shareMax: 0,
    // Pillow counts its turns counter-clockwise.
    cases: () => [
      transposed('ROTATE_270', chooseNinety({ clockwise: true }, drawing(0))),
      transposed('ROTATE_90', chooseNinety({ 'counter-clockwise': true }, drawing(0))),
      transposed('ROTATE_180', chooseNinety({ 'upside-down': true }, drawing(0))),
    ],
  },
  {
    name: 'static-crop, tile',
    reference: 'Pillow crop',
    tolerance: 0,
    shareMax: 0,
    cases: (size) => (Math.min(size.width, size.height) < 8 ? [] : pieces(size)),
  },
  {
    name: 'resize',
    reference: 'Pillow resize BILINEAR, OpenCV copyMakeBorder',
    tolerance: 1,
    shareMax: fewPixels,
    cases: () => targets.flatMap((target) => resizes(target)),
  },
  {
    name: 'crop',
    reference: 'Pillow transform EXTENT, BILINEAR, in floats',
    tolerance: 1,
    shareMax: fewPixels,
    cases: (size) => [
      zoomed(size, 20, 0.3, 0.7),
      zoomed(size, 75, 1, 0),
      zoomed(size, 1, 0.5, 0.5),
    ],
  },
  {
    name: 'rotate',
    reference: 'Pillow rotate BILINEAR, in floats',
    tolerance: 1,
    shareMax: fewPixels,
    cases: () =>
      [15, -7.5, 45, 133].map((degrees) => ({
        step: 'rotate',
        parameters: { degrees },
        ours: applying(chooseRotate({ degrees }, drawing(1))),
      })),
  },
  {
    name: 'shear',
    reference: 'Pillow transform AFFINE, BILINEAR, in floats',
    tolerance: 1,
    shareMax: fewPixels,
    cases: () =>
      [
        { horizontal: 15, vertical: 0 },
        { horizontal: 0, vertical: -30 },
        { horizontal: 20, vertical: 10 },
      ].map((degrees) => ({
        step: 'shear',
        parameters: degrees,
        ours: applying(chooseShear(degrees, drawing(1))),
      })),
  },
];

function orientedTo(orientation: number): Case {
  return {
    step: 'exif',
    parameters: { orientation },
    ours: async ({ kernel, file }) => {
      const images: RawImage[] = [];
      const source = { bytes: file(), hash: '', split: 'test', boxes: [] } as const;
      const settings = { preprocessing: { 'auto-orient': true }, augmentation: {} };
      const job = { settings, seed: '', imagesPerPiece: 1, sources: [source] };
      await renderSources(kernel, { ...job, output: 'pixels' }, async (image) => {
        images.push({ data: image.bytes, width: image.width, height: image.height });
      });
      const [image] = images;
      if (!image) throw new Error('The engine gave no image.');
      return image;
    },
  };
}

function transposed(method: string, choice: ReturnType<typeof chooseFlip>): Case {
  return { step: 'transpose', parameters: { method }, ours: applying(choice) };
}

function zoomed(size: Size, percent: number, x: number, y: number): Case {
  const side = Math.sqrt(1 - percent / 100);
  const left = size.width * (1 - side) * x;
  const top = size.height * (1 - side) * y;
  const box = [left, top, left + size.width * side, top + size.height * side];
  const ours = applying(chooseCrop({ min: percent, max: percent }, drawing(0, x, y)));
  return { step: 'zoom', parameters: { box }, ours };
}

/** Percent and tiles that leave a part of a pixel, or a pixel, over. */
function pieces({ width, height }: Size): readonly Case[] {
  const cropped = { x_min: 10.5, x_max: 80, y_min: 0, y_max: 55.5 };
  const edge = (side: number, percent: number) => Math.floor((side * percent) / 100);
  const [right, bottom] = [Math.floor(width / 3), Math.floor(height / 2)];
  return [
    piece({ 'static-crop': cropped }, 0, [
      edge(width, 10.5),
      0,
      edge(width, 80),
      edge(height, 55.5),
    ]),
    piece({ tile: { rows: 2, columns: 3 } }, 0, [0, 0, right, bottom]),
    piece({ tile: { rows: 2, columns: 3 } }, 5, [2 * right, bottom, 3 * right, 2 * bottom]),
  ];
}

function piece(
  settings: Parameters<typeof piecesOf>[0],
  index: number,
  box: readonly number[],
): Case {
  const ours = painting((kernel, pixels) => {
    const found = piecesOf(settings, pixels, [])[index];
    if (!found) throw new Error(`there is no piece ${index}`);
    return preparePiece(kernel, pixels, found, settings).pixels;
  });
  return { step: 'crop', parameters: { box }, ours };
}

const targets: readonly Size[] = [
  { width: 640, height: 640 },
  { width: 200, height: 150 },
  { width: 37, height: 90 },
];

function resizes(target: Size): readonly Case[] {
  return [
    resized({ ...target, format: 'Stretch to' }, 'stretch', {}),
    resized({ ...target, format: 'Fit within' }, 'fit', {}),
    resized({ ...target, format: 'Fill (with center crop) in' }, 'fill', {}),
    resized({ ...target, format: 'Fit (black edges) in' }, 'fit_in', { edges: 0 }),
    resized({ ...target, format: 'Fit (white edges) in' }, 'fit_in', { edges: 255 }),
    resized({ ...target, format: 'Fit (grey edges) in' }, 'fit_in', { edges: 114 }),
    resized({ ...target, format: 'Fit (reflect edges) in' }, 'fit_in', { edges: 'reflect' }),
  ];
}

function resized(
  resize: Parameters<typeof resizeImage>[2],
  step: string,
  more: Readonly<Record<string, unknown>>,
): Case {
  const { width, height } = resize;
  const ours = painting(
    (kernel, pixels) => resizeImage(kernel, { pixels, boxes: [] }, resize).pixels,
  );
  return { step, parameters: { width, height, ...more }, ours };
}
