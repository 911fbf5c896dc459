// The dataset folders of a day, as people have them: Pascal VOC, folders of classes, COCO. They are
// those that day_steps.py lays out.

import { globSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { sample } from './day-platform.ts';

export const kinds = ['object-detection', 'classification', 'instance-segmentation'] as const;
export type Kind = (typeof kinds)[number];

const splits = ['train', 'valid', 'test'] as const;

/** The images of the sample, in the order of their names. */
const pictures: readonly string[] = globSync(join(sample, 'JPEGImages/*.jpg')).sort();

export function picture(place: number): string {
  const path = pictures[place];
  if (path === undefined) throw new Error(`the sample has no image ${place}`);
  return path;
}

/** The Pascal VOC file of an image of the sample. */
function vocOf(path: string): string {
  return join(sample, 'Annotations', `${basename(path, '.jpg')}.xml`);
}

/** All images but the first three, with their annotations. */
export async function layOutFolder(kind: Kind, folder: string): Promise<void> {
  const names = new Map<string, string[]>(splits.map((split) => [split, []]));
  for (const [place, path] of pictures.slice(3).entries()) {
    const split = splits[place % 3] ?? 'train';
    const classFolder = kind === 'classification' ? (place % 2 === 1 ? 'many' : 'few') : '';
    const into = join(folder, split, classFolder);
    await mkdir(into, { recursive: true });
    await copyFile(path, join(into, basename(path)));
    if (kind === 'object-detection') {
      await copyFile(vocOf(path), join(into, basename(vocOf(path))));
    }
    names.get(split)?.push(basename(path));
  }
  if (kind !== 'instance-segmentation') return;
  for (const [split, files] of names) {
    await writeFile(join(folder, split, '_annotations.coco.json'), JSON.stringify(cocoOf(files)));
  }
}

/** One image, which the project has by another name. */
export async function layOutCopy(folder: string): Promise<void> {
  const into = join(folder, 'train', 'cells');
  await mkdir(into, { recursive: true });
  await copyFile(picture(3), join(into, 'copy.jpg'));
}

/** An image that no project has yet; the pixels are those that day_steps.py makes. */
export async function makePicture(folder: string, number: number): Promise<string> {
  const path = join(folder, `picture-${number}.png`);
  const shape = { width: 64, height: 64, channels: 3 } as const;
  const pixels = Uint8Array.from({ length: 64 * 64 * 3 }, (_, at) => (at * (7 + number)) % 256);
  await sharp(pixels, { raw: shape }).png().toFile(path);
  return path;
}

/** The annotation of one image: VOC, COCO, or in classification the class. */
export async function annotationOf(kind: Kind, path: string, folder: string) {
  if (kind === 'classification') return { annotation: 'many' };
  if (kind === 'object-detection') return { file: vocOf(path) };
  const file = join(folder, `${basename(path, '.jpg')}.json`);
  await writeFile(file, JSON.stringify(cocoOf([basename(path)])));
  return { file };
}

/** An outline in each image. */
function cocoOf(files: readonly string[]) {
  return {
    info: { description: 'cells' },
    licenses: [],
    images: files.map((file_name, id) => ({ id, file_name, width: 640, height: 480 })),
    categories: [{ id: 1, name: 'RBC' }],
    annotations: files.map((_, id) => ({
      id,
      image_id: id,
      category_id: 1,
      bbox: [90, 100, 110, 110],
      area: 9000,
      iscrowd: 0,
      segmentation: [[100, 100, 200, 110, 190, 210, 90, 190]],
    })),
  };
}
