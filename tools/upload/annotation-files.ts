// Finds the annotation of each image: one file per image, matched by name and place, or one file
// for all. Where it is not clear which image a file is about, no image gets it.

import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import {
  type AnnotationSource,
  matchAnnotations,
  splitOfSource,
} from '../../src/annotation-formats/match-annotations.ts';
import {
  baseName,
  foldersOf,
  looseStemOf,
  splitOfFolders,
} from '../../src/annotation-formats/path-hints.ts';
import type { SplitName } from '../../src/contract/fields.ts';
import { invalidArgument } from '../../src/errors.ts';
import type { FileRoots, NamedFile } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { fileAt, fileSize } from '../format.ts';
import { type PlacedFile, placer, slashed } from './dataset-folders.ts';
import type { FileThread } from './file-thread.ts';
import { readText } from './read-text.ts';

/** The annotation of one image, as the platform accepts it. */
export interface AnnotationFile {
  readonly name: string;
  /** Of a file that is about this image alone: its real path, and the one that it was found by. */
  readonly path?: string;
  readonly foundAt?: string;
  /** Throws `invalid_input` where it cannot be read. */
  text(): Promise<string>;
}

/** Finds the annotation of an image file; undefined: it has none. Reads nothing yet. */
export type FindAnnotation = (imagePath: string) => AnnotationFile | undefined;

export interface Annotations {
  readonly find: FindAnnotation;
  /** The split that the name of the file about many images says of one of them. */
  splitOf(imagePath: string): SplitName | undefined;
  /** Images that the annotation files name and the call does not. */
  readonly imagesMissing: number;
  /** Annotations about images that their own file does not list. */
  readonly strays: number;
  /** Images whose annotation is not clear, and files that could be about several images. */
  readonly unclear: readonly string[];
  /** Files that are not taken, as another one about their image goes first. */
  readonly beaten: readonly string[];
  /** The .txt files of single images, which may need class names; with slashes. */
  readonly texts: readonly string[];
  /** Ends the thread that reads them. */
  close(): void;
}

const argument = 'annotations';

/**
 * Opens a folder or a file of annotations for some images. Pascal VOC .xml and YOLO .txt belong to
 * the image of the same name in the nearest folder; a COCO or CreateML .json belongs to all images
 * that it names. Throws `invalid_input` where the file is neither. It has to be closed.
 */
export async function openAnnotations(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
  signal: AbortSignal,
): Promise<Annotations> {
  const documents = new Documents(imagePaths, signal);
  try {
    const own = await openFiles(files, path, imagePaths, documents);
    const matched = match(imagePaths, own, documents);
    const { strays } = documents;
    return { ...matched, strays, close: () => documents.close() };
  } catch (thrown) {
    documents.close();
    throw thrown;
  }
}

/** The files about one image each; the others are opened. */
async function openFiles(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
  documents: Documents,
): Promise<readonly NamedFile[]> {
  const real = await files.readable(path, argument).catch((thrown) => {
    throw /[*?[{]/.test(path) ? noPattern(path) : thrown;
  });
  if ((await stat(real)).isDirectory()) return openFolder(files, path, imagePaths, documents);
  const named = await files.find([path], argument);
  if (extname(path).toLowerCase() !== '.json') return named;
  const opened = await Promise.all(named.map((file) => documents.open(file)));
  if (opened.every(Boolean)) return [];
  throw invalidArgument(argument, `${fileAt(path)} is neither COCO nor CreateML JSON`);
}

function noPattern(path: string) {
  return invalidArgument(argument, `${fileAt(path)} is a pattern: name one folder, or one file`);
}

async function openFolder(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
  documents: Documents,
): Promise<readonly NamedFile[]> {
  const found = await files.find([path], argument, { extensions: ['.xml', '.txt', '.json'] });
  const stems = new Set(imagePaths.map((image) => looseStemOf(slashed(image))));
  const own: NamedFile[] = [];
  for (const file of found) {
    if (stems.has(looseStemOf(slashed(file.path)))) own.push(file);
    else if (extname(file.path).toLowerCase() === '.json') await documents.open(file);
  }
  return own;
}

type Source = AnnotationSource<PlacedFile>;

function match(
  imagePaths: readonly string[],
  own: readonly NamedFile[],
  documents: Documents,
): Omit<Annotations, 'strays' | 'close'> {
  const [onlyImage, ...otherImages] = imagePaths;
  const [onlyFile, ...otherFiles] = own;
  const isPair = otherImages.length + otherFiles.length + documents.names.size === 0;
  if (onlyImage !== undefined && onlyFile !== undefined && isPair) {
    const find: FindAnnotation = (image) => (image === onlyImage ? ownFile(onlyFile) : undefined);
    return {
      find,
      splitOf: () => undefined,
      imagesMissing: 0,
      unclear: [],
      beaten: [],
      texts: isText(onlyFile.path) ? [slashed(onlyFile.path)] : [],
    };
  }
  const { names } = documents;
  const place = placer([...imagePaths, ...own.map(({ path }) => path), ...names.keys()]);
  const images = imagePaths.map((path) => place(path));
  const { sources, unclear, unused } = matchAnnotations({
    images,
    own: own.map(({ path, real }) => place(path, real)),
    documents: [...names].map(([path, named]) => ({
      entry: place(path, named.real),
      names: named.names,
    })),
    findSplit: (path) => splitOfFolders(foldersOf(path)),
    // Boxes that a project of classes cannot take are refused by the platform, by name.
    projectType: 'object-detection',
  });
  const texts = [...sources.values()].flatMap(({ kind, entry }) =>
    kind === 'file' && isText(entry.path) ? [entry.foundAt] : [],
  );
  const byImage = new Map(images.map(({ real, path }) => [real, sources.get(path)]));
  const ofSeveral = unused.filter(({ isUnclear }) => isUnclear).map(({ entry }) => entry.path);
  return {
    find: (imagePath) => {
      const source = byImage.get(imagePath);
      return source && documents.file(source, basename(imagePath));
    },
    splitOf: (imagePath) => splitOfSource(byImage.get(imagePath)),
    imagesMissing: documents.missing(imagePaths),
    unclear: [...ofSeveral, ...unclear],
    beaten: unused.filter(({ isBeaten }) => isBeaten).map(({ entry }) => entry.path),
    texts,
  };
}

function isText(path: string): boolean {
  return extname(path).toLowerCase() === '.txt';
}

interface Named {
  readonly real: string;
  /** What the file calls those of the images that it names. */
  readonly names: readonly string[];
  /** How many others it names. */
  readonly others: number;
}

/** Files about many images, in a thread that starts with the first of them. */
class Documents {
  /** By their paths. */
  readonly names = new Map<string, Named>();
  readonly #stems: readonly string[];
  readonly #signal: AbortSignal;
  #thread: FileThread | undefined;
  strays = 0;

  constructor(imagePaths: readonly string[], signal: AbortSignal) {
    this.#stems = [...new Set(imagePaths.map((path) => looseStemOf(slashed(path))))];
    this.#signal = signal;
  }

  /** False: it is neither COCO nor CreateML. Throws `invalid_input` where it cannot be read. */
  async open({ path, real }: NamedFile): Promise<boolean> {
    const { size } = await stat(real);
    if (size > limits.datasetBytesMax) {
      const sizes = `${fileSize(size)}, more than ${fileSize(limits.datasetBytesMax)}`;
      throw invalidArgument(argument, `${fileAt(path)} has ${sizes}`);
    }
    const { openFileThread } = await import('./file-thread.ts');
    this.#thread ??= await openFileThread(argument, this.#signal);
    const opened = await this.#thread.open(real, this.#stems);
    if (opened === undefined) return false;
    this.names.set(path, { ...opened, real });
    this.strays += opened.strays;
    return true;
  }

  /** What a source says of the image of that file name. */
  file(source: Source, imageName: string): AnnotationFile | undefined {
    const { real, path, foundAt } = source.entry;
    if (source.kind === 'file') return ownFile({ real, path: foundAt });
    const thread = this.#thread;
    const text = async () => (await thread?.part(real, source.name, imageName)) ?? '';
    return { name: baseName(path), text };
  }

  /** Images that the files name, of which there is no file. */
  missing(imagePaths: readonly string[]): number {
    const files = counted(imagePaths.map((path) => looseStemOf(slashed(path))));
    let missing = 0;
    for (const { names, others } of this.names.values()) {
      const named = counted(names.map((name) => looseStemOf(baseName(slashed(name)))));
      for (const [stem, figure] of named) missing += Math.max(0, figure - (files.get(stem) ?? 0));
      missing += others;
    }
    return missing;
  }

  close(): void {
    this.#thread?.close();
  }
}

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function ownFile({ path, real }: NamedFile): AnnotationFile {
  const text = () => readText(real, argument, limits.annotationBytesMax);
  return { name: basename(path), path: real, foundAt: slashed(path), text };
}
