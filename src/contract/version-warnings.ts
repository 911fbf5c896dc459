// Warnings about valid but unusual version settings, which a computer-vision engineer would want to
// know before generating. Ranges are those of the hosted platform's sliders.

import { limits } from '../limits.ts';
import { copyLimit } from './version-image-counts.ts';
import { noOpSteps } from './version-no-op-steps.ts';
import type { VersionSettings } from './version-settings.ts';

/**
 * Warnings about settings that are unusual or have less effect than expected. Each starts with the
 * path, for example `augmentation.rotate.degrees is 60: ...`.
 */
export function settingsWarnings(settings: VersionSettings): readonly string[] {
  return [
    ...noOpSteps(settings).map(({ path, reason }) => `${path} ${reason}`),
    ...outOfRange(settings),
    ...crowded(settings),
    ...withoutCopies(settings),
    ...clashes(settings),
  ];
}

interface Range {
  /** Path below `augmentation` or `preprocessing`; `(bb)` where both forms have it. */
  readonly path: string;
  readonly least?: number;
  readonly most: number;
  readonly unit: string;
  readonly because: string;
}

const customary: readonly Range[] = [
  {
    path: 'augmentation.[bb]crop.max',
    most: 75,
    unit: 'percent of the area',
    because: 'little of the image is left, and objects fall out of it',
  },
  {
    path: 'augmentation.[bb]rotate.degrees',
    most: 45,
    unit: 'degrees',
    because: 'corners turn black and boxes grow far beyond their objects',
  },
  {
    path: 'augmentation.[bb]shear.horizontal',
    most: 45,
    unit: 'degrees',
    because: 'most of the image leaves its frame',
  },
  {
    path: 'augmentation.[bb]shear.vertical',
    most: 45,
    unit: 'degrees',
    because: 'most of the image leaves its frame',
  },
  {
    path: 'augmentation.hue.degrees',
    most: 180,
    unit: 'degrees',
    because: '180 either way already reaches every hue',
  },
  {
    path: 'augmentation.saturation.percent',
    most: 99,
    unit: 'percent',
    because: 'some copies lose all colour',
  },
  {
    path: 'augmentation.[bb]brightness.percent',
    most: 99,
    unit: 'percent',
    because: 'some copies become all white or all black',
  },
  {
    path: 'augmentation.[bb]exposure.percent',
    most: 99,
    unit: 'percent',
    because: 'some copies become all white or nearly black',
  },
  {
    path: 'augmentation.rgrayscale.percent',
    most: 99,
    unit: 'percent',
    because: 'every copy becomes gray; preprocessing.grayscale does that for all images',
  },
  {
    path: 'augmentation.[bb]blur.pixels',
    most: 25,
    unit: 'pixels',
    because: 'objects can no longer be recognised',
  },
  {
    path: 'augmentation.[bb]noise.percent',
    most: 5,
    unit: 'percent of the pixels (25 at the very most)',
    because: 'objects are hardly recognisable',
  },
  {
    path: 'augmentation.image.versions',
    least: 1,
    most: limits.versionMultiplierMax,
    unit: 'images',
    because:
      'generation fails above the cap of the plan, on the embedded platform ' +
      `${limits.versionMultiplierMax} unless set otherwise`,
  },
  ...['width', 'height'].map((side) => ({
    path: `preprocessing.resize.${side}`,
    least: 32,
    most: 2048,
    unit: 'pixels',
    because: 'few models train on images of that size',
  })),
  ...['rows', 'columns'].map((lines) => ({
    path: `preprocessing.tile.${lines}`,
    least: 1,
    most: 10,
    unit: lines,
    because: 'most tiles hold no whole object',
  })),
  {
    path: 'preprocessing.tile.overlap',
    most: 50,
    unit: 'percent of a tile',
    because: 'most pixels come several times',
  },
  {
    path: 'preprocessing.tile.aspectRatio',
    least: 0.25,
    most: 4,
    unit: '(width to height)',
    because: 'tiles become strips',
  },
];

function outOfRange(settings: VersionSettings): readonly string[] {
  return customary.flatMap(({ path, least = 0, most, unit, because }) =>
    formsOf(path).flatMap((form) => {
      const value = numberAt(settings, form);
      if (value === undefined || (value >= least && value <= most)) return [];
      return [`${form} is ${value}: customary are ${least} to ${most} ${unit}; ${because}`];
    }),
  );
}

function formsOf(path: string): readonly string[] {
  return path.includes('[bb]') ? [path.replace('[bb]', ''), path.replace('[bb]', 'bb')] : [path];
}

function numberAt(settings: VersionSettings, path: string): number | undefined {
  let value: unknown = settings;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(name);
  }
  return typeof value === 'number' ? value : undefined;
}

/** Several members together remove too much of the image. */
function crowded({ preprocessing, augmentation }: VersionSettings): readonly string[] {
  const found: string[] = [];
  const { cutout } = augmentation;
  const covered = cutout ? cutout.count * (cutout.percent / 100) ** 2 : 0;
  if (cutout && covered >= 1) {
    found.push(
      `augmentation.cutout is ${cutout.count} x ${cutout.percent} percent: together they have ` +
        `${Math.round(covered * 10) / 10} times the area of the image; customary is less than once`,
    );
  }
  const crop = preprocessing['static-crop'];
  const left = crop ? ((crop.x_max - crop.x_min) * (crop.y_max - crop.y_min)) / 100 : 100;
  if (left < 10) {
    const shown = Math.round(left * 100) / 100;
    found.push(
      `preprocessing.static-crop keeps ${shown} percent of the area: customary are 10 to 100; ` +
        'values are percent of the sides, not fractions or pixels',
    );
  }
  return found;
}

/** Whether augmentations are chosen that change nothing, since no copies are made. */
export function lacksCopies(settings: VersionSettings): boolean {
  return (settings.augmentation.image?.versions ?? 1) === 1 && copyLimit(settings).most !== 1;
}

function withoutCopies(settings: VersionSettings): readonly string[] {
  const versions = settings.augmentation.image?.versions ?? 1;
  const path = 'augmentation.image.versions';
  if (lacksCopies(settings)) return [`${path} is not above 1: no augmented copies are made`];
  const { most } = copyLimit(settings);
  if (versions === 1) return [];
  if (most === 1) {
    return [`${path} is ${versions}, but no augmentation is chosen: no copies are made`];
  }
  if (most === undefined || versions <= most) return [];
  return [
    `${path} is ${versions}, but the chosen augmentations give at most ${most} different images ` +
      'from one: no more are made',
  ];
}

const bothForms = [
  'flip',
  'ninety',
  'crop',
  'rotate',
  'shear',
  'brightness',
  'exposure',
  'blur',
  'noise',
] as const;

/** Steps that cancel each other. */
function clashes({ preprocessing, augmentation }: VersionSettings): readonly string[] {
  const { isolate, tile, remap = {}, resize } = preprocessing;
  const twice = bothForms.filter((key) => augmentation[key] && augmentation[`bb${key}`]);
  const first = Object.entries(remap).find(
    ([, name]) => Object.hasOwn(remap, name) && remap[name] !== name,
  );
  return [
    ...twice.map(
      (key) => `augmentation.bb${key} is chosen beside ${key}: boxes are changed by both`,
    ),
    ...(isolate && tile
      ? ['preprocessing.tile is chosen beside isolate: it cuts up each isolated object']
      : []),
    ...(isolate && preprocessing['static-crop']
      ? ['preprocessing.static-crop is chosen beside isolate: it crops each isolated object']
      : []),
    ...(isolate && augmentation.mosaic
      ? ['augmentation.mosaic is chosen beside isolate: it joins isolated objects of all classes']
      : []),
    ...((isolate || augmentation.mosaic) && !resize
      ? ['preprocessing.resize is missing: isolate and mosaic make images of many sizes']
      : []),
    ...(tile && !isolate && !augmentation.mosaic && !resize
      ? ['preprocessing.resize is missing: tiles of images of different sizes differ in size']
      : []),
    ...(first
      ? [
          `preprocessing.remap gives ${JSON.stringify(first[0])} the name ` +
            `${JSON.stringify(first[1])}, which is renamed as well: each class is renamed once, ` +
            'not on and on',
        ]
      : []),
  ];
}
