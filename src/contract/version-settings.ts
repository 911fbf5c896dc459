// The settings of a dataset version (API 4.1 to 4.30). Invalid values are refused;
// version-warnings.ts warns of unusual ones. The key order is the execution order of the steps.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { described } from './fields.ts';
import { atMost, fitsImage, lessThan, someTrue, unknownMembers } from './version-setting-rules.ts';
import { tile } from './version-tile-setting.ts';

const side = z.int().min(1).max(limits.imageSideMax);
const percent = z.number().min(0).max(100);
/** Cropping everything would leave no image. */
const partPercent = z.number().min(0).lt(100);
const turn = z.number().min(0).max(360);
/** A shear of 90 degrees makes an image infinitely long. */
const slant = z.number().min(0).lt(90);
const yes = z.boolean().optional();

const brightness = z
  .strictObject({ brighten: yes, darken: yes, percent })
  .check(someTrue('brighten', 'darken'));
const blur = z.strictObject({ pixels: z.number().min(0).max(limits.imageSideMax) });
const crop = z.strictObject({ min: partPercent, max: partPercent }).check(atMost('min', 'max'));
const percentOnly = z.strictObject({ percent });
const flip = z
  .strictObject({ horizontal: yes, vertical: yes })
  .check(someTrue('horizontal', 'vertical'));
const ninety = z
  .strictObject({ clockwise: yes, 'counter-clockwise': yes, 'upside-down': yes })
  .check(someTrue('clockwise', 'counter-clockwise', 'upside-down'));
const rotate = z.strictObject({ degrees: turn });
const shear = z.strictObject({ horizontal: slant, vertical: slant });

const contrastTypes = [
  'Contrast Stretching',
  'Histogram Equalization',
  'Adaptive Equalization',
] as const;

/** API: `preprocessing.resize.format`. */
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
  .check(lessThan('x_min', 'x_max'), lessThan('y_min', 'y_max'));

const resize = z
  .strictObject({ width: side, height: side, format: z.enum(resizeFormats) })
  .check(fitsImage('width', 'height'));

const className = z.string().min(1).max(limits.labelCharactersMax);

const preprocessing = z.strictObject({
  'filter-tags': z
    .record(z.string().min(1), z.boolean())
    .optional()
    .describe('{tag: true requires, false excludes}.'),
  'filter-null': percentOnly.optional().describe('Least percent of images with labels.'),
  remap: z.record(className, className).optional().describe('{old class: new class}.'),
  'auto-orient': z.boolean().optional().describe('Apply EXIF orientation.'),
  isolate: z.boolean().optional().describe('One image per box.'),
  'static-crop': described(
    staticCrop,
    '{x_min, x_max, y_min, y_max}: percent of the sides.',
  ).optional(),
  tile: tile
    .optional()
    .describe(
      'rows, columns; or fixed_size: tileWidth, tileHeight; or fixed_aspect: aspectRatio, span; both with overlap (percent) and padding.',
    ),
  contrast: z
    .strictObject({ type: z.enum(contrastTypes) })
    .optional()
    .describe('Contrast.'),
  grayscale: z.boolean().optional().describe('Gray.'),
  resize: resize.optional().describe('Pixels.'),
});

const augmentation = z.strictObject({
  mosaic: z.boolean().optional().describe('Join four images.'),
  bbflip: described(flip, 'As flip, inside boxes.').optional(),
  bbninety: described(ninety, 'As ninety, inside boxes.').optional(),
  bbcrop: described(crop, 'As crop, inside boxes.').optional(),
  bbrotate: described(rotate, 'As rotate, inside boxes.').optional(),
  bbshear: described(shear, 'As shear, inside boxes.').optional(),
  bbbrightness: described(brightness, 'As brightness, inside boxes.').optional(),
  bbexposure: described(percentOnly, 'As exposure, inside boxes.').optional(),
  bbblur: described(blur, 'As blur, inside boxes.').optional(),
  bbnoise: described(percentOnly, 'As noise, inside boxes.').optional(),
  flip: flip.optional().describe('Mirror.'),
  ninety: ninety.optional().describe('Quarter turns.'),
  crop: crop.optional().describe('Zoom in: percent of area cut off, usually 0 to 20.'),
  rotate: rotate.optional().describe('Either way, usually to 45.'),
  shear: shear.optional().describe('Degrees, usually to 45.'),
  hue: z.strictObject({ degrees: turn }).optional().describe('Either way, to 180.'),
  saturation: percentOnly.optional().describe('Either way, to 99.'),
  brightness: brightness.optional().describe('To 99.'),
  exposure: percentOnly.optional().describe('Gamma, to 99.'),
  rgrayscale: percentOnly.optional().describe('Share of copies made gray.'),
  blur: blur.optional().describe('Gaussian, to 25.'),
  noise: percentOnly.optional().describe('Black and white dots, usually to 5.'),
  cutout: z
    .strictObject({ count: z.int().min(0).max(limits.cutoutCountMax), percent })
    .optional()
    .describe('Black rectangles, percent of each side.'),
  image: z
    .strictObject({ versions: z.int().min(1) })
    .optional()
    .describe('N: up to 50.'),
});

/** These have no `bb` form in the API, so their `bb` spelling gets a message of its own. */
function explainAugmentation(name: string): string | undefined {
  if (Object.hasOwn(preprocessing.shape, name)) return 'is not known; it belongs in preprocessing';
  const unwrapped = name.replace(/^bb[-_]?/, '');
  if (unwrapped === name || !Object.hasOwn(augmentation.shape, unwrapped)) return undefined;
  if (Object.hasOwn(augmentation.shape, `bb${unwrapped}`)) return undefined;
  return `is not known; "${unwrapped}" has no form for boxes, only for the whole image`;
}

function explainPreprocessing(name: string): string | undefined {
  if (!Object.hasOwn(augmentation.shape, name)) return undefined;
  return 'is not known; it belongs in augmentation';
}

export const versionSettings = z.strictObject({
  preprocessing: preprocessing
    .check(unknownMembers(explainPreprocessing))
    .describe('Steps on all images, in this order; may be {}.'),
  augmentation: augmentation
    .check(unknownMembers(explainAugmentation))
    .describe('Random changes of train images; may be {}.'),
});

/** Valid settings. */
export type VersionSettings = z.output<typeof versionSettings>;
