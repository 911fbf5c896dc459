// How much fine detail an image has for its contrast.

import { readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { readDescribedImage } from '../../src/imaging/image-file.ts';
import { measureSharpness } from '../../src/imaging/sharpness.ts';
import { describePixels } from '../../src/imaging/similarity-descriptor.ts';

function grey(lightAt: (x: number, y: number) => number, side = 256) {
  const data = Uint8Array.from({ length: side ** 2 * 3 }, (_, at) => {
    const place = Math.floor(at / 3);
    return lightAt(place % side, Math.floor(place / side));
  });
  return { data, width: side, height: side };
}

describe('sharpness', () => {
  it.each([0, 128, 255])('is that of an even image, whatever its light: %i', (light) => {
    expect(measureSharpness(grey(() => light))).toBeCloseTo(-9.21034, 4);
  });

  it('is highest where neighbours have nothing in common, and lowest on a slope', () => {
    const board = grey((x, y) => ((x + y) % 2) * 255);
    expect(measureSharpness(board)).toBeCloseTo(4.15883, 4);
    const halves = grey((x) => (x < 128 ? 0 : 255));
    expect(measureSharpness(halves)).toBeCloseTo(-3.4579, 3);
    expect(measureSharpness(grey((x) => x))).toBeCloseTo(-17.8159, 3);
  });

  it('falls as an image gets out of focus, and does not depend on its size', async () => {
    const photo = sharp(readFileSync('sample/blood-cells/JPEGImages/BloodImage_00040.jpg'));
    const of = async (image: Sharp) =>
      (await readDescribedImage(await image.png().toBuffer())).descriptor?.sharpness ?? 0;
    const sharpness = await of(photo.clone());
    expect(sharpness).toBeGreaterThan((await of(photo.clone().blur(2))) + 0.5);
    expect(await of(photo.clone().blur(2))).toBeGreaterThan((await of(photo.clone().blur(8))) + 1);
    expect(Math.abs(sharpness - (await of(photo.clone().resize(1280, 960))))).toBeLessThan(0.2);
  });

  it('is measured beside the descriptor, of the means of whose blocks that is made', () => {
    const { vector, sharpness } = describePixels(grey((x, y) => ((x + y) % 2) * 200 + 28));
    expect([...vector].filter((number) => number !== 0)).toEqual([]);
    expect(sharpness).toBeCloseTo(4.1588, 3);
  });
});
