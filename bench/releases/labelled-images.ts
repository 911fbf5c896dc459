// Folders of labelled images, which both releases import: small photos, with boxes in Pascal VOC.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePhotos } from '../cluster/calls.ts';

export interface ImageFolders {
  /** Each with the folders `images` and `annotations`. */
  readonly parts: readonly string[];
  /** Without annotations, a folder of files for each pair. */
  readonly single: readonly (readonly string[])[];
}

/** Of each part some images, and some single ones. Names and bytes differ, and so do boxes. */
export async function writeImages(
  folder: string,
  counts: { readonly parts: number; readonly imagesOfEach: number; readonly singleOfEach: number },
): Promise<ImageFolders> {
  const photo = await makePhotos();
  let number = 0;
  const writeImage = (into: string) => {
    number += 1;
    const path = join(into, `frame_${nameOf(number)}.jpg`);
    writeFileSync(path, photo(number));
    return path;
  };
  const partNumbers = Array.from({ length: counts.parts }, (_, part) => part);
  const parts = partNumbers.map((part) => {
    const root = join(folder, `part-${part}`);
    for (const name of ['images', 'annotations']) {
      mkdirSync(join(root, name), { recursive: true });
    }
    for (let image = 0; image < counts.imagesOfEach; image += 1) {
      writeImage(join(root, 'images'));
      const path = join(root, 'annotations', `frame_${nameOf(number)}.xml`);
      writeFileSync(path, annotationOf(number));
    }
    return root;
  });
  const single = partNumbers.map((part) => {
    const root = join(folder, `single-${part}`);
    mkdirSync(root);
    return Array.from({ length: counts.singleOfEach }, () => writeImage(root));
  });
  return { parts, single };
}

function nameOf(number: number): string {
  return String(number).padStart(6, '0');
}

/** Up to eight red cells; a white one in each third image, and platelets in each tenth one. */
function annotationOf(number: number): string {
  const labels = [
    ...Array.from({ length: 1 + (number % 8) }, () => 'RBC'),
    ...(number % 3 === 0 ? ['WBC'] : []),
    ...(number % 10 === 0 ? ['Platelets'] : []),
  ];
  const boxes = labels.map((label, at) => {
    const left = 10 + at * 40;
    const box = `<xmin>${left}</xmin><ymin>20</ymin><xmax>${left + 30}</xmax><ymax>60</ymax>`;
    return `<object><name>${label}</name><bndbox>${box}</bndbox></object>`;
  });
  const size = '<size><width>480</width><height>320</height><depth>3</depth></size>';
  const name = `<filename>frame_${nameOf(number)}.jpg</filename>`;
  return `<annotation>${name}${size}${boxes.join('')}</annotation>`;
}
