// The twelve labelled images of the sample, each as several other files.

import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

const sample = join(import.meta.dirname, '../../sample/blood-cells');

const copies = 17;

/** Writes 204 images into a new folder, with an annotation beside each. Gives their names. */
export async function makeImages(folder: string): Promise<readonly string[]> {
  await mkdir(folder);
  const names: string[] = [];
  for (const file of await readdir(join(sample, 'JPEGImages'))) {
    const stem = file.replace(/\.jpg$/, '');
    for (let copy = 1; copy <= copies; copy += 1) {
      const name = `${stem}_${copy}`;
      // Each a little brighter than the one before.
      await sharp(join(sample, 'JPEGImages', file))
        .linear(1, copy)
        .jpeg({ quality: 90 })
        .toFile(join(folder, `${name}.jpg`));
      const annotation = join(sample, 'Annotations', `${stem}.xml`);
      await copyFile(annotation, join(folder, `${name}.xml`));
      names.push(`${name}.jpg`);
    }
  }
  return names;
}
