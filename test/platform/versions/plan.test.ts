import { describe, expect, test } from 'vitest';
import { planCopies, planVersion } from '../../../src/platform/versions/plan.ts';
import { randomFrom, shuffled } from '../../../src/platform/versions/random.ts';

const horizontal = { mirrored: true, quarters: 0 };
const vertical = { mirrored: true, quarters: 2 };
const clockwise = { mirrored: false, quarters: 1 };
const upsideDown = { mirrored: false, quarters: 2 };

function variantsOf(augmentation: Record<string, unknown>) {
  return planVersion({ augmentation }).variants.flatMap((steps) =>
    steps.map((step) => (step.kind === 'turn' ? step.turn : step.kind)),
  );
}

describe('planVersion', () => {
  test('of no settings changes nothing', () => {
    expect(planVersion({})).toEqual({
      preprocessing: [],
      variants: [],
      imagesPerSource: 1,
      warnings: [],
    });
  });

  test('orients before it resizes, whatever the order of the settings', () => {
    const resize = { width: 64, height: 32, format: 'Fit within' };
    const { preprocessing } = planVersion({ preprocessing: { resize, 'auto-orient': true } });
    expect(preprocessing).toEqual([{ kind: 'auto-orient' }, { kind: 'resize', ...resize }]);
  });

  test('lists each result of flips and turns once', () => {
    expect(variantsOf({ flip: { horizontal: true } })).toEqual([horizontal]);
    expect(variantsOf({ flip: { horizontal: true, vertical: true } })).toEqual([
      horizontal,
      vertical,
      upsideDown,
    ]);
    expect(variantsOf({ ninety: { clockwise: true, 'upside-down': true } })).toEqual([
      clockwise,
      upsideDown,
    ]);
    expect(variantsOf({ flip: { vertical: true }, ninety: { 'upside-down': true } })).toEqual([
      upsideDown,
      vertical,
      horizontal,
    ]);
    const all = {
      flip: { horizontal: true, vertical: true },
      ninety: { clockwise: true, 'counter-clockwise': true, 'upside-down': true },
    };
    expect(variantsOf(all)).toHaveLength(7);
  });

  test('lets settings pass that ask for nothing', () => {
    const plan = planVersion({
      preprocessing: { grayscale: false, isolate: false, remap: {}, 'filter-tags': {} },
      augmentation: { mosaic: false, blur: undefined },
    });
    expect(plan.preprocessing).toEqual([]);
  });

  test('names everything that is not built yet, at once', () => {
    const settings = {
      preprocessing: { grayscale: true, tile: { rows: 2, columns: 2 } },
      augmentation: { rotate: { degrees: 5 }, bbflip: { horizontal: true } },
    };
    expect(() => planVersion(settings)).toThrow(
      expect.objectContaining({
        code: 'not_implemented',
        problems: [
          { path: 'preprocessing.grayscale', message: 'is not built yet' },
          { path: 'preprocessing.tile', message: 'is not built yet' },
          { path: 'augmentation.rotate', message: 'is not built yet' },
          { path: 'augmentation.bbflip', message: 'is not built yet' },
        ],
      }),
    );
  });

  test.each(['Fit (reflect edges) in', 'Fit (grey edges) in'])('%s is not built yet', (format) => {
    const preprocessing = { resize: { width: 1, height: 1, format } };
    expect(() => planVersion({ preprocessing })).toThrow(
      expect.objectContaining({
        code: 'not_implemented',
        message: `Not built yet: preprocessing.resize.format "${format}".`,
      }),
    );
  });

  test.each([
    [{ preprocessing: { resize: { width: 1, height: 1 } } }, 'preprocessing.resize.format'],
    [
      { preprocessing: { resize: { width: 1, height: 1, format: 'stretch' } } },
      'preprocessing.resize.format',
    ],
    [
      { preprocessing: { resize: { width: 0, height: 1, format: 'Stretch to' } } },
      'preprocessing.resize.width',
    ],
    [
      { preprocessing: { resize: { width: 1, height: 1.5, format: 'Stretch to' } } },
      'preprocessing.resize.height',
    ],
    [{ augmentation: { image: { versions: 0 } } }, 'augmentation.image.versions'],
    [{ augmentation: { image: { versions: '3' } } }, 'augmentation.image.versions'],
  ])('refuses %j', (settings, path) => {
    expect(() => planVersion(settings)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        problems: [expect.objectContaining({ path })],
      }),
    );
  });

  test('warns of a multiplier that cannot be reached, and of none', () => {
    const flip = { horizontal: true };
    const warnings = (augmentation: Record<string, unknown>) =>
      planVersion({ augmentation }).warnings;
    expect(warnings({ flip, image: { versions: 2 } })).toEqual([]);
    expect(warnings({ flip, image: { versions: 5 } })).toEqual([
      'augmentation.image.versions is 5, but the chosen augmentations give at most 2 different ' +
        'images from one: no more are made',
    ]);
    expect(warnings({ flip })).toEqual([
      'augmentation.image.versions is not above 1: no augmented copies are made',
    ]);
  });
});

describe('planCopies', () => {
  const plan = planVersion({
    augmentation: {
      flip: { horizontal: true, vertical: true },
      ninety: { clockwise: true },
      image: { versions: 4 },
    },
  });

  test('gives the original and different copies, for train alone', () => {
    const copies = planCopies(plan, 'train', randomFrom('seed'));
    expect(copies).toHaveLength(4);
    expect(copies[0]).toEqual([]);
    expect(new Set(copies.map((steps) => JSON.stringify(steps))).size).toBe(4);
    expect(planCopies(plan, 'valid', randomFrom('seed'))).toEqual([[]]);
    expect(planCopies(plan, 'test', randomFrom('seed'))).toEqual([[]]);
  });

  test('gives the same for the same seed, and others for others', () => {
    const drawn = (seed: string) => JSON.stringify(planCopies(plan, 'train', randomFrom(seed)));
    expect(drawn('a')).toBe(drawn('a'));
    const seeds = Array.from({ length: 20 }, (_, seed) => drawn(String(seed)));
    expect(new Set(seeds).size).toBeGreaterThan(10);
  });

  test('gives fewer when there are no more different ones', () => {
    const two = planVersion({
      augmentation: { flip: { horizontal: true }, image: { versions: 9 } },
    });
    expect(planCopies(two, 'train', randomFrom('a'))).toEqual([
      [],
      [{ kind: 'turn', turn: horizontal }],
    ]);
  });
});

describe('random numbers', () => {
  test('are the same on every machine', () => {
    const random = randomFrom('a');
    expect([random(), random(), random()]).toEqual([
      0.6208689981140196, 0.6696925989817828, 0.8275014024693519,
    ]);
  });

  test('are spread evenly from 0 to 1', () => {
    const random = randomFrom('spread');
    const tenths = Array.from({ length: 10 }, () => 0);
    for (let n = 0; n < 10_000; n++) {
      const tenth = Math.floor(random() * 10);
      tenths[tenth] = (tenths[tenth] ?? 0) + 1;
    }
    expect(Math.min(...tenths)).toBeGreaterThan(880);
    expect(Math.max(...tenths)).toBeLessThan(1120);
  });

  test('shuffle keeps every item', () => {
    expect(shuffled([1, 2, 3, 4], randomFrom('x')).toSorted()).toEqual([1, 2, 3, 4]);
  });
});
