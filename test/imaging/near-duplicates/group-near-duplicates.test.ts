// Which images are one picture: copies are, other images of the same microscope are not.

import { readdirSync, readFileSync } from 'node:fs';
import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { readDescribedImage } from '../../../src/imaging/image-file.ts';
import { groupNearDuplicates } from '../../../src/imaging/near-duplicates/group-near-duplicates.ts';

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
  return groupNearDuplicates([...sample, await vectorOf(await copy.toBuffer())]);
}

describe('near-duplicates', () => {
  it('are none among the images of one microscope series', async () => {
    expect(await groupNearDuplicates(sample)).toEqual({
      groups: [],
      copies: [],
      plain: 0,
      isComplete: true,
    });
  });

  it.each<readonly [string, (image: Sharp) => Sharp]>([
    ['in another format', (image) => image.png()],
    ['in a lower quality', (image) => image.jpeg({ quality: 20 })],
    ['in half the size', (image) => image.resize(320)],
    ['stretched', (image) => image.resize(640, 640, { fit: 'fill' })],
    ['brighter', (image) => image.modulate({ brightness: 1.1 })],
    ['cropped a little', (image) => image.extract({ left: 6, top: 5, width: 628, height: 470 })],
  ])('are a photo and itself %s', async (_what, change) => {
    const groups = [[0, files.length]];
    expect(await groupsWith(change(sharp(photo)))).toEqual({
      groups,
      copies: groups,
      plain: 0,
      isComplete: true,
    });
  });

  it.each<readonly [string, (image: Sharp) => Sharp]>([
    [
      'cropped by a tenth',
      (image) => image.extract({ left: 32, top: 24, width: 576, height: 432 }),
    ],
    [
      'without its right edge',
      (image) => image.extract({ left: 0, top: 0, width: 592, height: 480 }),
    ],
    ['mirrored', (image) => image.flop()],
    ['upside down', (image) => image.rotate(180)],
    ['in grey', (image) => image.greyscale()],
    [
      'mirrored, cropped, smaller and darker',
      (image) =>
        image
          .extract({ left: 20, top: 15, width: 600, height: 450 })
          .flip()
          .resize(300, 225)
          .modulate({ brightness: 0.9 }),
    ],
  ])('are a photo and itself %s, whose labels have other places', async (_what, change) => {
    const found = await groupsWith(sharp(await change(sharp(photo)).toBuffer()));
    expect(found.groups).toEqual([[0, files.length]]);
  });

  it.each<readonly [string, (image: Sharp) => Sharp]>([
    ['a quarter of it', (image) => image.extract({ left: 0, top: 0, width: 320, height: 240 })],
  ])('are not a photo and itself %s', async (_what, change) => {
    expect((await groupsWith(change(sharp(photo)))).groups).toEqual([]);
  });

  it('are not told of images with hardly anything in them', async () => {
    const grey = (shade: number) =>
      sharp({ create: { width: 64, height: 48, channels: 3, background: `rgb(${shade},90,90)` } });
    const even = await Promise.all([10, 10, 200].map((shade) => grey(shade).png().toBuffer()));
    const vectors = await Promise.all(even.map(vectorOf));
    expect(await groupNearDuplicates([...vectors, ...sample])).toEqual({
      groups: [],
      copies: [],
      plain: 3,
      isComplete: true,
    });
  });

  it('need a smaller distance where there is less to see', async () => {
    const faint = (place: number) =>
      Int8Array.from({ length: 64 }, (_, at) => (at === place ? 10 : 0));
    expect((await groupNearDuplicates([faint(1), faint(2)])).groups).toEqual([]);
    expect((await groupNearDuplicates([faint(1), faint(1)])).groups).toEqual([[0, 1]]);
  });

  it('are one group where each is near the next, in the order given', async () => {
    const slide = (by: number) =>
      Int8Array.from({ length: 64 }, (_, at) => (at === 1 ? 60 + by : 40));
    const far = Int8Array.from({ length: 64 }, () => -40);
    const vectors = [slide(24), far, slide(0), slide(12), far];
    expect((await groupNearDuplicates(vectors)).groups).toEqual([
      [0, 2, 3],
      [1, 4],
    ]);
    expect((await groupNearDuplicates([slide(24), slide(0)])).copies).toEqual([]);
    expect(await groupNearDuplicates([])).toEqual({
      groups: [],
      copies: [],
      plain: 0,
      isComplete: true,
    });
  });

  it('are all frames of a camera that moves by a twentieth of the image each', async () => {
    const scene = await sharp(photo).metadata();
    const frames = await Promise.all(
      [0, 1, 2, 3, 4].map(async (step) => {
        const left = Math.round((scene.width ?? 0) * 0.05 * step);
        const frame = sharp(photo).extract({ left, top: 0, width: 480, height: 480 });
        return vectorOf(await frame.jpeg({ quality: 80 }).toBuffer());
      }),
    );
    const others = sample.slice(1);
    const { groups, copies } = await groupNearDuplicates([...frames, ...others]);
    expect(groups).toEqual([[0, 1, 2, 3, 4]]);
    expect(copies).toEqual([]);
  });

  it('are not two pictures of one slope each, which fit onto each other anywhere', async () => {
    const slope = (from: number, to: number) => {
      const data = Buffer.from(
        Array.from({ length: 64 * 64 * 3 }, (_, at) => from + ((to - from) * ((at / 3) & 63)) / 63),
      );
      return sharp(data, { raw: { width: 64, height: 64, channels: 3 } })
        .png()
        .toBuffer();
    };
    const vectors = [await vectorOf(await slope(0, 255)), await vectorOf(await slope(60, 190))];
    expect((await groupNearDuplicates([...vectors, ...sample])).groups).toEqual([]);
  });
});
