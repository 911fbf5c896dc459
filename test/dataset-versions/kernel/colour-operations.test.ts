// Changes of colour in place: against plain arithmetic, and colours whose answer is known.

import { describe, expect, test } from 'vitest';
import { createKernel } from '../../../src/dataset-versions/kernel/kernel.ts';
import type { Colour, Pixels } from '../../../src/dataset-versions/kernel/operations.ts';
import type { RawImage } from '../../../src/imaging/raw-image.ts';
import { distance, noise, refusal } from './images.ts';
import { draw } from './reference.ts';

const kernel = createKernel();

/** What becomes of an image; what lies before and behind it in memory must stay. */
function changed(image: RawImage, change: (pixels: Pixels) => void): RawImage {
  const guard = noise(50, 2);
  const before = kernel.load(guard);
  const pixels = kernel.load(image);
  const behind = kernel.load(guard);
  change(pixels);
  expect(kernel.read(before)).toEqual(guard);
  expect(kernel.read(behind)).toEqual(guard);
  return kernel.read(pixels);
}

function changedColour(colour: Colour, change: (pixels: Pixels) => void): number[] {
  return [...changed({ data: Uint8Array.from(colour), width: 1, height: 1 }, change).data];
}

const sizes = [
  [1, 1],
  [1, 7],
  [5, 3],
  [31, 33],
] as const;

describe('add', () => {
  test.each([0, 1, 20, 254, 255, 400, -1, -33, -255, -400, 12.4, -12.6])('%d', (amount) => {
    for (const [width, height] of sizes) {
      const image = noise(width, height);
      const whole = Math.round(amount);
      const expected = draw(image, (x, y, channel) => {
        const value = image.data[(y * width + x) * 3 + channel] ?? 0;
        return Math.min(Math.max(value + whole, 0), 255);
      });
      expect(changed(image, (pixels) => kernel.add(pixels, amount))).toEqual(expected);
    }
  });
});

describe('lookup', () => {
  test('replaces every channel', () => {
    const table = Uint8Array.from({ length: 256 }, (_, at) => (at * 7 + 3) % 256);
    for (const [width, height] of sizes) {
      const image = noise(width, height);
      const expected = { ...image, data: image.data.map((value) => (value * 7 + 3) % 256) };
      expect(changed(image, (pixels) => kernel.lookup(pixels, table))).toEqual(expected);
    }
  });

  test.each([0, 255, 257])('refuses a table of %d entries', (length) => {
    const pixels = kernel.load(noise(1, 1));
    expect(() => kernel.lookup(pixels, new Uint8Array(length))).toThrow(
      refusal('invalid_input', 'table'),
    );
  });
});

describe('mix', () => {
  const grey = [0.2125, 0.7154, 0.0721, 0.2125, 0.7154, 0.0721, 0.2125, 0.7154, 0.0721];
  const matrices = [
    ['nothing', [1, 0, 0, 0, 1, 0, 0, 0, 1]],
    ['another order', [0, 1, 0, 0, 0, 1, 1, 0, 0]],
    ['grayscale', grey],
    ['weights of both signs', [1.7, -0.5, -0.2, -0.3, 1.5, -0.2, -0.3, -0.5, 1.8]],
    ['large weights', [2.5, -90, 3, 0, 31, 7, -0.01, 100, 100]],
    ['huge weights', [1e5, 0, 0, 0, -1e9, 0, 0, 0, 30_000]],
    ['weights of 2', [2, 0, 0, 0, -2, 0, 0, 0, 1.99999]],
  ] as const;

  test.each(matrices)('%s', (_name, matrix) => {
    for (const [width, height] of sizes) {
      const image = noise(width, height);
      const expected = draw(image, (x, y, channel) => {
        const weights = matrix.slice(channel * 3, channel * 3 + 3);
        const at = (y * width + x) * 3;
        const sum = weights.reduce((sum, weight, index) => {
          return sum + weight * (image.data[at + index] ?? 0);
        }, 0);
        return Math.min(Math.max(Math.round(sum), 0), 255);
      });
      const result = changed(image, (pixels) => kernel.mix(pixels, matrix));
      expect(distance(result, expected)).toBeLessThanOrEqual(1);
    }
  });

  test('grayscale keeps black, white and every grey', () => {
    for (const value of [0, 1, 127, 128, 254, 255]) {
      const colour = [value, value, value] as const;
      expect(changedColour(colour, (pixels) => kernel.mix(pixels, grey))).toEqual([...colour]);
    }
  });

  test.each([[[]], [[1, 0, 0]], [[1, 0, 0, 0, 1, 0, 0, 0, Number.NaN]]])('refuses %j', (matrix) => {
    const pixels = kernel.load(noise(1, 1));
    expect(() => kernel.mix(pixels, matrix)).toThrow(refusal('invalid_input', 'matrix'));
  });
});

describe('rotateHue', () => {
  const rotations: readonly (readonly [Colour, number, Colour])[] = [
    [[255, 0, 0], 0, [255, 0, 0]],
    [[255, 0, 0], 60, [255, 255, 0]],
    [[255, 0, 0], 120, [0, 255, 0]],
    [[255, 0, 0], 180, [0, 255, 255]],
    [[255, 0, 0], 240, [0, 0, 255]],
    [[255, 0, 0], 300, [255, 0, 255]],
    [[255, 0, 0], 360, [255, 0, 0]],
    [[255, 0, 0], -120, [0, 0, 255]],
    [[255, 0, 0], 480, [0, 255, 0]],
    [[255, 0, 0], 30, [255, 128, 0]],
    [[255, 0, 0], -1, [255, 0, 4]],
    [[200, 100, 50], 120, [50, 200, 100]],
    [[200, 100, 50], 180, [50, 150, 200]],
    [[200, 200, 50], 60, [50, 200, 50]],
    [[10, 200, 200], 60, [10, 10, 200]],
    [[200, 10, 200], 60, [200, 10, 10]],
    [[77, 77, 77], 99, [77, 77, 77]],
    [[0, 0, 0], 99, [0, 0, 0]],
    [[255, 255, 255], 99, [255, 255, 255]],
    [[255, 254, 254], 359.9999, [255, 254, 254]],
  ];

  test.each(rotations)('%j by %d degrees is %j', (from, degrees, to) => {
    expect(changedColour(from, (pixels) => kernel.rotateHue(pixels, degrees))).toEqual([...to]);
  });

  test.each([7, 61, 119.5, 200, -77])('by %d degrees as in floating point', (degrees) => {
    for (const [width, height] of sizes) {
      const image = noise(width, height);
      const expected = draw(image, (x, y, channel) => {
        const at = (y * width + x) * 3;
        const [red = 0, green = 0, blue = 0] = image.data.subarray(at, at + 3);
        return slowHue([red, green, blue], degrees)[channel] ?? -1;
      });
      const result = changed(image, (pixels) => kernel.rotateHue(pixels, degrees));
      expect(distance(result, expected)).toBeLessThanOrEqual(1);
    }
  });
});

/** By way of hue, saturation and value. */
function slowHue([red, green, blue]: Colour, degrees: number): readonly number[] {
  const most = Math.max(red, green, blue);
  const chroma = most - Math.min(red, green, blue);
  if (chroma === 0) return [red, green, blue];
  const sextant =
    most === red
      ? (green - blue) / chroma
      : most === green
        ? 2 + (blue - red) / chroma
        : 4 + (red - green) / chroma;
  const hue = sextant + degrees / 60;
  return [5, 3, 1].map((offset) => {
    const place = (((offset + hue) % 6) + 6) % 6;
    return Math.round(most - chroma * Math.max(Math.min(place, 4 - place, 1), 0));
  });
}
