// How many images settings come to, and the settings as they are written out.

import { describe, expect, test } from 'vitest';
import { expectedCounts } from '../../src/contract/version-image-counts.ts';
import { normalizeSettings } from '../../src/contract/version-no-op-steps.ts';
import { type VersionSettings, versionSettings } from '../../src/contract/version-settings.ts';
import { settingsWarnings } from '../../src/contract/version-warnings.ts';
import { augmentationSteps } from '../../src/dataset-versions/augmentation-table.ts';

type Group = Readonly<Record<string, unknown>>;

function settings(preprocessing: Group = {}, augmentation: Group = {}): VersionSettings {
  return versionSettings.parse({ preprocessing, augmentation });
}

const bccd = { splits: { train: 205, valid: 87, test: 72 }, boxes: 4888 };

function counts(preprocessing: Group, augmentation: Group = {}, project = bccd) {
  const { train, valid, test, total } = expectedCounts(
    settings(preprocessing, augmentation),
    project,
  );
  const shown = [train, valid, test, total].map(({ images, certainty }) =>
    certainty === 'exact' ? images : `${certainty} ${images}`,
  );
  return shown.join(', ');
}

const flip = { horizontal: true, vertical: true };
const ninety = { clockwise: true, 'counter-clockwise': true, 'upside-down': true };
const times = (versions: number, augmentation: Group) => ({ ...augmentation, image: { versions } });

describe('expectedCounts', () => {
  test.each<[name: string, preprocessing: Group, augmentation: Group, expected: string]>([
    ['nothing', {}, {}, '205, 87, 72, 364'],
    ['a factor alone', {}, times(3, {}), '205, 87, 72, 364'],
    ['an augmentation alone', {}, { rotate: { degrees: 15 } }, '205, 87, 72, 364'],
    ['copies of train', {}, times(3, { rotate: { degrees: 15 } }), '615, 87, 72, 774'],
    ['an idle augmentation', {}, times(3, { rotate: { degrees: 0 } }), '205, 87, 72, 364'],
    ['one flip', {}, times(3, { flip: { horizontal: true } }), '410, 87, 72, 569'],
    ['both flips', {}, times(9, { flip }), '820, 87, 72, 979'],
    ['fewer than both flips have', {}, times(3, { flip }), '615, 87, 72, 774'],
    ['quarter turns', {}, times(9, { ninety }), '820, 87, 72, 979'],
    ['flips and quarter turns', {}, times(9, { flip, ninety }), '1640, 87, 72, 1799'],
    [
      'a half turn is both flips',
      {},
      times(9, { flip, ninety: { 'upside-down': true } }),
      '820, 87, 72, 979',
    ],
    ['flips with a blur', {}, times(9, { flip, blur: { pixels: 2 } }), '1845, 87, 72, 2004'],
    ['gray or not, without copies', {}, { rgrayscale: { percent: 20 } }, '205, 87, 72, 364'],
    [
      'gray or not',
      {},
      times(5, { rgrayscale: { percent: 20 } }),
      'at most 410, 87, 72, at most 569',
    ],
    [
      'gray, and mirrored or not',
      {},
      times(9, { rgrayscale: { percent: 100 }, flip: { vertical: true } }),
      'at most 615, 87, 72, at most 774',
    ],
    [
      'three brighter ones and three darker ones',
      {},
      times(50, { brightness: { brighten: true, darken: true, percent: 1 } }),
      'at most 1435, 87, 72, at most 1594',
    ],
    ['boxes only', {}, times(3, { bbflip: flip }), 'at most 615, 87, 72, at most 774'],
    ['tiles', { tile: { rows: 2, columns: 3 } }, {}, '1230, 522, 432, 2184'],
    [
      'copies of tiles',
      { tile: { rows: 2, columns: 2 } },
      times(3, { hue: { degrees: 5 } }),
      '2460, 348, 288, 3096',
    ],
    [
      'a filter',
      { 'filter-null': { percent: 50 } },
      times(2, { mosaic: true }),
      'at most 410, at most 87, at most 72, at most 569',
    ],
    ['a filter that lets all pass', { 'filter-tags': {} }, {}, '205, 87, 72, 364'],
    ['isolate', { isolate: true }, {}, 'about 2753, about 1168, about 967, about 4888'],
    [
      'tiles of a size',
      {
        tile: { mode: 'fixed_size', tileWidth: 9, tileHeight: 9, overlap: 0, padding: 'black' },
      },
      times(2, { mosaic: true }),
      'unknown null, unknown null, unknown null, unknown null',
    ],
  ])('%s', (_name, preprocessing, augmentation, expected) => {
    expect(counts(preprocessing, augmentation)).toBe(expected);
  });

  test('of a project with one split, isolate can be told', () => {
    const project = { splits: { train: 10, valid: 0, test: 0 }, boxes: 30 };
    expect(counts({ isolate: true }, {}, project)).toBe('at most 30, 0, 0, at most 30');
  });

  test('without the number of boxes, isolate cannot be told', () => {
    const { train, valid } = expectedCounts(settings({ isolate: true }), {
      splits: { train: 10, valid: 0, test: 0 },
    });
    expect(train).toEqual({
      images: null,
      certainty: 'unknown',
      because: ['isolate makes one image per box; boxes are not known'],
    });
    expect(valid).toEqual({ images: 0, certainty: 'exact', because: [] });
  });

  test('says why', () => {
    const wanted = settings(
      { 'filter-null': { percent: 5 }, 'filter-tags': { good: true }, isolate: true },
      times(2, { bbblur: { pixels: 2 } }),
    );
    expect(expectedCounts(wanted, bccd).total.because).toEqual([
      'filter-null and filter-tags may leave images out',
      'isolate makes one image per box: 4888 boxes in all splits',
      'images without boxes have fewer different copies',
    ]);
  });
});

describe('normalizeSettings', () => {
  test('has the order of the engine', () => {
    const steps = Object.keys(versionSettings.shape.augmentation.shape);
    expect(steps).toEqual([...augmentationSteps.map(({ key }) => key), 'image']);
  });

  test('writes out what was left out, in the order of the steps', () => {
    const given = settings(
      { resize: { width: 640, height: 640, format: 'Stretch to' }, 'auto-orient': true },
      {
        ninety: { clockwise: true },
        bbbrightness: { darken: true, percent: 9 },
        flip: { vertical: true },
      },
    );
    expect(JSON.stringify(normalizeSettings(given))).toBe(
      JSON.stringify({
        preprocessing: {
          'auto-orient': true,
          resize: { width: 640, height: 640, format: 'Stretch to' },
        },
        augmentation: {
          bbbrightness: { brighten: false, darken: true, percent: 9 },
          flip: { horizontal: false, vertical: true },
          ninety: { clockwise: true, 'counter-clockwise': false, 'upside-down': false },
          image: { versions: 1 },
        },
      }),
    );
  });

  test('leaves out what does nothing', () => {
    const given = settings(
      { grayscale: true, isolate: false, tile: { rows: 1, columns: 1 }, 'filter-tags': {} },
      { hue: { degrees: 9 }, mosaic: false, blur: { pixels: 0 }, image: { versions: 4 } },
    );
    expect(normalizeSettings(given)).toEqual({
      preprocessing: { grayscale: true },
      augmentation: { image: { versions: 4 } },
    });
  });
});

test('warnings give path, value and customary range, or what is wrong', () => {
  const unusual = settings(
    { isolate: true, remap: { RBC: 'WBC', WBC: 'white' } },
    {
      ...times(51, { bbrotate: { degrees: 60 }, blur: { pixels: 0 } }),
      cutout: { count: 26, percent: 71 },
    },
  );
  expect(settingsWarnings(unusual)).toEqual([
    'augmentation.blur.pixels is 0: this step changes nothing',
    'augmentation.bbrotate.degrees is 60: customary are 0 to 45 degrees; corners turn black and ' +
      'boxes grow far beyond their objects',
    'augmentation.image.versions is 51: customary are 1 to 50 images; generation fails above the ' +
      'cap of the plan, on the embedded platform 50 unless set otherwise',
    'augmentation.cutout is 26 x 71 percent: together they have 13.1 times the area of the image; ' +
      'customary is less than once',
    'preprocessing.resize is missing: isolate and mosaic make images of many sizes',
    'preprocessing.remap gives "RBC" the name "WBC", which is renamed as well: each class is ' +
      'renamed once, not on and on',
  ]);
});
