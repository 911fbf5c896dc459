// The settings of a dataset version (API 4.1 to 4.30). Invalid values are refused;
// version-warnings.ts warns of unusual ones. The key order is the execution order of the steps.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { atMost, fitsImage, lessThan, someGiven, unknownMembers } from './version-setting-rules.ts';
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
  .check(someGiven('brighten', 'darken'));
const blur = z.strictObject({ pixels: z.number().min(0).max(limits.imageSideMax) });
const crop = z
  .strictObject({ min: partPercent.optional(), max: partPercent })
  .check(atMost('min', 'max'));
const percentOnly = z.strictObject({ percent });
const flip = z
  .strictObject({ horizontal: yes, vertical: yes })
  .check(someGiven('horizontal', 'vertical'));
const ninety = z
  .strictObject({ clockwise: yes, 'counter-clockwise': yes, 'upside-down': yes })
  .check(someGiven('clockwise', 'counter-clockwise', 'upside-down'));
const rotate = z.strictObject({ degrees: turn });
const shear = z
  .strictObject({ horizontal: slant.optional(), vertical: slant.optional() })
  .check(someGiven('horizontal', 'vertical'));

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
  remap: z.record(className, className).optional().describe('New class names: {old: new}.'),
  'auto-orient': z.boolean().optional(),
  isolate: z.boolean().optional().describe('One image of each box.'),
  'static-crop': staticCrop.optional().describe('Keep this part, in percent.'),
  tile: tile
    .optional()
    .describe(
      'rows, columns; or fixed_size: sides in pixels; or fixed_aspect: aspectRatio, span; overlap in percent.',
    ),
  contrast: z.strictObject({ type: z.enum(contrastTypes) }).optional(),
  grayscale: z.boolean().optional(),
  resize: resize.optional().describe('To this many pixels.'),
});

const augmentation = z.strictObject({
  mosaic: z.boolean().optional().describe('Join four images into one.'),
  bbflip: flip.optional(),
  bbninety: ninety.optional(),
  bbcrop: crop.optional(),
  bbrotate: rotate.optional(),
  bbshear: shear.optional(),
  bbbrightness: brightness.optional(),
  bbexposure: percentOnly.optional(),
  bbblur: blur.optional(),
  bbnoise: percentOnly.optional(),
  flip: flip.optional(),
  ninety: ninety.optional(),
  crop: crop.optional().describe('Zoom in: percent of area cut off, usually to 20.'),
  rotate: rotate.optional().describe('Degrees, usually to 45.'),
  shear: shear.optional().describe('Degrees, usually to 45.'),
  hue: z.strictObject({ degrees: turn }).optional().describe('Degrees, usually to 180.'),
  saturation: percentOnly.optional(),
  brightness: brightness.optional(),
  exposure: percentOnly.optional(),
  rgrayscale: percentOnly.optional().describe('Percent of copies made gray.'),
  blur: blur.optional().describe('Pixels, usually to 25.'),
  noise: percentOnly.optional().describe('Black and white dots; percent of pixels, usually to 5.'),
  cutout: z
    .strictObject({ count: z.int().min(0).max(limits.cutoutCountMax), percent })
    .optional()
    .describe('Black; percent of each side, not area.'),
  image: z
    .strictObject({ versions: z.int().min(1) })
    .optional()
    .describe('Original and N-1 copies; default 1, to 50.'),
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
    .describe('On all images, in this order.'),
  augmentation: augmentation
    .check(unknownMembers(explainAugmentation))
    .describe(
      'Random changes, in this order; each copy gets all, up to the strength given. bb…: the same inside boxes. May be {}.',
    ),
});

/** Valid settings. */
export type VersionSettings = z.output<typeof versionSettings>;
