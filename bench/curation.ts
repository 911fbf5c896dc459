// `npm run bench:curation -- FOLDER`: how much of what is wrong with a dataset is found. FOLDER
// holds JPEGImages and Annotations as Pascal VOC has them; the sample unless given. Copies of all
// images are told among them, frames of one scene in several splits, noise, blank images and some
// out of focus, and damaged labels by what a model would find. The same run gives the same figures.
// `--write` puts what is said into docs/benchmarks.md. With `--images N` and `--dimensions N`
// instead: how long comparisons of so many take on each database, and how long they hold up the
// main thread; dimensions are those of an embedding model, or 0.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { labelMistakeKinds } from '../src/contract/evaluations.ts';
import { labelMistakes } from '../src/evaluation/label-mistakes.ts';
import { readDescribedImage } from '../src/imaging/image-file.ts';
import { groupNearDuplicates } from '../src/imaging/near-duplicates/group-near-duplicates.ts';
import { randomFrom } from '../src/seeded-random.ts';
import { compare, damage, type Found } from '../test/evaluation/damaged-labels.ts';
import { readVocLabels } from '../test/evaluation/voc-labels.ts';
import { measureManyImages } from './curation/many-images.ts';
import { measureOutliers } from './curation/outliers.ts';
import { Said } from './measure/said.ts';
import { formatTable } from './measure/text-table.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

const copies: readonly (readonly [string, (image: Sharp, size: Size) => Sharp])[] = [
  ['half the size', (image, { width }) => image.resize(Math.round(width / 2))],
  ['double the size', (image, { width }) => image.resize(width * 2)],
  ['JPEG, quality 40', (image) => image.jpeg({ quality: 40 })],
  ['PNG', (image) => image.png()],
  ['cropped by 2 %', (image, size) => image.extract(inner(size, 0.02))],
  ['cropped by 10 %', (image, size) => image.extract(inner(size, 0.1))],
  ['cropped by 20 %', (image, size) => image.extract(inner(size, 0.2))],
  ['10 % off two sides', (image, size) => image.extract(corner(size, 0.1))],
  ['10 % brighter', (image) => image.modulate({ brightness: 1.1 })],
  ['20 % brighter', (image) => image.modulate({ brightness: 1.2 })],
  ['grey', (image) => image.greyscale()],
  ['mirrored', (image) => image.flop()],
  ['upside down', (image) => image.rotate(180)],
  ['mirrored, cropped by 10 %', (image, size) => image.extract(inner(size, 0.1)).flop()],
];

const scenesMax = 60;
const framesOfScene = 8;

const { values, positionals } = parseArgs({
  options: {
    images: { type: 'string' },
    dimensions: { type: 'string', default: '0' },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.images !== undefined) {
  const many = { images: Number(values.images), dimensions: Number(values.dimensions) };
  process.stdout.write(`${await measureManyImages(many)}\n`);
  process.exit();
}

const folder = positionals[0] ?? 'sample/blood-cells';
const files = readdirSync(join(folder, 'JPEGImages')).sort();
const said = new Said();
said.say(`${files.length} images of ${basename(folder)}\n`);
await sayCopies();
await sayFrames();
said.say(`${await measureOutliers(readImages())}\n`);
sayMistakes();
if (values.write) said.write('bench:curation');

function readImages(): readonly Buffer[] {
  return files.map((name) => readFileSync(join(folder, 'JPEGImages', name)));
}

/** A share of width and height is gone, half of it on each side. */
function inner({ width, height }: Size, share: number) {
  const [left, top] = [Math.round((width * share) / 2), Math.round((height * share) / 2)];
  return { left, top, width: width - 2 * left, height: height - 2 * top };
}

function corner({ width, height }: Size, share: number) {
  return {
    left: 0,
    top: 0,
    width: Math.round(width * (1 - share)),
    height: Math.round(height * (1 - share)),
  };
}

/**
 * Of the pairs that are told, those of an image and its copy are right, and those of images that
 * are told without any copies: these are named, for a person to look at.
 */
async function sayCopies(): Promise<void> {
  const images = readImages();
  const originals = await vectorsOf(images);
  const { groups: alike } = await groupNearDuplicates(originals);
  const placeOf = files.map((_, at) => alike.findIndex((group) => group.includes(at)) + 1 || -at);
  for (const group of alike) {
    said.say(`one place: ${group.map((at) => files[at]).join(', ')}`);
  }
  const rows = [['copies', 'recall', 'precision', 'pairs told']];
  for (const [name, change] of copies) {
    const changed: Buffer[] = [];
    for (const image of images) {
      const { width = 0, height = 0 } = await sharp(image).metadata();
      changed.push(await change(sharp(image), { width, height }).toBuffer());
    }
    const { groups } = await groupNearDuplicates([...originals, ...(await vectorsOf(changed))]);
    let [found, told, right] = [0, 0, 0];
    for (const group of groups) {
      const places = group.map((at) => placeOf[at % files.length]);
      const pairs = (count: number) => (count * (count - 1)) / 2;
      told += pairs(group.length);
      for (const same of Map.groupBy(places, (place) => place).values())
        right += pairs(same.length);
      found += group.filter((at) => group.includes(at + files.length)).length;
    }
    rows.push([name, share(found, files.length), share(right, told), String(told)]);
  }
  said.say(`\nNear-duplicates\n${formatTable(rows)}\n`);
}

async function vectorsOf(images: readonly Buffer[]): Promise<readonly Int8Array[]> {
  const vectors: Int8Array[] = [];
  for (const image of images) {
    const { descriptor } = await readDescribedImage(image);
    if (descriptor === undefined) throw new Error('an image was not described');
    vectors.push(descriptor.vector);
  }
  return vectors;
}

/**
 * A camera moves over each image, by a share of its width from frame to frame; frames come into
 * train or test at random. A scene that is in both leaks, and is found where a group has frames of
 * it from both.
 */
async function sayFrames(): Promise<void> {
  const scenes = files.slice(0, scenesMax);
  const rows = [['moved by', 'scenes in two splits', 'found', 'groups of several scenes']];
  for (const step of [0.005, 0.01, 0.02, 0.05]) {
    const random = randomFrom('frames');
    const frames: Buffer[] = [];
    for (const name of scenes) {
      const image = readFileSync(join(folder, 'JPEGImages', name));
      for (let place = 0; place < framesOfScene; place += 1) {
        frames.push(await frameOf(image, place * step));
      }
    }
    const isTest = frames.map(() => random() < 0.5);
    const sceneOf = (place: number) => Math.floor(place / framesOfScene);
    const inBoth = (places: readonly number[]) =>
      new Set(places.map((place) => isTest[place])).size === 2;
    const { groups } = await groupNearDuplicates(await vectorsOf(frames));
    const found = new Set(
      groups.flatMap((group) =>
        group
          .map(sceneOf)
          .filter((scene) => inBoth(group.filter((place) => sceneOf(place) === scene))),
      ),
    );
    const leaking = scenes.filter((_, scene) =>
      inBoth([...frames.keys()].filter((place) => sceneOf(place) === scene)),
    );
    const mixed = groups.filter((group) => new Set(group.map(sceneOf)).size > 1);
    const counts = [leaking.length, found.size, mixed.length];
    rows.push([`${step * 100} %`, ...counts.map(String)]);
  }
  said.say(`Frames of ${scenes.length} scenes, ${framesOfScene} each\n${formatTable(rows)}\n`);
}

/** The left 60 % of an image, moved to the right by a share of its width. */
async function frameOf(image: Buffer, moved: number): Promise<Buffer> {
  const { width = 0, height = 0 } = await sharp(image).metadata();
  const window = { top: 0, height, width: Math.round(width * 0.6) };
  const left = Math.round(width * moved);
  return sharp(image)
    .extract({ ...window, left })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/** One label in twenty is damaged; the model finds nine of ten objects, and a few that are none. */
function sayMistakes(): void {
  const { truth, classCount } = readLabels();
  const images = damage(truth, classCount, 0.05, randomFrom('bench'));
  const mistakes = labelMistakes(images, 0.5);
  const rows = [['mistakes', 'made', 'recall', 'precision', 'told']];
  const add = (name: string, { made, right, told }: Found) => {
    rows.push([name, String(made), share(right, made), share(right, told), String(told)]);
  };
  for (const kind of labelMistakeKinds) add(kind, compare(images, mistakes, { kind, scoreMin: 0 }));
  for (const scoreMin of [0, 0.5, 0.6, 0.7]) {
    add(`all from a score of ${scoreMin}`, compare(images, mistakes, { scoreMin }));
  }
  said.say(`Label mistakes\n${formatTable(rows)}`);
}

function readLabels() {
  const classes: string[] = [];
  const truth = files.map((name) => {
    const path = join(folder, 'Annotations', name.replace(/\.\w+$/, '.xml'));
    return readVocLabels(path, classes);
  });
  return { truth, classCount: classes.length };
}

function share(part: number, all: number): string {
  return all === 0 ? '-' : (part / all).toFixed(3);
}
