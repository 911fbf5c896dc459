// What the index holds of one image: its terms.

import { createHash } from 'node:crypto';
import { fold, isTermWord, partsOf, wordsOf } from './tokenizer.ts';

/** One image as the index sees it. */
export interface IndexedImage {
  readonly projectId: string;
  readonly batchId: string;
  readonly name: string;
  readonly split: string;
  readonly width: number;
  readonly height: number;
  /** Boxes or classes; undefined: nobody annotated it. */
  readonly objects: number | undefined;
  readonly isPredicted: boolean;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  readonly tags: readonly string[];
  readonly labels: readonly { readonly label: string; readonly count: number }[];
  readonly jobIds: readonly string[];
  readonly isDescribed: boolean;
}

/** Bits of a number: 31 hold all that an image counts. */
export const sliceBits = 31;

export type TermKind =
  | 'project'
  | 'split'
  | 'batch'
  | 'job'
  | 'tag'
  | 'class'
  | 'word'
  | 'metadata'
  | 'metadata-key'
  | 'is';

/** A term of the index. A long text, or one with control characters, stands there by its hash. */
export function term(kind: TermKind, text: string): string {
  const plain = text.toWellFormed();
  if (plain.length <= 200 && !/\p{Cc}/u.test(plain)) return `${kind}:${plain}`;
  return `${kind}#:${createHash('sha256').update(plain).digest('hex')}`;
}

/** The term of all images in whose number this bit is set. */
export function slice(field: string, bit: number): string {
  return `bit-${bit}:${field}`;
}

/** The name of a number: how often a class stands in an image. */
export function classField(label: string): `class:${string}` {
  return `class:${label}`;
}

/** What stands between the digits of names: looked through for its letters, so never a hash. */
export const partKind = 'part:';

/** What a long number of a name starts with. */
export const headKind = 'head:';
export const headDigits = 4;

export function termsOf(image: IndexedImage): ReadonlySet<string> {
  const words = [image.name, ...image.tags].flatMap(wordsOf);
  const tagWords = image.tags.flatMap(wordsOf);
  return new Set([
    term('project', image.projectId),
    term('split', image.split),
    term('batch', image.batchId),
    ...image.jobIds.map((id) => term('job', id)),
    ...(image.jobIds.length > 0 ? [term('is', 'in-job')] : []),
    ...image.tags.map((tag) => term('tag', tag)),
    ...image.labels.flatMap(({ label, count }) => [
      term('class', label),
      ...slices(classField(label), count),
    ]),
    ...(image.objects !== undefined ? [term('is', 'annotated')] : []),
    ...(image.isPredicted ? [term('is', 'predicted')] : []),
    ...(image.isDescribed ? [term('is', 'described')] : []),
    ...slices('width', image.width),
    ...slices('height', image.height),
    ...slices('objects', image.objects ?? 0),
    ...words.filter(isTermWord).map((word) => term('word', word)),
    ...wordsOf(image.name)
      .filter((word) => !isTermWord(word))
      .map((word) => headKind + word.slice(0, headDigits)),
    // Tags are few: their long numbers are terms too.
    ...tagWords.map((word) => term('word', word)),
    ...partsOf(fold(image.name)).map((part) => partKind + part),
    ...Object.entries(image.metadata).flatMap(([key, value]) => [
      term('metadata-key', key),
      term('metadata', `${key}=${value}`),
    ]),
  ]);
}

function slices(field: string, value: number): readonly string[] {
  const terms: string[] = [];
  for (let bit = 0; bit < sliceBits && value >> bit !== 0; bit += 1) {
    if (((value >> bit) & 1) === 1) terms.push(slice(field, bit));
  }
  return terms;
}
