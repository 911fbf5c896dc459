// Colours, blur, noise and cutout with chosen strengths, on pictures of a few pixels.

import { describe, expect, test } from 'vitest';
import type { AugmentationChoice } from '../../src/dataset-versions/augmentation-choice.ts';
import { createKernel } from '../../src/dataset-versions/kernel/kernel.ts';
import {
  chooseBlur,
  chooseBrightness,
  chooseCutout,
  chooseExposure,
  chooseGrayscale,
  chooseHue,
  chooseNoise,
  chooseSaturation,
} from '../../src/dataset-versions/pixel-augmentations.ts';
import { drawGreys, greysOf, pixelOf } from './letter-images.ts';
import { render } from './render-images.ts';

/** Random numbers that are these, one after the other, and then the last one again. */
function drawing(...numbers: readonly number[]) {
  const rest = [...numbers];
  return () => (rest.length > 1 ? rest.shift() : rest[0]) ?? 0;
}

/** The largest that a generator may come to. */
const most = 1 - 2 ** -32;

/** A row of pixels after a choice, each red, green and blue. */
function painted(choice: AugmentationChoice | undefined, pixels: readonly (readonly number[])[]) {
  const kernel = createKernel();
  const size = { width: pixels.length, height: 1 };
  const loaded = kernel.load({ data: Uint8Array.from(pixels.flat()), ...size });
  const image = kernel.read(choice?.pixelTransform?.(kernel, loaded) ?? loaded);
  return pixels.map((_, x) => pixelOf(image, x, 0));
}

const greys = (...values: readonly number[]) => values.map((value) => [value, value, value]);
const red = [255, 0, 0];
const brick = [200, 100, 50];

describe('hue', () => {
  test.each([
    ['forwards', 120, most, 'hue 120°', [0, 255, 0], [50, 200, 100]],
    ['backwards', 120, 0, 'hue -120°', [0, 0, 255], [100, 50, 200]],
    ['half', 120, 0.75, 'hue 60°', [255, 255, 0], [150, 200, 50]],
    ['all the way', 180, most, 'hue 180°', [0, 255, 255], [50, 150, 200]],
  ])('%s', (_, degrees, number, words, turnedRed, turnedBrick) => {
    const choice = chooseHue({ degrees }, drawing(number));
    expect(choice?.words).toBe(words);
    expect(painted(choice, [red, brick, ...greys(77)])).toEqual([
      turnedRed,
      turnedBrick,
      ...greys(77),
    ]);
  });
});

describe('saturation', () => {
  test.each([
    ['none left', 100, 0, 'saturation -100 %', [76, 76, 76], [124, 124, 124]],
    ['half', 50, 0, 'saturation -50 %', [166, 38, 38], [162, 112, 87]],
    ['twice', 100, most, 'saturation 100 %', [255, 0, 0], [255, 76, 0]],
  ])('%s', (_, percent, number, words, changedRed, changedBrick) => {
    const choice = chooseSaturation({ percent }, drawing(number));
    expect(choice?.words).toBe(words);
    const close = (rgb: readonly number[]) => rgb.map((value) => expect.closeTo(value, -0.3));
    expect(painted(choice, [red, brick, ...greys(77)])).toEqual([
      close(changedRed),
      close(changedBrick),
      [77, 77, 77],
    ]);
  });
});

describe('brightness', () => {
  const up = { brighten: true, darken: false, percent: 20 };
  const down = { brighten: false, darken: true, percent: 20 };
  const both = { brighten: true, darken: true, percent: 20 };

  test.each([
    [up, [most], 'brightness 20 %', [51, 151, 255]],
    [up, [0.5], 'brightness 10 %', [26, 126, 255]],
    [down, [most], 'brightness -20 %', [0, 49, 199]],
    [both, [most, 0.49], 'brightness 20 %', [51, 151, 255]],
    [both, [most, 0.5], 'brightness -20 %', [0, 49, 199]],
    [{ brighten: true, percent: 100 }, [most], 'brightness 100 %', [255, 255, 255]],
    [{ darken: true, percent: 100 }, [most], 'brightness -100 %', [0, 0, 0]],
  ])('%j with %j', (setting, numbers, words, values) => {
    const choice = chooseBrightness(setting, drawing(...numbers));
    expect(choice?.words).toBe(words);
    expect(painted(choice, greys(0, 100, 250))).toEqual(greys(...values));
  });

  test('brightens only, or darkens only, in all copies', async () => {
    const middle = await drawGreys([[128]]);
    for (const [brightness, isRight] of [
      [up, (value: number) => value > 128 && value <= 179],
      [down, (value: number) => value < 128 && value >= 77],
    ] as const) {
      const augmentation = { brightness, image: { versions: 40 } };
      const [, ...copies] = await render(middle, [], { augmentation }, { output: 'pixels' });
      const values = copies.flatMap((copy) => greysOf(copy).flat());
      expect(values).toHaveLength(39);
      expect(new Set(values).size).toBe(39);
      expect(values.filter((value) => !isRight(Number(value)))).toEqual([]);
    }
  });
});

describe('exposure', () => {
  test.each([
    [100, most, 'exposure 100 %', [0, 255, 255, 255, 255, 255]],
    [100, 0, 'exposure -100 %', [0, 0, 0, 0, 133, 255]],
    [50, most, 'exposure 50 %', [0, 111, 207, 230, 254, 255]],
    [50, 0, 'exposure -50 %', [0, 0, 0, 5, 227, 255]],
    [20, 0.75, 'exposure 10 %', [0, 5, 97, 158, 252, 255]],
  ])('%i, drawn %f', (percent, number, words, values) => {
    const choice = chooseExposure({ percent }, drawing(number));
    expect(choice?.words).toBe(words);
    expect(painted(choice, greys(0, 1, 64, 128, 250, 255))).toEqual(greys(...values));
  });
});

describe('grey copies', () => {
  test('by the Rec. 709 luma', () => {
    const choice = chooseGrayscale({ percent: 100 }, drawing(most));
    expect(choice?.words).toBe('grey');
    const colours = [red, [0, 255, 0], [0, 0, 255], ...greys(9)];
    expect(painted(choice, colours)).toEqual(greys(54, 182, 18, 9));
  });

  test('as often as asked for', () => {
    expect(chooseGrayscale({ percent: 25 }, drawing(0.249))).toBeDefined();
    expect(chooseGrayscale({ percent: 25 }, drawing(0.25))).toBeUndefined();
    expect(chooseGrayscale({ percent: 0 }, drawing(0))).toBeUndefined();
  });
});

test('blur: the number is the standard deviation', () => {
  const choice = chooseBlur({ pixels: 2 }, drawing(0.5));
  expect(choice?.words).toBe('blur 1 px');
  // As OpenCV's GaussianBlur with sigma 1.
  const close = [0, 1, 14, 62, 102, 62, 14, 1, 0].map((value) => {
    const about = expect.closeTo(value, -0.3);
    return [about, about, about];
  });
  expect(painted(choice, greys(0, 0, 0, 0, 255, 0, 0, 0, 0))).toEqual(close);
});

describe('noise', () => {
  const flat = (count: number) => greys(...Array.from({ length: count }, () => 128));
  const values = (pixels: readonly (readonly number[])[]) => {
    const count = (value: number) => pixels.filter((rgb) => rgb.every((v) => v === value)).length;
    return { black: count(0), white: count(255), left: count(128) };
  };

  test.each([
    [10, most, { black: 50, white: 50, left: 900 }],
    [10, 0.5, { black: 25, white: 25, left: 950 }],
    [100, most, { black: 500, white: 500, left: 0 }],
    [70, most, { black: 350, white: 350, left: 300 }],
    [0.1, most, { black: 1, white: 0, left: 999 }],
    [0.04, most, { black: 0, white: 0, left: 1_000 }],
  ])('%f percent drawn %f: exactly so many pixels', (percent, number, wanted) => {
    for (const seed of [0.1, 0.2, 0.3]) {
      const choice = chooseNoise({ percent }, drawing(number, seed));
      expect(values(painted(choice, flat(1_000)))).toEqual(wanted);
    }
  });

  test('lies in other places for other seeds', () => {
    const first = painted(chooseNoise({ percent: 10 }, drawing(most, 0.1)), flat(1_000));
    const again = painted(chooseNoise({ percent: 10 }, drawing(most, 0.1)), flat(1_000));
    const other = painted(chooseNoise({ percent: 10 }, drawing(most, 0.2)), flat(1_000));
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });
});

describe('cutout', () => {
  /** Where rows and columns are black, from and to. */
  async function holesOf(width: number, height: number, count: number, percent: number) {
    const rows = Array.from({ length: height }, () => Array.from({ length: width }, () => 200));
    const image = await drawGreys(rows);
    const augmentation = { cutout: { count, percent }, image: { versions: 50 } };
    const [, ...copies] = await render(image, [], { augmentation }, { output: 'pixels' });
    expect(copies).toHaveLength(49);
    return copies.map((copy) => {
      const black = greysOf(copy).map((row) => (Array.isArray(row) ? row : []));
      const lines = black.flatMap((row, y) => (row.includes(0) ? [y] : []));
      const columns = black[0]?.flatMap((_, x) => (black.some((row) => row[x] === 0) ? [x] : []));
      const area = black.flat().filter((value) => value === 0).length;
      return { lines, columns: columns ?? [], area };
    });
  }

  test('one rectangle of so many percent of each side, cut at the edges', async () => {
    const holes = await holesOf(20, 10, 1, 30);
    for (const { lines, columns, area } of holes) {
      // A rectangle: nothing else is black.
      expect(area).toBe(lines.length * columns.length);
      expect(lines).toEqual(lines.map((_, index) => (lines[0] ?? 0) + index));
      expect(columns).toEqual(columns.map((_, index) => (columns[0] ?? 0) + index));
      const isAtEdge = [
        lines.includes(0) || lines.includes(9),
        columns.includes(0) || columns.includes(19),
      ];
      if (!isAtEdge[0]) expect(lines).toHaveLength(3);
      if (!isAtEdge[1]) expect(columns).toHaveLength(6);
      expect(lines.length).toBeGreaterThanOrEqual(2);
      expect(lines.length).toBeLessThanOrEqual(3);
      expect(columns.length).toBeGreaterThanOrEqual(3);
      expect(columns.length).toBeLessThanOrEqual(6);
    }
    // Over 49 copies every row and column is hit, the first and last cut ones as well.
    expect(new Set(holes.flatMap(({ lines }) => lines)).size).toBe(10);
    expect(new Set(holes.flatMap(({ columns }) => columns)).size).toBe(20);
    expect(holes.some(({ columns }) => columns.length < 6)).toBe(true);
  });

  test('as many rectangles as asked for, of a pixel at least', async () => {
    // Of ten dots some may lie upon others.
    const holes = await holesOf(30, 30, 10, 1);
    for (const { area } of holes) expect(area).toBeLessThanOrEqual(10);
    expect(holes.filter(({ area }) => area === 10).length).toBeGreaterThan(30);
    expect(Math.min(...holes.map(({ area }) => area))).toBeGreaterThanOrEqual(7);
  });

  test('all of a side around its middle covers half of it at least', async () => {
    for (const { lines, columns } of await holesOf(8, 8, 1, 100)) {
      expect(lines.length).toBeGreaterThanOrEqual(4);
      expect(columns.length).toBeGreaterThanOrEqual(4);
    }
  });
});

test('a strength of nothing is no change', () => {
  expect([
    chooseHue({ degrees: 0 }, drawing(0.3)),
    chooseSaturation({ percent: 0 }, drawing(0.3)),
    chooseBrightness({ brighten: true, percent: 0 }, drawing(0.3)),
    // Not a whole step of 255.
    chooseBrightness({ brighten: true, percent: 0.1 }, drawing(0.3)),
    chooseExposure({ percent: 0 }, drawing(0.3)),
    chooseBlur({ pixels: 0 }, drawing(0.3)),
    chooseNoise({ percent: 0 }, drawing(0.3)),
    chooseCutout({ count: 0, percent: 10 }, drawing(0.3)),
    chooseCutout({ count: 3, percent: 0 }, drawing(0.3)),
  ]).toEqual(Array.from({ length: 9 }, () => undefined));
});
