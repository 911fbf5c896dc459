// The settings of a dataset version (first document, Dataset version settings). A value that cannot
// be is refused here; an unusual one is the generator's to warn of.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { described } from './fields.ts';

const side = z.int().min(1).max(limits.imageSideMax);
const percent = z.number().min(0).max(100);
/** All of an area cropped away, or covered by its neighbour, would leave nothing. */
const partPercent = z.number().min(0).lt(100);
const turn = z.number().min(0).max(360);
/** Sheared by 90 degrees an image has no end. */
const slant = z.number().min(0).lt(90);
const yes = z.boolean().optional();

const brightness = z
  .strictObject({ brighten: yes, darken: yes, percent })
  .refine(({ brighten, darken }) => brighten || darken, {
    error: 'at least one of brighten, darken must be true',
  });
const blur = z.strictObject({ pixels: z.number().min(0).max(limits.imageSideMax) });
const crop = z
  .strictObject({ min: partPercent, max: partPercent })
  .refine(({ min, max }) => min <= max, { error: 'min must not be greater than max' });
const percentOnly = z.strictObject({ percent });
const flip = z
  .strictObject({ horizontal: yes, vertical: yes })
  .refine(({ horizontal, vertical }) => horizontal || vertical, {
    error: 'at least one of horizontal, vertical must be true',
  });
const ninety = z
  .strictObject({ clockwise: yes, 'counter-clockwise': yes, 'upside-down': yes })
  .refine((turns) => Object.values(turns).includes(true), {
    error: 'at least one of clockwise, counter-clockwise, upside-down must be true',
  });
const rotate = z.strictObject({ degrees: turn });
const shear = z.strictObject({ horizontal: slant, vertical: slant });

const augmentation = z.strictObject({
  blur: blur.optional().describe('Blur, up to.'),
  brightness: brightness.optional().describe('Brighter or darker, up to.'),
  crop: crop.optional().describe('Zoom in: percent of the area cut away.'),
  exposure: percentOnly.optional().describe('Gamma, up to.'),
  flip: flip.optional().describe('Mirror.'),
  noise: percentOnly.optional().describe('Pixels, up to.'),
  ninety: ninety.optional().describe('Quarter turns.'),
  rotate: rotate.optional().describe('Either way, up to.'),
  shear: shear.optional().describe('Degrees, up to.'),
  cutout: z
    .strictObject({ count: z.int().min(0).max(limits.cutoutCountMax), percent })
    .optional()
    .describe('Black rectangles; size in percent.'),
  hue: z.strictObject({ degrees: turn }).optional().describe('Either way, up to.'),
  rgrayscale: percentOnly.optional().describe('Share of images made gray.'),
  saturation: percentOnly.optional().describe('Either way, up to.'),
  mosaic: z.boolean().optional().describe('Join four images.'),
  image: z
    .strictObject({ versions: z.int().min(1) })
    .optional()
    .describe('Images per train image: 1 original, the rest augmented.'),
  bbblur: described(blur, 'As blur, inside boxes.').optional(),
  bbbrightness: described(brightness, 'As brightness, inside boxes.').optional(),
  bbcrop: described(crop, 'As crop, inside boxes.').optional(),
  bbexposure: described(percentOnly, 'As exposure, inside boxes.').optional(),
  bbflip: described(flip, 'As flip, inside boxes.').optional(),
  bbnoise: described(percentOnly, 'As noise, inside boxes.').optional(),
  bbninety: described(ninety, 'As ninety, inside boxes.').optional(),
  bbrotate: described(rotate, 'As rotate, inside boxes.').optional(),
  bbshear: described(shear, 'As shear, inside boxes.').optional(),
});

const contrastTypes = [
  'Contrast Stretching',
  'Histogram Equalization',
  'Adaptive Equalization',
] as const;

/** First document: `preprocessing.resize.format`. */
export const resizeFormats = [
  'Stretch to',
  'Fill (with center crop) in',
  'Fit within',
  'Fit (reflect edges) in',
  'Fit (black edges) in',
  'Fit (white edges) in',
  'Fit (grey edges) in',
] as const;

const staticCrop = z
  .strictObject({ x_min: percent, x_max: percent, y_min: percent, y_max: percent })
  .refine(({ x_min, x_max }) => x_min < x_max, {
    path: ['x_min'],
    error: 'must be less than x_max',
  })
  .refine(({ y_min, y_max }) => y_min < y_max, {
    path: ['y_min'],
    error: 'must be less than y_max',
  });

const tileEdge = { overlap: partPercent, padding: z.string().min(1) };

/** The document shows `black` for padding and `width` for span; other values are not shown. */
const tile = z.union([
  z.strictObject({ rows: side, columns: side }),
  z.strictObject({
    mode: z.literal('fixed_size'),
    tileWidth: side,
    tileHeight: side,
    ...tileEdge,
  }),
  z.strictObject({
    mode: z.literal('fixed_aspect'),
    aspectRatio: z.number().gt(0),
    span: z.string().min(1),
    ...tileEdge,
  }),
]);

const preprocessing = z.strictObject({
  'auto-orient': z.boolean().optional().describe('Apply EXIF orientation.'),
  contrast: z
    .strictObject({ type: z.enum(contrastTypes) })
    .optional()
    .describe('Contrast.'),
  'filter-null': percentOnly.optional().describe('Least share of annotated images.'),
  'filter-tags': z
    .record(z.string().min(1), z.boolean())
    .optional()
    .describe('Tag: true = require, false = exclude.'),
  grayscale: z.boolean().optional().describe('Gray images.'),
  isolate: z.boolean().optional().describe('One image per box.'),
  remap: z.record(z.string().min(1), z.string().min(1)).optional().describe('Old to new class.'),
  resize: z
    .strictObject({ width: side, height: side, format: z.enum(resizeFormats) })
    .optional()
    .describe('Pixels.'),
  'static-crop': staticCrop.optional().describe('Percent of the image.'),
  tile: tile
    .optional()
    .describe('rows, columns; or fixed_size: tileWidth, tileHeight; or fixed_aspect: the rest.'),
});

export const versionSettings = z.strictObject({
  preprocessing: preprocessing.describe('Steps on all images; may be {}.'),
  augmentation: augmentation.describe('Random changes of train images; may be {}.'),
});

/** Checked settings: types, ranges and members are right. */
export type VersionSettings = z.output<typeof versionSettings>;
