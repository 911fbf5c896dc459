// What the references are compared on: photographs of the sample, and pictures that are made.

import { readFile } from 'node:fs/promises';
import { decodeImage } from '../../src/imaging/image-file.ts';
import type { RawImage } from '../../src/imaging/raw-image.ts';
import { randomFrom } from '../../src/seeded-random.ts';

export interface NamedPicture {
  readonly name: string;
  readonly image: RawImage;
}

const photographs = ['BloodImage_00040', 'BloodImage_00307'];

export async function loadPictures(): Promise<readonly NamedPicture[]> {
  const loaded = photographs.map(async (name) => {
    const file = `sample/blood-cells/JPEGImages/${name}.jpg`;
    return { name, image: await decodeImage(await readFile(file)) };
  });
  const noise = randomFrom('noise');
  return [
    ...(await Promise.all(loaded)),
    // One side can be cut into 8 parts, the other not.
    make('gradients', 250, 240, (x, y) => [x, y, (x + y) / 2]),
    make('colours', 128, 256, (x, y) => [(x % 32) * 8, y, Math.floor(x / 32) * 85]),
    make('noise', 97, 61, () => [noise() * 256, noise() * 256, noise() * 256]),
    make('stripes', 51, 33, (x, y) => ((x + y) % 4 < 2 ? [255, 0, 40] : [0, 230, 255])),
    make('flat', 40, 30, () => [90, 160, 30]),
    make('narrow', 3, 41, (x, y) => [x * 120, y * 6, 255 - y * 6]),
    make('pixel', 1, 1, () => [12, 200, 77]),
  ];
}

type Values = readonly [red: number, green: number, blue: number];

function make(
  name: string,
  width: number,
  height: number,
  colour: (x: number, y: number) => Values,
): NamedPicture {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set(colour(x, y), (y * width + x) * 3);
  }
  return { name, image: { data, width, height } };
}
