// How pictures look in numbers: the same in any size and format, different for others.

import { readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { readDescribedImage } from '../../src/imaging/image-file.ts';
import { computeDescriptor, similarity } from '../../src/imaging/similarity-descriptor.ts';

const photo = readFileSync('sample/blood-cells/JPEGImages/BloodImage_00040.jpg');
const other = readFileSync('sample/blood-cells/JPEGImages/BloodImage_00055.jpg');

async function lookOf(image: Sharp) {
  const { descriptor } = await readDescribedImage(await image.toBuffer());
  if (descriptor === undefined) throw new Error('was not described');
  return descriptor;
}

describe('a descriptor', () => {
  it('has the mean of each plane first, and nothing else for one colour', () => {
    const data = new Uint8Array(32 * 32 * 3).fill(200);
    const { vector, hash } = computeDescriptor({ data, width: 32, height: 32 });
    const means = [vector[0], vector[36], vector[50]];
    expect(means).toEqual([72, 0, 0]);
    expect([...vector].filter((number) => number !== 0)).toEqual([72]);
    expect(hash[0]).toBe(1);
    expect(vector).toHaveLength(64);
    expect(hash).toHaveLength(8);
  });

  it('knows a picture in other sizes, formats and qualities', async () => {
    const { vector } = await lookOf(sharp(photo));
    for (const copy of [
      sharp(photo).resize(200, 150),
      sharp(photo).png(),
      sharp(photo).webp({ quality: 40 }),
      sharp(photo).jpeg({ quality: 30 }),
    ]) {
      expect(similarity(vector, (await lookOf(copy)).vector)).toBeGreaterThan(0.95);
    }
  });

  it('sets other pictures apart, and those turned over', async () => {
    const { vector } = await lookOf(sharp(photo));
    const same = similarity(vector, vector);
    const near = similarity(vector, (await lookOf(sharp(other))).vector);
    const negative = similarity(vector, (await lookOf(sharp(photo).negate())).vector);
    expect(same).toBe(1);
    expect(near).toBeLessThan(0.9);
    expect(near).toBeGreaterThan(negative);
    const turned = similarity(vector, (await lookOf(sharp(photo).rotate(180))).vector);
    expect(turned).toBeLessThan(0.9);
  });

  it('is there for a small BMP', async () => {
    const bytes = Buffer.alloc(54 + 4 * 4 * 3);
    bytes.write('BM');
    bytes.writeUInt32LE(bytes.length, 2);
    bytes.writeUInt32LE(54, 10);
    for (const [at, value] of [
      [14, 40],
      [18, 4],
      [22, 4],
    ] as const) {
      bytes.writeUInt32LE(value, at);
    }
    bytes.writeUInt16LE(1, 26);
    bytes.writeUInt16LE(24, 28);
    bytes.fill(255, 54);
    const { file, descriptor } = await readDescribedImage(bytes);
    expect([file.format, descriptor?.vector[0]]).toEqual(['bmp', 127]);
  });
});
