// Whether an annotation file is about the image at hand: by base name, case-sensitive, with or
// without the extension of an image.

import { extname } from 'node:path';
import { quotedName, quotedNames } from '../quoted-name.ts';
import { imageFileExtensions } from './image-file-extensions.ts';
import { refusal } from './value-checks.ts';

/** Throws when `named`, from an annotation file, is another image. */
export function checkSameImage(named: string, image: string): void {
  if (closeness(named, image) > 0) return;
  throw refusal(
    '',
    `is about image ${quotedName(named)}, not about ${quotedName(image)}`,
    'Give each image its own annotation, or correct the file name inside the file.',
  );
}

/** The one entry of a dataset file that is about the image. Throws when none or several are. */
export function findByImage<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  image: string,
): Entry {
  const rated = entries.map((entry) => ({ entry, rate: closeness(entry.name, image) }));
  const best = rated.reduce((most, { rate }) => Math.max(most, rate), 0);
  const found = rated.filter(({ rate }) => rate === best).map(({ entry }) => entry);
  const [first] = found;
  if (best === 0 || first === undefined) {
    const known = entries.length > 0 ? quotedNames(entries.map(({ name }) => name)) : 'no image';
    throw refusal('', `has no entry for image ${quotedName(image)}; it is about ${known}`);
  }
  if (found.length > 1) {
    const names = quotedNames(found.map(({ name }) => name));
    throw refusal('', `has several entries for image ${quotedName(image)}: ${names}`);
  }
  return first;
}

/** 3: the same path; 2: the same base name; 1: the same but for the extension; 0: another image. */
function closeness(named: string, image: string): number {
  const [a, b] = [composed(named), composed(image)];
  if (a === b) return 3;
  if (baseName(a) === baseName(b)) return 2;
  return stem(a) === stem(b) ? 1 : 0;
}

/** Accents are one character with their letter on one system, and two on another. */
function composed(name: string): string {
  return name.normalize('NFC');
}

function baseName(path: string): string {
  return path.trim().split(/[\\/]/).at(-1) ?? '';
}

function stem(path: string): string {
  const base = baseName(path);
  const extension = extname(base);
  return imageFileExtensions.has(extension.slice(1).toLowerCase())
    ? base.slice(0, -extension.length)
    : base;
}
