// Which images are one picture: copies are, other images of the same microscope are not.

import { readdirSync, readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { readDescribedImage } from '../../src/imaging/image-file.ts';
import { groupNearDuplicates } from '../../src/imaging/near-duplicates.ts';

const folder = 'sample/blood-cells/JPEGImages';
const files = readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`));
const [photo = Buffer.alloc(0)] = files;

async function vectorOf(bytes: Uint8Array): Promise<Int8Array> {
  const { descriptor } = await readDescribedImage(bytes);
  if (descriptor === undefined) throw new Error('was not described');
  return descriptor.vector;
}

let sample: Int8Array[];

beforeAll(async () => {
  sample = await Promise.all(files.map(vectorOf));
});

async function groupsWith(copy: Sharp) {
  return groupNearDuplicates([...sample, await vectorOf(await copy.toBuffer())]).groups;
}

describe('near-duplicates', () => {
  it('are none among the images of one microscope series', () => {
    expect(groupNearDuplicates(sample)).toEqual({ groups: [], plain: 0 });
  });

  it.each<readonly [string, (image: Sharp) => Sharp]>([
    ['in another format', (image) => image.png()],
    ['in a lower quality', (image) => image.jpeg({ quality: 20 })],
    ['in half the size', (image) => image.resize(320)],
    ['stretched', (image) => image.resize(640, 640, { fit: 'fill' })],
    ['brighter', (image) => image.modulate({ brightness: 1.1 })],
    ['cropped a little', (image) => image.extract({ left: 6, top: 5, width: 628, height: 470 })],
  ])('are a photo and itself %s', async (_what, change) => {
    expect(await groupsWith(change(sharp(photo)))).toEqual([[0, files.length]]);
  });

  it.each<readonly [string, (image: Sharp) => Sharp]>([
    ['mirrored', (image) => image.flop()],
    ['upside down', (image) => image.rotate(180)],
    ['a quarter of it', (image) => image.extract({ left: 0, top: 0, width: 320, height: 240 })],
  ])('are not a photo and itself %s', async (_what, change) => {
    expect(await groupsWith(change(sharp(photo)))).toEqual([]);
  });

  it('are not told of images with hardly anything in them', async () => {
    const grey = (shade: number) =>
      sharp({ create: { width: 64, height: 48, channels: 3, background: `rgb(${shade},90,90)` } });
    const even = await Promise.all([10, 10, 200].map((shade) => grey(shade).png().toBuffer()));
    const vectors = await Promise.all(even.map(vectorOf));
    expect(groupNearDuplicates([...vectors, ...sample])).toEqual({ groups: [], plain: 3 });
  });

  it('need a smaller distance where there is less to see', () => {
    const faint = (place: number) =>
      Int8Array.from({ length: 64 }, (_, at) => (at === place ? 10 : 0));
    expect(groupNearDuplicates([faint(1), faint(2)])).toEqual({ groups: [], plain: 0 });
    expect(groupNearDuplicates([faint(1), faint(1)])).toEqual({ groups: [[0, 1]], plain: 0 });
  });

  it('are one group where each is near the next, in the order given', () => {
    const slide = (by: number) =>
      Int8Array.from({ length: 64 }, (_, at) => (at === 1 ? 60 + by : 40));
    const far = Int8Array.from({ length: 64 }, () => -40);
    const vectors = [slide(24), far, slide(0), slide(12), far];
    expect(groupNearDuplicates(vectors).groups).toEqual([
      [0, 2, 3],
      [1, 4],
    ]);
    expect(groupNearDuplicates([slide(24), slide(0)]).groups).toEqual([]);
    expect(groupNearDuplicates([])).toEqual({ groups: [], plain: 0 });
  });
});
