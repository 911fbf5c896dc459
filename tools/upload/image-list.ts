// Lists the image files of an upload.

import { basename, extname } from 'node:path';
import { imageFileExtensions } from '../../src/annotation-formats/image-file-extensions.ts';
import { imageNameIn } from '../../src/annotation-formats/image-list.ts';
import { stemOf } from '../../src/annotation-formats/path-hints.ts';
import { asFoveaError, invalidArgument } from '../../src/errors.ts';
import type { FileRoots, LeftOut, NamedFile } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { fileAt } from '../format.ts';
import { slashed } from './dataset-folders.ts';
import { readText } from './read-text.ts';

export interface ImageList {
  /**
   * Each image once, by the path that has its name and folders, in an order that is the same for
   * every call.
   */
  readonly paths: readonly string[];
  /** Where it is read: another path where a link leads to it. */
  realOf(path: string): string;
  /** Names of the list for which there is no file. */
  readonly missing: readonly string[];
  readonly left: LeftOut;
}

export const imageExtensions = [...imageFileExtensions].map((extension) => `.${extension}`);

/**
 * The images that the patterns match; with a list, only those that it names. Throws `invalid_input`
 * where no image is left, and names what is there instead.
 */
export async function listImages(
  files: FileRoots,
  patterns: readonly string[],
  list: string | undefined,
): Promise<ImageList> {
  let left: LeftOut = { outside: 0, linkedFolders: [] };
  const all = await findImages(files, patterns, (told) => {
    left = told;
  });
  const reals = new Map(all.map(({ path, real }) => [path, real]));
  const found = [...reals.keys()];
  const realOf = (path: string) => reals.get(path) ?? path;
  if (list === undefined) return { paths: found, realOf, missing: [], left };
  const names = await readNames(files, list);
  const wanted = new Set(names);
  const paths = found.filter((path) => namesOf(path).some((name) => wanted.has(name)));
  if (paths.length === 0) {
    const message = `none of its ${names.length} names is one of the ${found.length} images`;
    throw invalidArgument('list', `${message} that "files" stands for`);
  }
  const present = new Set(found.flatMap(namesOf));
  return { paths, realOf, missing: names.filter((name) => !present.has(name)), left };
}

async function findImages(
  files: FileRoots,
  patterns: readonly string[],
  onLeftOut: (left: LeftOut) => void,
): Promise<readonly NamedFile[]> {
  try {
    return await files.find(patterns, 'files', { extensions: imageExtensions, onLeftOut });
  } catch (thrown) {
    const [problem] = asFoveaError(thrown).problems;
    const others = await files.expand(patterns, 'files').catch(() => []);
    if (problem === undefined || others.length === 0) throw thrown;
    const message = `${problem.message}; what is there: ${kindsOf(others)}`;
    const hasZip = others.some((path) => extname(path).toLowerCase() === '.zip');
    const hint = hasZip
      ? 'images_upload_zip takes a .zip, with its annotations and splits.'
      : undefined;
    throw invalidArgument(problem.path, message, hint);
  }
}

/** `3 .txt, 1 .pdf`. */
function kindsOf(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const kind = extname(path).toLowerCase() || 'without an extension';
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const kinds = [...counts].sort(([, a], [, b]) => b - a).slice(0, 5);
  return kinds.map(([kind, figure]) => `${figure} ${kind}`).join(', ');
}

/** What a list may call an image: its file name, with the extension or without. */
export function namesOf(path: string): readonly [whole: string, stem: string] {
  return [basename(path).normalize('NFC'), stemOf(slashed(path))];
}

async function readNames(files: FileRoots, list: string): Promise<readonly string[]> {
  const real = await files.readable(list, 'list');
  const text = await readText(real, 'list', limits.nameListBytesMax);
  const names = namesInList(text);
  if (names.length === 0) throw invalidArgument('list', `${fileAt(list)} names no image`);
  return names;
}

/** Each once. */
export function namesInList(text: string): readonly string[] {
  const names = text.split(/\r?\n/).map((line) => imageNameIn(line).normalize('NFC'));
  return [...new Set(names)].filter((name) => name !== '');
}
