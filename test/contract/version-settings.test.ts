// The settings of a version: what docs/spec shows passes, what cannot be is refused by its path.

import { describe, expect, test } from 'vitest';
import { checkInput } from '../../src/contract/check.ts';
import { operations } from '../../src/contract/index.ts';
import { problemsOf } from './problems-of.ts';

const here = { workspace: 'lab', project: 'cells' };

function generate(settings: object): unknown {
  return checkInput(operations.versions_generate, { ...here, ...settings });
}

describe('settings that pass', () => {
  test('nothing at all', () => {
    const settings = { preprocessing: {}, augmentation: {} };
    expect(generate(settings)).toEqual({ ...here, ...settings });
  });

  test('every key of the specification in its shape', () => {
    const settings = {
      versionName: 'all of it',
      preprocessing: {
        'auto-orient': true,
        contrast: { type: 'Contrast Stretching' },
        'filter-null': { percent: 50 },
        'filter-tags': { good: true, bad: false },
        grayscale: true,
        isolate: false,
        remap: { RBC: 'red', WBC: 'white' },
        resize: { width: 640, height: 640, format: 'Stretch to' },
        'static-crop': { x_min: 10, x_max: 90, y_min: 0, y_max: 100 },
        tile: { rows: 2, columns: 3 },
      },
      augmentation: {
        blur: { pixels: 1.5 },
        bbblur: { pixels: 1.5 },
        brightness: { brighten: true, darken: true, percent: 25 },
        bbbrightness: { brighten: false, darken: true, percent: 25 },
        crop: { min: 12, max: 71 },
        bbcrop: { min: 0, max: 20 },
        exposure: { percent: 10 },
        bbexposure: { percent: 10 },
        flip: { horizontal: true, vertical: false },
        bbflip: { horizontal: true, vertical: true },
        noise: { percent: 50 },
        bbnoise: { percent: 0 },
        ninety: { clockwise: true, 'counter-clockwise': true, 'upside-down': false },
        bbninety: { clockwise: true, 'counter-clockwise': false, 'upside-down': false },
        rotate: { degrees: 45 },
        bbrotate: { degrees: 15 },
        shear: { horizontal: 45, vertical: 45 },
        bbshear: { horizontal: 5, vertical: 0 },
        cutout: { count: 26, percent: 71 },
        hue: { degrees: 180 },
        rgrayscale: { percent: 15 },
        saturation: { percent: 25 },
        mosaic: true,
        image: { versions: 32 },
      },
    };
    expect(generate(settings)).toEqual({ ...here, ...settings });
  });

  test.each([
    { mode: 'fixed_size', tileWidth: 640, tileHeight: 480, overlap: 10, padding: 'black' },
    { mode: 'fixed_aspect', aspectRatio: 1.5, span: 'width', overlap: 0, padding: 'black' },
  ])('tile by $mode', (tile) => {
    const settings = { preprocessing: { tile }, augmentation: {} };
    expect(generate(settings)).toEqual({ ...here, ...settings });
  });

  test('as JSON text, and with the directions that are not wanted left out', () => {
    const input = generate({ preprocessing: '{}', augmentation: '{"flip":{"vertical":true}}' });
    expect(input).toEqual({
      ...here,
      preprocessing: {},
      augmentation: { flip: { vertical: true } },
    });
  });
});

interface Refused {
  readonly preprocessing?: object;
  readonly augmentation?: object;
  readonly path: string;
  readonly message: string;
}

const refused: readonly Refused[] = [
  {
    augmentation: { brightnes: {} },
    path: 'augmentation.brightnes',
    message: 'is not known; did you mean "brightness"?',
  },
  {
    augmentation: { ninety: { clockwise: true, counterclockwise: true } },
    path: 'augmentation.ninety.counterclockwise',
    message: 'is not known; did you mean "counter-clockwise"?',
  },
  {
    preprocessing: { static_crop: {} },
    path: 'preprocessing.static_crop',
    message: 'is not known; did you mean "static-crop"?',
  },
  {
    augmentation: { crop: { min: '5', max: 20 } },
    path: 'augmentation.crop.min',
    message: 'expected a number, got the string "5"',
  },
  {
    augmentation: { crop: { min: 30, max: 20 } },
    path: 'augmentation.crop.min',
    message: 'must be at most max (20), got 30',
  },
  {
    augmentation: { crop: { min: 0, max: 100 } },
    path: 'augmentation.crop.max',
    message: 'must be less than 100, got 100',
  },
  {
    augmentation: { bbexposure: { percent: 101 } },
    path: 'augmentation.bbexposure.percent',
    message: 'must be at most 100, got 101',
  },
  {
    augmentation: { blur: { pixels: -1 } },
    path: 'augmentation.blur.pixels',
    message: 'must be at least 0, got -1',
  },
  {
    augmentation: { bbninety: {} },
    path: 'augmentation.bbninety',
    message: 'needs at least one of clockwise, counter-clockwise, upside-down; got none',
  },
  {
    augmentation: { brightness: { percent: 5 } },
    path: 'augmentation.brightness',
    message: 'needs at least one of brighten, darken; got none',
  },
  {
    augmentation: { image: { versions: 0 } },
    path: 'augmentation.image.versions',
    message: 'must be at least 1, got 0',
  },
  {
    augmentation: { image: { versions: '3' } },
    path: 'augmentation.image.versions',
    message: 'expected an integer, got the string "3"',
  },
  {
    augmentation: { mosaic: 'yes' },
    path: 'augmentation.mosaic',
    message: 'expected true or false, got the string "yes"',
  },
  {
    augmentation: { shear: { horizontal: 90, vertical: 0 } },
    path: 'augmentation.shear.horizontal',
    message: 'must be less than 90, got 90',
  },
  {
    preprocessing: { resize: { width: 640, height: 0, format: 'Stretch to' } },
    path: 'preprocessing.resize.height',
    message: 'must be at least 1, got 0',
  },
  {
    preprocessing: { resize: { width: 1.5, height: 1, format: 'Stretch to' } },
    path: 'preprocessing.resize.width',
    message: 'expected an integer, got 1.5',
  },
  {
    preprocessing: { resize: { width: 1, height: 1 } },
    path: 'preprocessing.resize.format',
    message:
      'is required (one of Stretch to, Fill (with center crop) in, Fit within, ' +
      'Fit (reflect edges) in, Fit (black edges) in, Fit (white edges) in, Fit (grey edges) in).',
  },
  {
    preprocessing: { resize: { width: 1, height: 1, format: 'stretch to' } },
    path: 'preprocessing.resize.format',
    message:
      'expected one of Stretch to, Fill (with center crop) in, Fit within, ' +
      'Fit (reflect edges) in, Fit (black edges) in, Fit (white edges) in, ' +
      'Fit (grey edges) in; got "stretch to" (did you mean "Stretch to"?)',
  },
  {
    preprocessing: { 'static-crop': { x_min: 50, x_max: 50, y_min: 0, y_max: 1 } },
    path: 'preprocessing.static-crop.x_min',
    message: 'must be less than x_max (50), got 50',
  },
  {
    preprocessing: { 'filter-tags': { good: 'require' } },
    path: 'preprocessing.filter-tags.good',
    message: 'expected true or false, got the string "require"',
  },
  {
    preprocessing: { tile: { rows: 2 } },
    path: 'preprocessing.tile.columns',
    message: 'is required with rows and columns (an integer).',
  },
  {
    preprocessing: { tile: { mode: 'fixed' } },
    path: 'preprocessing.tile.mode',
    message: 'expected one of fixed_size, fixed_aspect; got "fixed"',
  },
  {
    preprocessing: { tile: [2, 2] },
    path: 'preprocessing.tile',
    message: 'expected an object, got an array',
  },
];

describe('settings that cannot be', () => {
  test.each(refused)('$path: $message', ({ preprocessing = {}, augmentation = {}, ...problem }) => {
    expect(problemsOf(() => generate({ preprocessing, augmentation }))).toEqual([problem]);
  });

  test('neither group may be left out', () => {
    expect(problemsOf(() => generate({})).map(({ path }) => path)).toEqual([
      'preprocessing',
      'augmentation',
    ]);
  });

  test('a misspelt member of a tile is refused, and missed in the shape that was meant', () => {
    const tile = { mode: 'fixed_size', tileWdth: 1, tileHeight: 1, overlap: 0, padding: 'black' };
    expect(problemsOf(() => generate({ preprocessing: { tile }, augmentation: {} }))).toEqual([
      {
        path: 'preprocessing.tile.tileWdth',
        message: 'is not known; did you mean "tileWidth"?',
      },
      {
        path: 'preprocessing.tile.tileWidth',
        message: 'is required with mode "fixed_size" (an integer).',
      },
    ]);
  });
});
