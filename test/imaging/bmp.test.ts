// BMP files in small: the right colours in the right places, and never long in one go.

import { describe, expect, test } from 'vitest';
import { decodeBmp, readBmpHeader } from '../../src/imaging/bmp.ts';
import { decodeImage, decodeSmall } from '../../src/imaging/image-file.ts';
import { bmp1, bmp24 } from '../fixtures/bmp-files.ts';

type Colour = readonly [number, number, number];

const red: Colour = [250, 0, 0];
const green: Colour = [0, 250, 0];
const blue: Colour = [0, 0, 250];
const white: Colour = [250, 250, 250];

/** Red and green over blue and white. */
function quarters(width: number, height: number) {
  return (x: number, y: number): Colour => {
    if (y < height / 2) return x < width / 2 ? red : green;
    return x < width / 2 ? blue : white;
  };
}

/** The pixels in the middle of the four quarters. */
function seen({ data, width, height }: Awaited<ReturnType<typeof decodeSmall>>['image']) {
  const at = (across: number, down: number) => {
    const start = (Math.floor(height * down) * width + Math.floor(width * across)) * 3;
    return [...data.subarray(start, start + 3)];
  };
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)];
}

describe('a large BMP in small', () => {
  test.each([
    ['from the bottom', 1_210, 900, false],
    ['from the top', 1_210, 900, true],
    ['with sides that nothing divides', 1_201, 907, false],
    ['long and low', 4_003, 810, false],
  ])('shows what it shows, %s', async (_what, width, height, topDown) => {
    const bytes = bmp24(width, height, quarters(width, height), topDown);
    const { file, image } = await decodeSmall(bytes, 100, 1);
    expect([file.width, file.height, image.width]).toEqual([width, height, 100]);
    expect(seen(image)).toEqual([red, green, blue, white]);
  });

  test('is grey where it has stripes a pixel wide', async () => {
    const { image } = await decodeSmall(bmp1(4_000, 3_000, 0b10101010), 100, 1);
    const values = new Set(image.data);
    expect([Math.min(...values) > 100, Math.max(...values) < 156]).toEqual([true, true]);
  });

  test('has all its pixels where it is not made smaller', async () => {
    const { data, width, height } = await decodeImage(bmp24(1_210, 900, quarters(1_210, 900)));
    expect([width, height, data.length]).toEqual([1_210, 900, 1_210 * 900 * 3]);
    expect(seen({ data, width, height })).toEqual([red, green, blue, white]);
  });

  test.each([
    ['in small', { width: 640, height: 416 }, 10],
    ['whole', { width: 8_000, height: 5_200 }, 80],
  ])('gives others their turn while it is decoded, %s', async (_what, size, turnsMin) => {
    const bytes = bmp1(8_000, 5_200, 0b11110000);
    await decodeBmp(bmp1(8, 8, 0), readBmpHeader(bmp1(8, 8, 0)));
    let turns = 0;
    let next = setImmediate(function count() {
      turns += 1;
      next = setImmediate(count);
    });
    const data = await decodeBmp(bytes, readBmpHeader(bytes), size);
    clearImmediate(next);
    expect(data.length).toBe(size.width * size.height * 3);
    expect(turns).toBeGreaterThan(turnsMin);
  });

  test('is refused as any other where rows are missing', async () => {
    const bytes = bmp1(16_000, 10_400, 1).subarray(0, -10);
    await expect(decodeSmall(bytes, 100, 1)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is cut off: 16000 x 10400 pixels need'),
    });
  });
});
