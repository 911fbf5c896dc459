// Warping, blurring and resampling: against a slow reference, and against what Pillow and OpenCV
// gave for small images.

import { describe, expect, test } from 'vitest';
import { gaussianWeights } from '../../../src/dataset-versions/kernel/fixed-point.ts';
import { createKernel } from '../../../src/dataset-versions/kernel/kernel.ts';
import type { Colour } from '../../../src/dataset-versions/kernel/operations.ts';
import type { Matrix, Size } from '../../../src/dataset-versions/transform-boxes.ts';
import type { RawImage } from '../../../src/imaging/raw-image.ts';
import { distance, grey, noise, reds, refusal } from './images.ts';
import { slowBlur, slowResample, slowWarp } from './reference.ts';

const kernel = createKernel();
const colour: Colour = [9, 90, 200];

function warp(image: RawImage, matrix: Matrix, size: Size): RawImage {
  return kernel.read(kernel.warp(kernel.load(image), matrix, size, colour));
}

function resample(image: RawImage, width: number, height: number): RawImage {
  return kernel.read(kernel.resample(kernel.load(image), { width, height }));
}

function blur(image: RawImage, sigma: number): RawImage {
  return kernel.read(kernel.blur(kernel.load(image), sigma));
}

/** Turns by so many degrees about a point, and enlarges. */
function rotation(degrees: number, x: number, y: number, scale = 1): Matrix {
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [scale * Math.cos(angle), scale * Math.sin(angle)];
  return [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y];
}

const ramp = grey([
  [0, 10, 20],
  [100, 110, 120],
  [200, 210, 220],
]);

const sizes = [
  [1, 1],
  [1, 9],
  [9, 1],
  [2, 2],
  [17, 13],
  [64, 31],
] as const;

describe('warp', () => {
  const matrices: readonly (readonly [string, Matrix])[] = [
    ['nothing', [1, 0, 0, 1, 0, 0]],
    ['whole pixels', [1, 0, 0, 1, 3, -2]],
    ['parts of a pixel', [1, 0, 0, 1, 0.3, -1.7]],
    ['a turn', rotation(10, 8, 6)],
    ['a turn the other way, larger', rotation(-130, 5, 5, 2.3)],
    ['a turn, smaller', rotation(33, 9, 3, 0.4)],
    ['a shear', [1, 0.2, -0.35, 1, 2, 1]],
    ['a mirror', [-1, 0, 0, 1, 12, 0]],
    ['a quarter', [0, 1, -1, 0, 13, 0]],
    ['much larger', [37, 0, 0, 41, -50, -60]],
  ];
  const cases = matrices.flatMap(([name, matrix]) =>
    sizes.map(([width, height]) => ({ name, matrix, width, height })),
  );

  test.each(cases)('$name, $width x $height', ({ matrix, width, height }) => {
    const image = noise(width, height);
    const size = { width: width + 3, height: height + 2 };
    const { warped, unsure } = slowWarp(image, matrix, size, colour);
    const result = warp(image, matrix, size);
    for (const pixel of unsure) {
      for (const at of [0, 1, 2]) result.data[pixel * 3 + at] = warped.data[pixel * 3 + at] ?? -1;
    }
    expect(distance(result, warped)).toBeLessThanOrEqual(2);
  });

  test('nothing, whole pixels, mirrors and quarters change no value', () => {
    const image = noise(17, 13);
    expect(warp(image, [1, 0, 0, 1, 0, 0], image)).toEqual(image);
    const pixels = kernel.load(image);
    const mirrored = kernel.turn(pixels, { mirrored: true, quarters: 0 });
    expect(warp(image, [-1, 0, 0, 1, 17, 0], image)).toEqual(kernel.read(mirrored));
    const turned = kernel.turn(pixels, { mirrored: false, quarters: 1 });
    expect(warp(image, [0, 1, -1, 0, 13, 0], turned)).toEqual(kernel.read(turned));
  });

  test('gives what Pillow gives', () => {
    const half = warp(ramp, [1, 0, 0, 1, 0.5, 0], { width: 4, height: 3 });
    expect(reds(half)).toEqual([
      [0, 5, 15, 9],
      [100, 105, 115, 9],
      [200, 205, 215, 9],
    ]);
    const turned = warp(ramp, rotation(45, 1.5, 1.5), { width: 3, height: 3 });
    const pillow = grey([
      [99, 32, 10],
      [173, 110, 46],
      [210, 187, 120],
    ]);
    expect(distance(turned, pillow)).toBeLessThanOrEqual(1);
  });

  const elsewhere: readonly (readonly [string, Matrix])[] = [
    ['just beside it', [1, 0, 0, 1, 5, 0]],
    ['far away', [1, 0, 0, 1, -1e12, 3]],
    ['folded into a point', [0, 0, 0, 0, 1, 1]],
    ['folded into a line', [1, 1, 1, 1, 0, 0]],
    ['smaller than any pixel', [1e-9, 0, 0, 1e-9, 2, 2]],
    ['not a number', [Number.NaN, 0, 0, 1, 0, 0]],
    ['endless', [1, 0, 0, 1, Number.POSITIVE_INFINITY, 0]],
  ];

  test.each(elsewhere)('shows the colour alone where the image is %s', (_name, matrix) => {
    const result = warp(noise(4, 4), matrix, { width: 5, height: 1 });
    expect([...result.data]).toEqual([...colour, ...colour, ...colour, ...colour, ...colour]);
  });

  test('an image without pixels shows nothing', () => {
    const empty = { data: new Uint8Array(), width: 0, height: 3 };
    const result = warp(empty, [1, 0, 0, 1, 0, 0], { width: 1, height: 2 });
    expect([...result.data]).toEqual([...colour, ...colour]);
  });

  test('a row of 16,400 pixels ends where it should', () => {
    const image = grey([
      Array.from({ length: 16_400 }, (_, x) => (x * 7) % 256),
      Array.from({ length: 16_400 }, (_, x) => (x * 3) % 256),
    ]);
    const matrix: Matrix = [1.0001, 0.00003, 0, 1, -0.37, 0.21];
    const { warped, unsure } = slowWarp(image, matrix, image, colour);
    expect(unsure.size).toBe(0);
    expect(distance(warp(image, matrix, image), warped)).toBeLessThanOrEqual(2);
  });
});

describe('blur', () => {
  test('has the weights of OpenCV', () => {
    const row = grey([[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]);
    const peak = (sigma: number) => reds(blur(row, sigma))[0]?.slice(0, 11);
    expect(peak(0.3)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 253]);
    expect(peak(0.5)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 27, 201]);
    expect(peak(1.25)).toEqual([0, 0, 0, 0, 0, 0, 0, 5, 23, 59, 82]);
    expect(peak(2.5)).toEqual([0, 0, 0, 1, 2, 6, 11, 20, 30, 38, 40]);
    expect(peak(4)).toEqual([2, 3, 3, 6, 8, 12, 16, 19, 22, 25, 26]);
  });

  test('has the edges of OpenCV', () => {
    const row = blur(grey([[0, 50, 100, 150, 200, 250]]), 1.25);
    expect(distance(row, grey([[47, 63, 102, 148, 187, 203]]))).toBeLessThanOrEqual(1);
    const column = blur(grey([[0], [255], [0], [0], [40], [250]]), 0.8);
    const expected = grey([[116], [133], [59], [21], [78], [143]]);
    expect(distance(column, expected)).toBeLessThanOrEqual(1);
  });

  const cases = sizes.flatMap(([width, height]) =>
    [0.4, 0.8, 1.25, 2.5, 7, 30].map((sigma) => ({ sigma, width, height })),
  );

  test.each(cases)('sigma $sigma, $width x $height', ({ sigma, width, height }) => {
    const { centre, pairs, reach } = gaussianWeights(sigma);
    const weights = [centre, ...Array.from({ length: reach }, () => 0)];
    for (let at = 0; at < pairs.length; at += 2) weights[pairs[at] ?? 0] = pairs[at + 1] ?? 0;
    const image = noise(width, height);
    expect(blur(image, sigma)).toEqual(slowBlur(image, weights));
  });

  test.each([0, 0.01, 0.1, 2, 25, 400, 16_400])('one colour stays with sigma %d', (sigma) => {
    const plain = kernel.blank({ width: 11, height: 7 }, [255, 128, 1]);
    expect(kernel.read(kernel.blur(plain, sigma))).toEqual(kernel.read(plain));
  });

  test('too little to see is nothing', () => {
    expect(blur(noise(9, 9), 0.1)).toEqual(noise(9, 9));
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 16_401])('refuses sigma %d', (sigma) => {
    const pixels = kernel.load(noise(2, 2));
    expect(() => kernel.blur(pixels, sigma)).toThrow(refusal('invalid_input', 'sigma'));
  });
});

describe('resample', () => {
  test('gives what Pillow gives', () => {
    const row = grey([[0, 100, 200, 255]]);
    const pillow = [
      [141],
      [71, 209],
      [30, 150, 239],
      [0, 100, 200, 255],
      [0, 36, 93, 150, 204, 235, 255],
      [0, 25, 75, 125, 175, 214, 241, 255],
    ];
    expect(pillow.map(({ length }) => reds(resample(row, length, 1))[0])).toEqual(pillow);
    expect(reds(resample(ramp, 5, 2))).toEqual([
      [38, 42, 48, 54, 58],
      [163, 167, 173, 179, 183],
    ]);
    expect(reds(resample(ramp, 2, 5))).toEqual([
      [4, 16],
      [44, 56],
      [104, 116],
      [164, 176],
      [204, 216],
    ]);
  });

  const outputs = [
    [1, 1],
    [2, 3],
    [7, 50],
    [64, 64],
    [33, 13],
    [100, 1],
  ] as const;
  const cases = sizes.flatMap(([fromWidth, fromHeight]) =>
    outputs.map(([width, height]) => ({ fromWidth, fromHeight, width, height })),
  );

  test.each(cases)(
    '$fromWidth x $fromHeight to $width x $height',
    ({ fromWidth, fromHeight, width, height }) => {
      const image = noise(fromWidth, fromHeight);
      const expected = slowResample(image, { width, height });
      expect(distance(resample(image, width, height), expected)).toBeLessThanOrEqual(1);
    },
  );

  test.each([
    [1000, 3],
    [1001, 7],
    [1003, 1],
    [16_400, 2],
  ])('%d pixels become %d, across and down', (from, to) => {
    const row = noise(from, 1);
    const expected = slowResample(row, { width: to, height: 1 });
    expect(distance(resample(row, to, 1), expected)).toBeLessThanOrEqual(1);
    const column = { ...row, width: 1, height: from };
    const upright = { ...expected, width: 1, height: to };
    expect(distance(resample(column, 1, to), upright)).toBeLessThanOrEqual(1);
  });

  test('one colour stays', () => {
    for (const side of [1, 5, 6, 40, 41, 199]) {
      const plain = kernel.blank({ width: 40, height: 41 }, [255, 0, 77]);
      const expected = kernel.blank({ width: side, height: side }, [255, 0, 77]);
      const result = kernel.resample(plain, { width: side, height: side });
      expect(kernel.read(result)).toEqual(kernel.read(expected));
    }
  });

  test('the same size is a copy', () => {
    expect(resample(noise(31, 17), 31, 17)).toEqual(noise(31, 17));
  });

  test('refuses to make pixels out of none', () => {
    const empty = kernel.blank({ width: 0, height: 4 }, colour);
    expect(() => kernel.resample(empty, { width: 2, height: 2 })).toThrow(
      refusal('invalid_input', 'pixels'),
    );
  });
});
