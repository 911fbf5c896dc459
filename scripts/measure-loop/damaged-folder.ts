// A folder of Pascal VOC with images of train, val and test, once as it is and once damaged in
// known ways: labels removed, swapped, shifted and doubled, images of val and test copied to train.

import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { GroundTruth } from '../../src/evaluation/evaluated-image.ts';
import { type Random, randomFrom, shuffled } from '../../src/seeded-random.ts';
import { type DamagedLabels, damageLabels } from '../../test/evaluation/damaged-labels.ts';
import { readVocLabels } from '../../test/evaluation/voc-labels.ts';

export interface DamagedFolder {
  readonly classes: readonly string[];
  /** Labels and damages of each image, by its file name. */
  readonly images: ReadonlyMap<string, DamagedImage>;
  /** File names of the copies in train, and of what they show. */
  readonly copies: ReadonlyMap<string, string>;
}

export interface DamagedImage extends DamagedLabels {
  /** The labels as they were. */
  readonly truth: readonly GroundTruth[];
}

/** Copies `clean` to `damaged`, of which a share of labels and of images is damaged. */
export async function damageFolder(
  clean: string,
  damaged: string,
  share: number,
): Promise<DamagedFolder> {
  cpSync(clean, damaged, { recursive: true });
  const random = randomFrom('measure:loop');
  const names = ['train', 'val', 'test'].flatMap((split) => namesOf(clean, split)).sort();
  const classes: string[] = [];
  const truths = names.map((name) => readVocLabels(labelsOf(clean, name), classes));
  const images = new Map<string, DamagedImage>();
  for (const [place, name] of names.entries()) {
    const truth = truths[place] ?? [];
    const labels = damageLabels(truth, classes.length, share, random);
    images.set(`${name}.jpg`, { ...labels, truth });
    writeLabels(damaged, name, labels.groundTruths, classes);
  }
  const copies = await copyIntoTrain(damaged, Math.ceil(names.length * share), random);
  return { classes, images, copies };
}

function listOf(folder: string, split: string): string {
  return join(folder, 'ImageSets/Main', `${split}.txt`);
}

function labelsOf(folder: string, name: string): string {
  return join(folder, 'Annotations', `${name}.xml`);
}

function namesOf(folder: string, split: string): readonly string[] {
  return readFileSync(listOf(folder, split), 'utf8').trim().split(/\s+/);
}

function writeLabels(
  folder: string,
  name: string,
  labels: readonly GroundTruth[],
  classes: readonly string[],
): void {
  const objects = labels.map(({ classIndex, left, top, width, height }) => {
    const [right, bottom] = [left + width, top + height];
    const edges = Object.entries({ xmin: left, ymin: top, xmax: right, ymax: bottom })
      .map(([edge, pixels]) => `<${edge}>${Math.round(pixels)}</${edge}>`)
      .join('');
    return `<object><name>${classes[classIndex]}</name><bndbox>${edges}</bndbox></object>`;
  });
  const text = `<annotation>\n${objects.join('\n')}\n</annotation>\n`;
  writeFileSync(labelsOf(folder, name), text);
}

/** Encoded again under another name, as exports of other tools are. */
async function copyIntoTrain(
  folder: string,
  count: number,
  random: Random,
): Promise<ReadonlyMap<string, string>> {
  const others = shuffled([...namesOf(folder, 'val'), ...namesOf(folder, 'test')], random);
  const copies = new Map<string, string>();
  for (const [place, name] of others.slice(0, count).entries()) {
    const copy = `copy_${String(place + 1).padStart(3, '0')}`;
    const from = join(folder, 'JPEGImages', `${name}.jpg`);
    // From bytes: where Fovea runs in this process, decoders of files are shut.
    await sharp(readFileSync(from))
      .jpeg({ quality: 80 })
      .toFile(join(folder, 'JPEGImages', `${copy}.jpg`));
    const labels = readFileSync(labelsOf(folder, name));
    writeFileSync(labelsOf(folder, copy), labels);
    copies.set(`${copy}.jpg`, `${name}.jpg`);
  }
  const known = namesOf(folder, 'train');
  const train = [...known, ...[...copies.keys()].map((name) => name.replace('.jpg', ''))];
  writeFileSync(listOf(folder, 'train'), `${train.join('\n')}\n`);
  return copies;
}
