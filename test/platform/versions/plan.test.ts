// What settings become: the steps for all images, the copies of train images, and the warnings.

import { describe, expect, test } from 'vitest';
import type { VersionSettings } from '../../../src/contract/version-settings.ts';
import { planCopies, planVersion } from '../../../src/platform/versions/plan.ts';
import { randomFrom, shuffled } from '../../../src/platform/versions/random.ts';

const horizontal = { mirrored: true, quarters: 0 };
const vertical = { mirrored: true, quarters: 2 };
const clockwise = { mirrored: false, quarters: 1 };
const upsideDown = { mirrored: false, quarters: 2 };

type Augmentation = VersionSettings['augmentation'];

function plan(settings: Partial<VersionSettings>) {
  return planVersion({ preprocessing: {}, augmentation: {}, ...settings });
}

function variantsOf(augmentation: Augmentation) {
  return plan({ augmentation }).variants.flatMap((steps) =>
    steps.map((step) => (step.kind === 'turn' ? step.turn : step.kind)),
  );
}

describe('planVersion', () => {
  test('of no settings changes nothing', () => {
    expect(plan({})).toEqual({
      preprocessing: [],
      variants: [],
      imagesPerSource: 1,
      warnings: [],
    });
  });

  test('orients before it resizes, whatever the order of the settings', () => {
    const resize = { width: 64, height: 32, format: 'Fit within' } as const;
    const { preprocessing } = plan({ preprocessing: { resize, 'auto-orient': true } });
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
    const { preprocessing } = plan({
      preprocessing: { grayscale: false, isolate: false, remap: {}, 'filter-tags': {} },
      augmentation: { mosaic: false, blur: undefined },
    });
    expect(preprocessing).toEqual([]);
  });

  test('names everything that is not built yet, at once', () => {
    const settings = {
      preprocessing: { grayscale: true, tile: { rows: 2, columns: 2 } },
      augmentation: { rotate: { degrees: 5 }, bbflip: { horizontal: true } },
    };
    expect(() => plan(settings)).toThrow(
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

  test.each(['Fit (reflect edges) in', 'Fit (grey edges) in'] as const)(
    '%s is not built yet',
    (format) => {
      const preprocessing = { resize: { width: 1, height: 1, format } };
      expect(() => plan({ preprocessing })).toThrow(
        expect.objectContaining({
          code: 'not_implemented',
          message: `Not built yet: preprocessing.resize.format "${format}".`,
          hint:
            'Built: "Stretch to", "Fill (with center crop) in", "Fit within", ' +
            '"Fit (black edges) in", "Fit (white edges) in".',
        }),
      );
    },
  );

  test('warns of a multiplier that cannot be reached, and of none', () => {
    const flip = { horizontal: true };
    const warnings = (augmentation: Augmentation) => plan({ augmentation }).warnings;
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
  const turned = plan({
    augmentation: {
      flip: { horizontal: true, vertical: true },
      ninety: { clockwise: true },
      image: { versions: 4 },
    },
  });

  test('gives the original and different copies, for train alone', () => {
    const copies = planCopies(turned, 'train', randomFrom('seed'));
    expect(copies).toHaveLength(4);
    expect(copies[0]).toEqual([]);
    expect(new Set(copies.map((steps) => JSON.stringify(steps))).size).toBe(4);
    expect(planCopies(turned, 'valid', randomFrom('seed'))).toEqual([[]]);
    expect(planCopies(turned, 'test', randomFrom('seed'))).toEqual([[]]);
  });

  test('gives the same for the same seed, and others for others', () => {
    const drawn = (seed: string) => JSON.stringify(planCopies(turned, 'train', randomFrom(seed)));
    expect(drawn('a')).toBe(drawn('a'));
    const seeds = Array.from({ length: 20 }, (_, seed) => drawn(String(seed)));
    expect(new Set(seeds).size).toBeGreaterThan(10);
  });

  test('gives fewer when there are no more different ones', () => {
    const two = plan({
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
