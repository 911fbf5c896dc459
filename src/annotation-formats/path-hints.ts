// Hints from paths of a dataset: splits and classes by folder names, how near two paths are.

import type { SplitName } from '../contract/fields.ts';

/** A file of a dataset, in an archive or a folder. */
export interface DatasetFile {
  /** Of the dataset, with slashes. */
  readonly path: string;
}

/** The folders above a file, from the outermost on. */
export function foldersOf(path: string): readonly string[] {
  return path.split('/').slice(0, -1);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** In lower case, without the dot; empty: no extension. */
export function extensionOf(path: string): string {
  return /\.(\w+)$/.exec(baseName(path))?.[1]?.toLowerCase() ?? '';
}

/**
 * What an image and its annotation have in common: the name without its extension, and without a
 * second one of an image, as in `cell.jpg.xml`. Accents as one character with their letter.
 */
export function stemOf(path: string): string {
  const stem = baseName(path).replace(/\.\w+$/, '');
  return (isAnnotationName(path) ? stem.replace(imageExtension, '') : stem).normalize('NFC');
}

/** The same for `A.JPG` and `a.xml`. */
export function looseStemOf(path: string): string {
  return stemOf(path).toLowerCase();
}

const imageExtension = /\.(jpe?g|jpe|jfif|png|webp|bmp|tiff?|avif)$/i;

function isAnnotationName(path: string): boolean {
  return /\.(txt|xml|json)$/i.test(path);
}

/** The split that the nearest folder with such a name stands for. */
export function splitOfFolders(folders: readonly string[]): SplitName | undefined {
  return folders
    .toReversed()
    .map(splitOfName)
    .find((split) => split !== undefined);
}

/** `train`, `valid`, `val2017`, `testing`: what people call splits. */
export function splitOfName(name: string): SplitName | undefined {
  const word = name.toLowerCase().replace(/(19|20)\d\d$/, '');
  return splitWords.get(word);
}

const splitWords = new Map<string, SplitName>([
  ['train', 'train'],
  ['training', 'train'],
  ['valid', 'valid'],
  ['val', 'valid'],
  ['validation', 'valid'],
  ['test', 'test'],
  ['testing', 'test'],
]);

/** The split that a document for many images is for, by its folders or a word of its name. */
export function splitOfDocument(path: string): SplitName | undefined {
  const words = stemOf(path).split(/[^a-z0-9]+/i);
  return splitOfFolders(foldersOf(path)) ?? splitOfFolders(words);
}

/**
 * How surely a file in some folders is about an image in others: 300 for the same folder, 200 where
 * they differ only in what they hold (`images/train` and `labels/train`), else by as much as the
 * folders have in common.
 */
export function nearness(folders: readonly string[], imageFolders: readonly string[]): number {
  if (equal(folders, imageFolders)) return surelyTogether + 100;
  const [own, others] = [plainFolders(folders), plainFolders(imageFolders)];
  if (equal(own, others)) return surelyTogether;
  return sharedStart(own, others) + sharedStart(own.toReversed(), others.toReversed());
}

/** From here on a file belongs to an image by its place alone. */
export const surelyTogether = 200;

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

function sharedStart(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((part, index) => part !== b[index]);
  return differs === -1 ? a.length : differs;
}

/** In small letters, without the folders that say what kind of file is in them. */
export function plainFolders(folders: readonly string[]): readonly string[] {
  return folders.map((name) => name.toLowerCase()).filter((name) => !kindFolders.has(name));
}

/** Folders that are named for the kind of their files, and not for a class or a split. */
export function isKindFolder(name: string): boolean {
  return kindFolders.has(name.toLowerCase());
}

const kindFolders = new Set([
  'image',
  'images',
  'img',
  'imgs',
  'jpegimages',
  'pictures',
  'photos',
  'data',
  'dataset',
  'label',
  'labels',
  'annotation',
  'annotations',
  'ann',
  'anns',
  'xml',
  'xmls',
  'txt',
  'json',
  'bboxes',
  'yolo',
  'voc',
  'coco',
  'labels_yolo',
  'labels_voc',
]);
