// Search terms: how text is folded (case, accents, forms of letters) and split into words, and the
// terms under which the index holds an image.

import { createHash } from 'node:crypto';

/** The form in which names and words are compared. Of a text and of its parts it is the same. */
export function fold(text: string): string {
  // Nearly all names: nothing else of them changes.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text
    .toWellFormed()
    .toLowerCase()
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Cc}]/gu, '')
    .replaceAll('ς', 'σ');
}

/** Its words: runs of digits, and of letters, which count with their first 64 characters. */
export function wordsOf(text: string): readonly string[] {
  const words = fold(text).match(/[0-9]+|(?:(?![0-9])[\p{L}\p{N}])+/gu) ?? [];
  return words.map((word) => (isNumber(word) ? word : firstCharacters(word)));
}

/** No half of a character is among them. */
function firstCharacters(text: string): string {
  return text.length <= wordCharactersMax ? text : [...text].slice(0, wordCharactersMax).join('');
}

const wordCharactersMax = 64;

/** Longer runs of digits stand in no term: there would be one for nearly each image. */
const digitsInTermMax = 3;

/** Whether all images with this word are found by its term. */
export function isTermWord(word: string): boolean {
  return word.length <= digitsInTermMax || !isNumber(word);
}

export function isNumber(word: string): boolean {
  return /^[0-9]/.test(word);
}

/** Stand at both ends of a name, and in no name. */
export const nameStart = '\u0002';
export const nameEnd = '\u0003';

/** What a folded name has between its digits, with the marks of its ends. */
function partsOf(foldedName: string): readonly string[] {
  return `${nameStart}${foldedName}${nameEnd}`.split(/[0-9]+/);
}

/** One image as the index sees it. */
export interface IndexedImage {
  readonly workspaceId: string;
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
  /** The newest decision of a review, as long as it stands. */
  readonly review: 'approved' | 'sent-back' | undefined;
  readonly isDescribed: boolean;
}

/** Bits of a number: 31 hold all that an image counts. */
export const sliceBits = 31;

export type TermKind =
  | 'workspace'
  | 'project'
  | 'split'
  | 'batch'
  | 'job'
  | 'review'
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
  return new Set([
    term('workspace', image.workspaceId),
    term('project', image.projectId),
    ...propertiesOf(image),
    ...image.labels.flatMap(({ label, count }) => slices(classField(label), count)),
    ...(image.isDescribed ? [term('is', 'described')] : []),
    ...slices('width', image.width),
    ...slices('height', image.height),
    ...slices('objects', image.objects ?? 0),
    ...partsOf(fold(image.name)).map((part) => partKind + part),
  ]);
}

/** What can be asked of an image that is neither a number nor a part of its name. */
export function propertiesOf(image: IndexedImage): readonly string[] {
  const nameWords = wordsOf(image.name);
  const tagWords = image.tags.flatMap(wordsOf);
  return [
    term('split', image.split),
    term('batch', image.batchId),
    ...image.jobIds.map((id) => term('job', id)),
    ...(image.jobIds.length > 0 ? [term('is', 'in-job')] : []),
    ...(image.review !== undefined ? [term('review', image.review)] : []),
    ...image.tags.map((tag) => term('tag', tag)),
    ...image.labels.map(({ label }) => term('class', label)),
    ...(image.objects !== undefined ? [term('is', 'annotated')] : []),
    ...(image.isPredicted ? [term('is', 'predicted')] : []),
    ...nameWords.map((word) =>
      isTermWord(word) ? term('word', word) : headKind + word.slice(0, headDigits),
    ),
    // Tags are few: their long numbers are terms too.
    ...tagWords.map((word) => term('word', word)),
    ...Object.entries(image.metadata).flatMap(([key, value]) => [
      term('metadata-key', key),
      term('metadata', `${key}=${value}`),
    ]),
  ];
}

function slices(field: string, value: number): readonly string[] {
  const terms: string[] = [];
  for (let bit = 0; bit < sliceBits && value >> bit !== 0; bit += 1) {
    if (((value >> bit) & 1) === 1) terms.push(slice(field, bit));
  }
  return terms;
}
