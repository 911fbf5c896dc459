// What goes into an export, and what the writers of all formats need of it.

import type { Readable } from 'node:stream';
import type { ProjectType } from '../annotations/annotation.ts';
import { edgesOf, tidy } from '../annotations/box-geometry.ts';
import type { SplitName } from '../contract/fields.ts';
import { splitName } from '../contract/fields.ts';
import type { Box, Point } from '../imaging/box.ts';

/** One image of a dataset version, with its boxes in pixels (x and y: the centre). */
export interface ExportImage {
  readonly split: SplitName;
  /** Made safe and unique in its split, see export-names.ts. */
  readonly fileName: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  /** Classes of the whole image; empty in projects that label boxes. */
  readonly labels: readonly string[];
  /** The bytes of the file; called once, when its turn comes. */
  readonly open: () => Promise<Readable>;
}

/** What stands in README.dataset.txt and in the head of the files. */
export interface ExportInfo {
  /** Name of the project. */
  readonly project: string;
  /** What the project labels, for example `cells`: files that need a name of their own have it. */
  readonly annotation: string;
  readonly version: number;
  readonly versionName: string;
  readonly license: string | undefined;
  /** When the version was made, in milliseconds since 1970. */
  readonly created: number;
}

export interface ExportDataset {
  readonly projectType: ProjectType;
  /** All class names; those of the images are added where they are missing. */
  readonly classes: readonly string[];
  readonly info: ExportInfo;
  readonly images: readonly ExportImage[];
}

/** One file of an export beside its images. Its content is made when it is written. */
export interface ExportFile {
  readonly path: string;
  /** Piece by piece: text, or bytes. */
  readonly content: () => Iterable<string> | AsyncIterable<Uint8Array>;
  /** True for bytes that are compressed already. */
  readonly isCompressed?: boolean;
}

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
  for (const image of images) for (const label of labelsOf(image)) names.add(label);
  return inOrder(names);
}

/** The classes that an image shows, each once: its own labels, or those of its boxes. */
export function labelsOf({ labels, boxes }: ExportImage): readonly string[] {
  return inOrder(new Set([...labels, ...boxes.map(({ label }) => label)]));
}

/** A place among class names; formats write it in place of the name. */
export function classIndex(classes: readonly string[]): (label: string) => number {
  const indexes = new Map(classes.map((name, index) => [name, index]));
  return (label) => indexes.get(label) ?? -1;
}

/** For each class the keypoints that its boxes have, in the order of their first appearance. */
export function keypointNames({ images }: ExportDataset): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, Set<string>>();
  for (const { boxes } of images) {
    for (const { label, keypoints = [] } of boxes) {
      const known = names.get(label) ?? new Set();
      for (const { label: name } of keypoints) known.add(name);
      names.set(label, known);
    }
  }
  return new Map([...names].map(([label, known]) => [label, [...known]]));
}

/** The outline of a box; that of a box without one has four corners, from the upper left on. */
export function outlineOf(box: Box): readonly Point[] {
  if (box.points !== undefined && box.points.length > 2) return box.points;
  const { left, top, right, bottom } = edgesOf(box);
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** Edges without the noise of floating point: a millionth of a pixel is enough. */
export function tidyEdges(box: Box): ReturnType<typeof edgesOf> {
  const { left, top, right, bottom } = edgesOf(box);
  return { left: tidy(left), top: tidy(top), right: tidy(right), bottom: tidy(bottom) };
}

function inOrder(names: ReadonlySet<string>): readonly string[] {
  return [...names].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
