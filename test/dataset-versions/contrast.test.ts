// Contrast and grey as preprocessing, on pictures of a few pixels. Figures are those of numpy and
// OpenCV for the same pixels.

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import { drawGreys, greysOf } from './letter-images.ts';
import { render } from './render-images.ts';

type Preprocessing = VersionSettings['preprocessing'];

async function prepared(bytes: Uint8Array, preprocessing: Preprocessing) {
  const [image] = await render(bytes, [], { preprocessing }, { output: 'pixels' });
  return image ? greysOf(image) : [];
}

/** A PNG of one row of colours. */
function drawRow(...colours: readonly (readonly number[])[]): Promise<Buffer> {
  const raw = { width: colours.length, height: 1, channels: 3 } as const;
  return sharp(Buffer.from(colours.flat()), { raw }).png().toBuffer();
}

const stretching = { contrast: { type: 'Contrast Stretching' } } as const;
const histogram = { contrast: { type: 'Histogram Equalization' } } as const;
const adaptive = { contrast: { type: 'Adaptive Equalization' } } as const;

describe('contrast stretching', () => {
  test('spreads the 2nd to 98th percentile', async () => {
    const row = await drawGreys([[10, 20, 30, 40, 50, 60, 70, 80, 90, 100]]);
    expect(await prepared(row, stretching)).toEqual([
      [0, 28, 57, 85, 113, 142, 170, 198, 227, 255],
    ]);
  });

  test('lies between two values where the percentile does', async () => {
    // Of 0, 2, 4 up to 198 from 3.96 to 194.04.
    const [row] = await prepared(
      await drawGreys([Array.from({ length: 100 }, (_, x) => 2 * x)]),
      stretching,
    );
    const found = Array.isArray(row) ? row : [];
    expect([...found.slice(0, 6), ...found.slice(-6)]).toEqual([
      0, 0, 0, 3, 5, 8, 247, 250, 252, 255, 255, 255,
    ]);
  });

  test('one very dark and one very bright pixel of a hundred do not count', async () => {
    const dark = Array.from({ length: 48 }, () => 100);
    const bright = Array.from({ length: 50 }, () => 150);
    const [row = []] = await prepared(await drawGreys([[0, ...dark, ...bright, 255]]), stretching);
    expect(row).toEqual([0, ...dark.map(() => 0), ...bright.map(() => 255), 255]);
  });

  test('all channels by the same numbers', async () => {
    const row = await drawRow([50, 60, 70], [150, 100, 50], [150, 150, 50]);
    // From 50 to 150.
    expect(await prepared(row, stretching)).toEqual([
      [
        [0, 26, 51],
        [255, 128, 0],
        [255, 255, 0],
      ],
    ]);
  });

  test('a picture of one value stays', async () => {
    expect(await prepared(await drawGreys([[77, 77]]), stretching)).toEqual([[77, 77]]);
  });
});

describe('histogram equalisation', () => {
  test('spreads luma evenly', async () => {
    const rows = [
      [52, 55, 61, 59],
      [79, 61, 76, 61],
      [52, 55, 61, 59],
      [79, 61, 76, 200],
    ];
    expect(await prepared(await drawGreys(rows), histogram)).toEqual([
      [0, 36, 164, 73],
      [237, 164, 200, 164],
      [0, 36, 164, 73],
      [237, 164, 200, 255],
    ]);
  });

  test('adds the change of luma to each colour', async () => {
    const row = await drawRow([200, 100, 50], [100, 100, 100], [20, 40, 60], [250, 250, 250]);
    // Luma 124, 100, 36, 250 becomes 170, 85, 0, 255.
    expect(await prepared(row, histogram)).toEqual([[[246, 146, 96], 85, [0, 4, 24], 255]]);
  });

  test('a picture of one value stays', async () => {
    expect(await prepared(await drawGreys([[77, 77]]), histogram)).toEqual([[77, 77]]);
  });
});

describe('adaptive equalisation', () => {
  const side = Array.from({ length: 64 }, (_, index) => index);

  test('as OpenCV with 8 x 8 tiles, within 2', async () => {
    const ramp = await drawGreys(side.map(() => side.map((x) => 40 + 2 * x)));
    const [first = []] = await prepared(ramp, adaptive);
    const wanted = [48, 76, 93, 105, 120, 130, 144, 156, 173, 199];
    expect(Array.isArray(first) && side.filter((x) => x % 7 === 0).map((x) => first[x])).toEqual(
      wanted.map((value) => expect.closeTo(value, -0.6)),
    );
    const checks = side.map((y) =>
      side.map((x) => 40 + (((x >> 3) + (y >> 3)) % 2) * 20 + (x >> 2)),
    );
    const row = (await prepared(await drawGreys(checks), adaptive))[10];
    const found = Array.isArray(row) ? row : [];
    expect(side.filter((x) => x % 5 === 0).map((x) => found[x])).toEqual(
      [69, 72, 47, 48, 76, 51, 52, 77, 54, 57, 82, 83, 62].map((value) =>
        expect.closeTo(value, -0.6),
      ),
    );
  });

  test('pictures smaller than its tiles keep their size', async () => {
    for (const rows of [[[5]], [[5, 9]], [[5], [9], [200]]]) {
      const found = await prepared(await drawGreys(rows), adaptive);
      expect(found.map((row) => (Array.isArray(row) ? row.length : 0))).toEqual(
        rows.map((row) => row.length),
      );
    }
  });
});

test('grey is the Rec. 709 luma, after contrast and before resize', async () => {
  const row = await drawRow([255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 10, 10]);
  expect(await prepared(row, { grayscale: true })).toEqual([[54, 182, 18, 10]]);
  const colours = await drawRow([50, 60, 70], [150, 100, 50], [150, 150, 50]);
  // Stretched: 0, 26, 51 and 255, 128, 0 and 255, 255, 0.
  expect(await prepared(colours, { grayscale: true, ...stretching })).toEqual([[22, 146, 237]]);
});

test('boxes stay where they are, clipped at the edge', async () => {
  const box = { label: 'a', x: 1, y: 0.5, width: 2, height: 1 };
  const over = { label: 'over the edge', x: 3, y: 0.5, width: 2, height: 1 };
  const beyond = { label: 'beyond', x: 6, y: 0.5, width: 2, height: 1 };
  for (const preprocessing of [stretching, histogram, adaptive, { grayscale: true }]) {
    const bytes = await drawGreys([[1, 2, 3]]);
    const [image] = await render(
      bytes,
      [box, over, beyond],
      { preprocessing },
      { output: 'pixels' },
    );
    expect(image?.boxes).toEqual([box, { ...over, x: 2.5, width: 1 }]);
  }
});
