// What the writers of all formats need of a dataset.

import { splitName } from '../../contract/fields.ts';
import type { Box } from '../annotations/annotation.ts';
import { edgesOf } from '../annotations/boxes.ts';
import type { ExportDataset, ExportImage } from './export-format.ts';

export type SplitName = ExportImage['split'];

/** The splits that have images, always in the order train, valid, test. */
export function splitsOf(dataset: ExportDataset): readonly SplitName[] {
  return splitName.options.filter((split) => imagesOf(dataset, split).length > 0);
}

export function imagesOf(dataset: ExportDataset, split: SplitName): readonly ExportImage[] {
  return dataset.images.filter((image) => image.split === split);
}

/** All class names in alphabetical order (by code point): the order of ids in every format. */
export function classesOf({ classes, images }: ExportDataset): readonly string[] {
  const names = new Set(classes);
  for (const { boxes } of images) for (const { label } of boxes) names.add(label);
  return [...names].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** A place among class names; formats write it in place of the name. */
export function classIndex(classes: readonly string[]): (box: Box) => number {
  const indexes = new Map(classes.map((name, index) => [name, index]));
  return ({ label }) => indexes.get(label) ?? -1;
}

/** Edges without the noise of floating point: a millionth of a pixel is enough. */
export function tidyEdges(box: Box): ReturnType<typeof edgesOf> {
  const { left, top, right, bottom } = edgesOf(box);
  return { left: tidy(left), top: tidy(top), right: tidy(right), bottom: tidy(bottom) };
}

export function tidy(pixels: number): number {
  return Math.round(pixels * 1e6) / 1e6 + 0;
}
