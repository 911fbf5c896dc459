// `npm run bench:curation -- FOLDER`: how much of what is wrong with a dataset is found. FOLDER
// holds JPEGImages and Annotations as Pascal VOC has them; the sample unless given. Copies of all
// images are told among them, and damaged labels by what a model would find. The same run gives
// the same figures.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { labelMistakeKinds } from '../src/contract/evaluations.ts';
import { labelMistakes } from '../src/evaluation/label-mistakes.ts';
import { readDescribedImage } from '../src/imaging/image-file.ts';
import { groupNearDuplicates } from '../src/imaging/near-duplicates.ts';
import { randomFrom } from '../src/seeded-random.ts';
import { compare, damage, type Found } from '../test/evaluation/damaged-labels.ts';
import { readVocLabels } from '../test/evaluation/voc-labels.ts';
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
  ['10 % brighter', (image) => image.modulate({ brightness: 1.1 })],
  ['20 % brighter', (image) => image.modulate({ brightness: 1.2 })],
  ['mirrored', (image) => image.flop()],
];

const folder = process.argv[2] ?? 'sample/blood-cells';
const files = readdirSync(join(folder, 'JPEGImages')).sort();
process.stdout.write(`${files.length} images of ${folder}\n\n`);
await sayCopies();
sayMistakes();

/** A share of width and height is gone, half of it on each side. */
function inner({ width, height }: Size, share: number) {
  const [left, top] = [Math.round((width * share) / 2), Math.round((height * share) / 2)];
  return { left, top, width: width - 2 * left, height: height - 2 * top };
}

/** Of the pairs that are told, those of an image and its copy are right. */
async function sayCopies(): Promise<void> {
  const images = files.map((name) => readFileSync(join(folder, 'JPEGImages', name)));
  const originals = await vectorsOf(images);
  const rows = [['copies', 'recall', 'precision', 'pairs told']];
  for (const [name, change] of copies) {
    const changed: Buffer[] = [];
    for (const image of images) {
      const { width = 0, height = 0 } = await sharp(image).metadata();
      changed.push(await change(sharp(image), { width, height }).toBuffer());
    }
    const { groups } = groupNearDuplicates([...originals, ...(await vectorsOf(changed))]);
    let [told, right] = [0, 0];
    for (const group of groups) {
      told += (group.length * (group.length - 1)) / 2;
      right += group.filter((place) => group.includes(place + files.length)).length;
    }
    rows.push([name, share(right, files.length), share(right, told), String(told)]);
  }
  process.stdout.write(`Near-duplicates\n${formatTable(rows)}\n\n`);
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
  process.stdout.write(`Label mistakes\n${formatTable(rows)}\n`);
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
