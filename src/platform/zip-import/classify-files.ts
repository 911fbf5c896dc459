// Classifies the files of an archive by their names: images, annotations, lists.

import { isClassList } from '../../annotation-formats/class-lists.ts';
import { imageFileExtensions } from '../../annotation-formats/image-file-extensions.ts';
import {
  baseName,
  extensionOf,
  foldersOf,
  looseStemOf,
} from '../../annotation-formats/path-hints.ts';
import type { SourceFile } from './import-source.ts';

export interface Layout {
  /** By their names; what they really are shows when they are read. */
  readonly images: readonly SourceFile[];
  /** Files for one image each: VOC .xml, YOLO .txt, .json of the name of an image. */
  readonly own: readonly SourceFile[];
  /** Other .json: perhaps COCO or CreateML, for many images. */
  readonly documents: readonly SourceFile[];
  /** Class names for YOLO files. */
  readonly classLists: readonly SourceFile[];
  /** Lists of the images of a split, as VOC and Darknet have them. */
  readonly splitLists: readonly SourceFile[];
  /** Files that are not used, and why. */
  readonly others: readonly { readonly entry: SourceFile; readonly problem: string }[];
}

type Kind = Exclude<keyof Layout, 'others'>;

export function classifyFiles(entries: readonly SourceFile[]): Layout {
  const stems = new Set(entries.filter(looksLikeImage).map(({ path }) => looseStemOf(path)));
  const masks = maskFinder(entries);
  const sorted: Record<Kind, SourceFile[]> = {
    images: [],
    own: [],
    documents: [],
    classLists: [],
    splitLists: [],
  };
  const others: Layout['others'][number][] = [];
  for (const entry of entries) {
    const kind = masks(entry) ? masked : kindOf(entry, stems);
    if (typeof kind === 'string') sorted[kind].push(entry);
    else others.push({ entry, ...kind });
  }
  return { ...sorted, others };
}

const masked = { problem: 'a mask; masks are not read' } as const;

function looksLikeImage({ path }: SourceFile): boolean {
  return imageFileExtensions.has(extensionOf(path));
}

function kindOf(
  entry: SourceFile,
  stems: ReadonlySet<string>,
): Kind | { readonly problem: string } {
  const { path } = entry;
  const extension = extensionOf(path);
  if (imageFileExtensions.has(extension)) return 'images';
  if (extension !== 'txt' && isClassList(path)) return 'classLists';
  if (!['txt', 'xml', 'json'].includes(extension)) {
    return { problem: 'neither an image nor an annotation' };
  }
  if (stems.has(looseStemOf(path))) return 'own';
  if (extension === 'json') return 'documents';
  if (extension === 'txt') return kindOfText(path);
  return { problem: 'no image has its name' };
}

function kindOfText(path: string): Kind | { readonly problem: string } {
  const name = baseName(path).toLowerCase();
  if (isClassList(path)) return 'classLists';
  if (splitListNames.has(name)) return 'splitLists';
  return { problem: 'no image has its name' };
}

const splitListNames = new Set(
  ['train', 'training', 'valid', 'val', 'validation', 'test', 'testing'].map(
    (name) => `${name}.txt`,
  ),
);

/**
 * Pictures that say which pixels belong to what: in the folders of VOC, or beside the images as
 * exports of masks have them. As images they would spoil a dataset.
 */
function maskFinder(entries: readonly SourceFile[]): (entry: SourceFile) => boolean {
  const withClasses = new Set(
    entries
      .filter(({ path }) => baseName(path) === '_classes.csv')
      .map(({ path }) => foldersOf(path).join('/')),
  );
  return ({ path }) => {
    const folders = foldersOf(path);
    if (folders.some((name) => /^segmentation(class|object)/i.test(name))) return true;
    return /_mask\.png$/i.test(path) && withClasses.has(folders.join('/'));
  };
}
