// The dataset of a job, in the form of YOLO, as what the example trainer learns from.

import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fitImage, readImageHeader } from '../../imaging/image-file.ts';
import { fitInto, type Letterbox, toPlanes } from '../../imaging/letterbox-resize.ts';
import type { LabelledBox } from './boxes-of-cells.ts';
import { canvasSide, featureMaps } from './features.ts';
import type { Example } from './fit.ts';

/**
 * The images of a split that are used, `countMax` at most, spread over all in the order of their
 * names. None where there is no such split.
 */
export async function readSplit(
  dataset: string,
  split: 'train' | 'valid' | 'test',
  countMax: number,
): Promise<readonly Example[]> {
  const names = await readdir(join(dataset, split, 'images')).catch(() => []);
  const step = Math.max(1, names.length / countMax);
  const inOrder = names.toSorted();
  const chosen = inOrder.filter(
    (_, place) => Math.floor(place / step) !== Math.floor((place - 1) / step),
  );
  const examples: Example[] = [];
  for (const name of chosen) examples.push(await readExample(join(dataset, split), name));
  return examples;
}

async function readExample(folder: string, name: string): Promise<Example> {
  const bytes = await readFile(join(folder, 'images', name));
  const file = await readImageHeader(bytes);
  const letterbox = fitInto({ width: canvasSide, height: canvasSide }, file);
  // As the runtime scales what it is given.
  const image = await fitImage(bytes, letterbox.scaled);
  const stem = name.slice(0, name.length - extname(name).length);
  const rows = await readFile(join(folder, 'labels', `${stem}.txt`), 'utf8').catch(() => '');
  return { maps: featureMaps(toPlanes(letterbox, image)), boxes: boxesOf(rows, letterbox) };
}

/** A row with more than a box is an outline: the box around it counts. */
function boxesOf(rows: string, letterbox: Letterbox): readonly LabelledBox[] {
  return rows.split('\n').flatMap((row): LabelledBox[] => {
    const [classIndex = -1, ...shares] = row.trim().split(/\s+/).map(Number);
    if (row.trim() === '' || shares.length < 4 || shares.some(Number.isNaN)) return [];
    const [x = 0, y = 0, width = 0, height = 0] = shares;
    const xs = shares.length > 4 ? shares.filter((_, place) => place % 2 === 0) : undefined;
    const ys = shares.length > 4 ? shares.filter((_, place) => place % 2 === 1) : undefined;
    const across = (share: number) => letterbox.left + share * letterbox.scaled.width;
    const down = (share: number) => letterbox.top + share * letterbox.scaled.height;
    const box = {
      classIndex,
      left: across(xs ? Math.min(...xs) : x - width / 2),
      right: across(xs ? Math.max(...xs) : x + width / 2),
      top: down(ys ? Math.min(...ys) : y - height / 2),
      bottom: down(ys ? Math.max(...ys) : y + height / 2),
    };
    // A box without an area shows nothing.
    return box.right > box.left && box.bottom > box.top ? [box] : [];
  });
}
