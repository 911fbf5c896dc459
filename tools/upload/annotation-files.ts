// Finds the annotation of each image: one file per image, matched by name, or one file for all.

import { stat } from 'node:fs/promises';
import { basename, dirname, extname, sep } from 'node:path';
import { invalidArgument } from '../../src/errors.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { fileAt, fileSize } from '../format.ts';
import type { FileThread } from './file-thread.ts';
import { stemOf } from './image-list.ts';
import { readText } from './read-text.ts';

/** The annotation of one image, as the platform accepts it. */
export interface AnnotationFile {
  readonly name: string;
  /** Of a file that is about this image alone: its real path. */
  readonly path?: string;
  /** Throws `invalid_input` where it cannot be read. */
  text(): Promise<string>;
}

/** Finds the annotation of an image file; undefined: it has none. Reads nothing yet. */
export type FindAnnotation = (imagePath: string) => AnnotationFile | undefined;

export interface Annotations {
  readonly find: FindAnnotation;
  /** Images that the annotation files name and the call does not. */
  readonly imagesMissing: number;
  /** Annotations about images that their own file does not list. */
  readonly strays: number;
  /** Whether an image has a .txt of its own, which may need class names. */
  readonly hasTexts: boolean;
  /** Ends the thread that reads them. */
  close(): void;
}

const argument = 'annotations';

/**
 * Opens a folder or a file of annotations for some images. Pascal VOC .xml and YOLO .txt belong to
 * the image of the same name; a COCO or CreateML .json belongs to all images that it names. Throws
 * `invalid_input` where the file is neither. It has to be closed.
 */
export async function openAnnotations(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
  signal: AbortSignal,
): Promise<Annotations> {
  const shared = new SharedFiles(imagePaths, signal);
  try {
    const { find, hasTexts } = await openFiles(files, path, imagePaths, shared);
    const { imagesMissing, strays } = shared;
    return { find, imagesMissing, strays, hasTexts, close: () => shared.close() };
  } catch (thrown) {
    shared.close();
    throw thrown;
  }
}

async function openFiles(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
  shared: SharedFiles,
): Promise<Pick<Annotations, 'find' | 'hasTexts'>> {
  const real = await files.readable(path, argument);
  if ((await stat(real)).isDirectory()) return openFolder(files, path, imagePaths, shared);
  if (extname(real).toLowerCase() === '.json') {
    if (!(await shared.open(real))) {
      throw invalidArgument(argument, `${fileAt(path)} is neither COCO nor CreateML JSON`);
    }
    return { find: (imagePath) => shared.find(imagePath), hasTexts: false };
  }
  const isOnly = imagePaths.length === 1;
  const isOwn = (imagePath: string) => isOnly || stemOf(imagePath) === stemOf(real);
  const find = (imagePath: string) => (isOwn(imagePath) ? ownFile(real) : undefined);
  return { find, hasTexts: isText(real) };
}

async function openFolder(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
  shared: SharedFiles,
): Promise<Pick<Annotations, 'find' | 'hasTexts'>> {
  const found = await files.expand([path], argument, { extensions: ['.xml', '.txt', '.json'] });
  const stems = new Set(imagePaths.map(stemOf));
  const own = new Map<string, string[]>();
  for (const file of found) {
    const stem = stemOf(file);
    if (stems.has(stem)) own.set(stem, [...(own.get(stem) ?? []), file]);
    else if (extname(file).toLowerCase() === '.json') await shared.open(file);
  }
  const find = (imagePath: string) => {
    const best = closest(own.get(stemOf(imagePath)) ?? [], imagePath);
    return best === undefined ? shared.find(imagePath) : ownFile(best);
  };
  return { find, hasTexts: [...own.values()].some((paths) => paths.some(isText)) };
}

function isText(path: string): boolean {
  return extname(path).toLowerCase() === '.txt';
}

/** Files about many images, in a thread that starts with the first of them. */
class SharedFiles {
  readonly #imageNames: readonly string[];
  readonly #signal: AbortSignal;
  /** The images that each is about. */
  readonly #names = new Map<string, ReadonlySet<string>>();
  #thread: FileThread | undefined;
  imagesMissing = 0;
  strays = 0;

  constructor(imagePaths: readonly string[], signal: AbortSignal) {
    this.#imageNames = [...new Set(imagePaths.map((path) => basename(path)))];
    this.#signal = signal;
  }

  /** False: it is neither COCO nor CreateML. Throws `invalid_input` where it cannot be read. */
  async open(path: string): Promise<boolean> {
    const { size } = await stat(path);
    if (size > limits.datasetBytesMax) {
      const sizes = `${fileSize(size)}, more than ${fileSize(limits.datasetBytesMax)}`;
      throw invalidArgument(argument, `${fileAt(path)} has ${sizes}`);
    }
    const { openFileThread } = await import('./file-thread.ts');
    this.#thread ??= await openFileThread(argument, this.#signal);
    const opened = await this.#thread.open(path, this.#imageNames);
    if (opened === undefined) return false;
    this.#names.set(path, new Set(opened.names));
    this.imagesMissing += opened.others;
    this.strays += opened.strays;
    return true;
  }

  find(imagePath: string): AnnotationFile | undefined {
    const name = basename(imagePath);
    const naming = [...this.#names].filter(([, names]) => names.has(name)).map(([path]) => path);
    const best = closest(naming, imagePath);
    const thread = this.#thread;
    if (best === undefined || thread === undefined) return undefined;
    return { name: basename(best), text: () => thread.part(best, name) };
  }

  close(): void {
    this.#thread?.close();
  }
}

/** Of several files, the one in the most similar folder: `labels/train` for `images/train`. */
function closest(paths: readonly string[], imagePath: string): string | undefined {
  const folders = dirname(imagePath).split(sep).reverse();
  const shared = (path: string) => {
    const others = dirname(path).split(sep).reverse();
    const differs = folders.findIndex((folder, index) => folder !== others[index]);
    return differs === -1 ? folders.length : differs;
  };
  return paths.reduce<string | undefined>(
    (best, path) => (best !== undefined && shared(best) >= shared(path) ? best : path),
    undefined,
  );
}

function ownFile(path: string): AnnotationFile {
  const text = () => readText(path, argument, limits.annotationBytesMax);
  return { name: basename(path), path, text };
}
