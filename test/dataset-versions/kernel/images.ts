// Images to try the kernel on, and what its refusals look like.

import { expect } from 'vitest';
import type { RawImage } from '../../../src/imaging/raw-image.ts';
import { randomFrom } from '../../../src/seeded-random.ts';

/** Red counts the pixels from 0, row by row; green is 100 ahead, blue 200. */
export function numbered(width: number, height: number): RawImage {
  const data = Uint8Array.from(
    { length: width * height * 3 },
    (_, at) => Math.trunc(at / 3) + (at % 3) * 100,
  );
  return { data, width, height };
}

/** An error of that code that names that argument. */
export function refusal(code: string, path?: string): unknown {
  const problems = path === undefined ? {} : { problems: [expect.objectContaining({ path })] };
  return expect.objectContaining({ code, ...problems });
}

/** Pixels without any order, the same each time. */
export function noise(width: number, height: number): RawImage {
  const random = randomFrom(`${width} x ${height}`);
  const data = Uint8Array.from({ length: width * height * 3 }, () => Math.floor(random() * 256));
  return { data, width, height };
}

/** An image of which each pixel has one value in all channels. */
export function grey(rows: readonly (readonly number[])[]): RawImage {
  const data = Uint8Array.from(rows.flat().flatMap((value) => [value, value, value]));
  return { data, width: rows[0]?.length ?? 0, height: rows.length };
}

/** The red channel, row by row. */
export function reds({ data, width, height }: RawImage): number[][] {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => data[(y * width + x) * 3] ?? -1),
  );
}

/** How far the furthest byte of one image is from that of the other; NaN where sizes differ. */
export function distance(one: RawImage, other: RawImage): number {
  if (one.width !== other.width || one.height !== other.height) return Number.NaN;
  return one.data.reduce(
    (most, value, at) => Math.max(most, Math.abs(value - (other.data[at] ?? Number.NaN))),
    0,
  );
}
