// Outliers among the images of a dataset: noise, blank and black images, and some out of focus.
// Which share is told by sharpness, which of what is told is right, and which share looks alone
// would tell.

import sharp from 'sharp';
import { readDescribedImage } from '../../src/imaging/image-file.ts';
import type { Descriptor } from '../../src/imaging/similarity-descriptor.ts';
import { limits } from '../../src/limits.ts';
import { compareHere } from '../../src/platform/database/comparisons/comparison.ts';
import { findSharpnessOutliers } from '../../src/platform/database/comparisons/sharpness-outliers.ts';
import { below, randomFrom } from '../../src/seeded-random.ts';
import { formatTable } from '../measure/text-table.ts';

const random = randomFrom('outliers');
const size = { width: 640, height: 480 } as const;

/** Made of an image of the dataset; `at`: which one it is. */
const spoilt: readonly (readonly [string, (image: Buffer, at: number) => Promise<Buffer>])[] = [
  ['noise', noise],
  ['blank', (_, at) => plain(100 + 8 * (at % 20))],
  ['black', () => plain(0)],
  ...[8, 4, 3, 2, 1].map(
    (sigma) =>
      [
        `blurred, sigma ${sigma}`,
        (image: Buffer) => sharp(image).blur(sigma).jpeg().toBuffer(),
      ] as const,
  ),
];

/** Of every so many images one is made an outlier besides: neighbours are of one series. */
const spoiltEach = 20;
const draws = 1_000;

/** Tables of all images of a dataset, and of few drawn ones. */
export async function measureOutliers(images: readonly Buffer[]): Promise<string> {
  const originals = await describeAll(images);
  const wanted = images.filter((_, at) => at % spoiltEach === 0);
  const few = limits.sharpnessImagesMin;
  const rows = [['outliers', 'made', 'recall', 'precision', 'told', 'recall by looks alone']];
  const fewRows = [[`outlier among ${few} images`, 'recall', 'share of the others told']];
  for (const [name, spoil] of [['none', undefined] as const, ...spoilt]) {
    const made: Descriptor[] = [];
    for (const [at, image] of spoil ? wanted.entries() : []) {
      made.push(...(await describeAll([(await spoil?.(image, at)) ?? image])));
    }
    const told = toldOf([...originals, ...made]);
    const isMade = (place: number) => place >= originals.length;
    const right = told.filter(isMade).length;
    const byLooks = (await farOf([...originals, ...made])).filter(isMade).length;
    rows.push([
      ...[name, String(made.length), share(right, made.length), share(right, told.length)],
      ...[String(told.length), share(byLooks, made.length)],
    ]);
    if (made.length > 0) fewRows.push([name, ...amongFew(originals, made, few)]);
  }
  return `Outliers by sharpness\n${formatTable(rows)}\n\n${draws} draws\n${formatTable(fewRows)}`;
}

function amongFew(originals: readonly Descriptor[], made: readonly Descriptor[], few: number) {
  const draw = (from: readonly Descriptor[]) => from[below(random, from.length)];
  let [found, others] = [0, 0];
  for (let count = 0; count < draws; count += 1) {
    const drawn = Array.from({ length: few - 1 }, () => draw(originals));
    const told = toldOf([...drawn, draw(made)].filter((one) => one !== undefined));
    if (told.includes(few - 1)) found += 1;
    others += told.filter((place) => place < few - 1).length;
  }
  return [share(found, draws), share(others, draws * (few - 1))];
}

function toldOf(looks: readonly Descriptor[]): readonly number[] {
  const sharpness = Float64Array.from(looks, (look) => look.sharpness ?? Number.NaN);
  return findSharpnessOutliers(sharpness).outliers.map(({ place }) => place);
}

async function farOf(looks: readonly Descriptor[]): Promise<readonly number[]> {
  const coefficients = Int8Array.from(looks.flatMap(({ vector }) => [...vector]));
  const { outliers } = await compareHere('outliers', { kind: 'looks', coefficients });
  return outliers.map(({ place }) => place);
}

async function describeAll(images: readonly Buffer[]): Promise<readonly Descriptor[]> {
  const looks: Descriptor[] = [];
  for (const image of images) {
    const { descriptor } = await readDescribedImage(image);
    if (descriptor === undefined) throw new Error('an image was not described');
    looks.push(descriptor);
  }
  return looks;
}

function noise(): Promise<Buffer> {
  const { width, height } = size;
  const pixels = Uint8Array.from({ length: width * height * 3 }, () => below(random, 256));
  return sharp(pixels, { raw: { ...size, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer();
}

function plain(light: number): Promise<Buffer> {
  const background = { r: light, g: light, b: light };
  return sharp({ create: { ...size, channels: 3, background } })
    .jpeg()
    .toBuffer();
}

function share(part: number, all: number): string {
  return all === 0 ? '-' : (part / all).toFixed(3);
}
