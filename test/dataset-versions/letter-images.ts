// Small pictures as rows of letters, one for each pixel: drawn from them, and shown as them.

import sharp from 'sharp';
import type { RawImage } from '../../src/imaging/raw-image.ts';

/** Lower-case letters are colours of their own; these are the ones that steps fill in. */
const named = new Map<string, readonly [number, number, number]>([
  ['.', [0, 0, 0]],
  ['#', [255, 255, 255]],
  ['+', [114, 114, 114]],
]);

const letters = 'abcdefghijklmnopqrstuvwxyz';

for (const [index, letter] of [...letters].entries()) {
  named.set(letter, [5 + index * 9, 240 - index * 9, 30 + ((index * 37) % 200)]);
}

const names = new Map([...named].map(([name, colour]) => [colour.join(), name]));

/** A PNG file of the picture. All rows are equally long. */
export async function drawPng(...rows: readonly string[]): Promise<Buffer> {
  const raw = { width: rows[0]?.length ?? 0, height: rows.length, channels: 3 } as const;
  const data = Buffer.from(rows.flatMap((row) => [...row].flatMap((name) => colourOf(name))));
  return sharp(data, { raw }).png().toBuffer();
}

/** A PNG file of grey pixels of those values, row by row. */
export async function drawGreys(rows: readonly (readonly number[])[]): Promise<Buffer> {
  const raw = { width: rows[0]?.length ?? 0, height: rows.length, channels: 3 } as const;
  const data = Buffer.from(rows.flatMap((row) => row.flatMap((value) => [value, value, value])));
  return sharp(data, { raw }).png().toBuffer();
}

interface RenderedPixels {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The rows of raw pixels; `?` for a colour that no letter has. */
export function rowsOf({ bytes, width, height }: RenderedPixels): readonly string[] {
  const name = (x: number, y: number) =>
    names.get(pixelOf({ data: bytes, width, height }, x, y).join()) ?? '?';
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => name(x, y)).join(''),
  );
}

/** The values of grey pixels, row by row; the colour of others. */
export function greysOf({ bytes, width, height }: RenderedPixels): readonly unknown[] {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const [red, green, blue] = pixelOf({ data: bytes, width, height }, x, y);
      return red === green && green === blue ? red : [red, green, blue];
    }),
  );
}

/** Red, green and blue of one pixel. */
export function pixelOf({ data, width }: RawImage, x: number, y: number): readonly number[] {
  const at = (y * width + x) * 3;
  return [...data.subarray(at, at + 3)];
}

function colourOf(name: string): readonly number[] {
  const colour = named.get(name);
  if (colour === undefined) throw new Error(`no colour is called ${name}`);
  return colour;
}
