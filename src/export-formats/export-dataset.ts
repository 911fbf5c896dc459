// What goes into an export, and what the writers of all formats need of it.

import type { Readable } from 'node:stream';
import type { ProjectType } from '../annotations/annotation.ts';
import { cornersOf, edgesOf, tidy } from '../annotations/box-geometry.ts';
import type { SplitName } from '../contract/fields.ts';
import type { Box, Point } from '../imaging/box.ts';
import type { BlobFile } from '../storage/blob-file.ts';

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
  /** The same as a file of this disk, where it is one. */
  readonly file?: BlobFile | undefined;
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

/** What is to be exported. */
export interface ExportDataset {
  readonly projectType: ProjectType;
  /** All class names; those of the images are added where they are missing. */
  readonly classes: readonly string[];
  readonly info: ExportInfo;
  /** Its images, or those of a split: the same in the same order with each pass over them. */
  readonly images: (split?: SplitName) => AsyncIterable<ExportImage>;
}

/** The same after a first pass over all images (survey-dataset.ts), which are those it can hold. */
export interface SurveyedDataset extends ExportDataset {
  /** All class names in alphabetical order (by code point): the order of ids in every format. */
  readonly classes: readonly string[];
  /** Those that have images, always in the order train, valid, test. */
  readonly splits: ReadonlyMap<SplitName, SplitFacts>;
  /** Boxes of each class, or labels of whole images. */
  readonly counts: ReadonlyMap<string, number>;
  /** For each class the keypoints that its boxes have, in the order of their first appearance. */
  readonly keypoints: ReadonlyMap<string, readonly string[]>;
  /** Images that the format cannot hold. */
  readonly leftOut: number;
  /** What is odd about boxes: the first of the sentences, and how many there are. */
  readonly oddBoxes: { readonly shown: readonly string[]; readonly count: number };
}

export interface SplitFacts {
  readonly images: number;
  /** Boxes, or labels of whole images. */
  readonly things: number;
  /** Classes that its images show. */
  readonly classes: ReadonlySet<string>;
}

/** The images that a format can hold. */
export interface Selection {
  readonly takes: (image: ExportImage) => boolean;
  /** Called after the first pass; throws `invalid_input` where the format cannot hold them. */
  readonly finish: () => void;
}

/** One file of an export beside its images. Its content is made when it is written. */
export interface ExportFile {
  readonly path: string;
  /** Piece by piece: text, or bytes. */
  readonly content: () => ExportContent;
  /** True for bytes that are compressed already. */
  readonly isCompressed?: boolean;
}

export type ExportContent = Iterable<string> | AsyncIterable<string | Uint8Array>;

/** The classes that an image shows, each once: its own labels, or those of its boxes. */
export function labelsOf({ labels, boxes }: ExportImage): readonly string[] {
  return inOrder(new Set([...labels, ...boxes.map(({ label }) => label)]));
}

/** A place among class names; formats write it in place of the name. */
export function classIndex(classes: readonly string[]): (label: string) => number {
  const indexes = new Map(classes.map((name, index) => [name, index]));
  return (label) => indexes.get(label) ?? -1;
}

/** The outline of a box; that of a box without one has four corners, from the upper left on. */
export function outlineOf(box: Box): readonly Point[] {
  return box.points !== undefined && box.points.length > 2 ? box.points : cornersOf(box);
}

/** Edges without the noise of floating point: a millionth of a pixel is enough. */
export function tidyEdges(box: Box): ReturnType<typeof edgesOf> {
  const { left, top, right, bottom } = edgesOf(box);
  return { left: tidy(left), top: tidy(top), right: tidy(right), bottom: tidy(bottom) };
}

/** Alphabetical, by code point. */
export function inOrder(names: ReadonlySet<string>): readonly string[] {
  return [...names].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
