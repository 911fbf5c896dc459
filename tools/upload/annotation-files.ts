// Which annotation belongs to which image: one file each, matched by name, or one for all.

import { stat } from 'node:fs/promises';
import { basename, dirname, extname, sep } from 'node:path';
import type { FileRoots } from '../../src/boundary/file-roots.ts';
import { invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { fileAt } from '../words.ts';
import { stemOf } from './image-list.ts';
import { readText } from './read-text.ts';
import { type AnnotationFile, indexShared, type SharedAnnotations } from './shared-annotations.ts';

/** Finds the annotation of an image file; undefined: there is none. Reads as late as it can. */
export type FindAnnotation = (imagePath: string) => Promise<AnnotationFile | undefined>;

const argument = 'annotations';

/**
 * Opens a folder or a file of annotations for some images. Pascal VOC .xml and YOLO .txt belong to
 * the image of the same name; a COCO or CreateML .json belongs to all images that it names. Throws
 * `invalid_input` where the file is neither.
 */
export async function openAnnotations(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
): Promise<FindAnnotation> {
  const real = await files.readable(path, argument);
  if ((await stat(real)).isDirectory()) return openFolder(files, path, imagePaths);
  if (extname(real).toLowerCase() === '.json') {
    const shared = await readShared(real);
    if (!shared)
      throw invalidArgument(argument, `${fileAt(path)} is neither COCO nor CreateML JSON`);
    return async (imagePath) => shared(basename(imagePath));
  }
  const isOnly = imagePaths.length === 1;
  return async (imagePath) =>
    isOnly || stemOf(imagePath) === stemOf(real) ? readOne(real) : undefined;
}

async function openFolder(
  files: FileRoots,
  path: string,
  imagePaths: readonly string[],
): Promise<FindAnnotation> {
  const found = await files.expand([path], argument, { extensions: ['.xml', '.txt', '.json'] });
  const stems = new Set(imagePaths.map(stemOf));
  const own = new Map<string, string[]>();
  const sharedIn = new Map<string, SharedAnnotations>();
  for (const file of found) {
    const stem = stemOf(file);
    if (stems.has(stem)) own.set(stem, [...(own.get(stem) ?? []), file]);
    else if (extname(file).toLowerCase() === '.json') {
      const shared = await readShared(file);
      if (shared) sharedIn.set(file, shared);
    }
  }
  return async (imagePath) => {
    const best = closest(own.get(stemOf(imagePath)) ?? [], imagePath);
    if (best !== undefined) return readOne(best);
    return findShared(sharedIn, imagePath);
  };
}

function findShared(
  sharedIn: ReadonlyMap<string, SharedAnnotations>,
  imagePath: string,
): AnnotationFile | undefined {
  const name = basename(imagePath);
  const naming = [...sharedIn.keys()].filter((file) => sharedIn.get(file)?.(name));
  const best = closest(naming, imagePath);
  return best === undefined ? undefined : sharedIn.get(best)?.(name);
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

async function readOne(path: string): Promise<AnnotationFile> {
  return { name: basename(path), text: await readText(path, argument, limits.annotationBytesMax) };
}

async function readShared(path: string): Promise<SharedAnnotations | undefined> {
  const text = await readText(path, argument, limits.annotationBytesMax);
  return indexShared(basename(path), text);
}
