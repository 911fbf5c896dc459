// Formats figures and names in the texts of tools, and makes names by others safe to quote.

import { basename } from 'node:path';
import { foreignWords, isPlain } from '../src/mcp/untrusted-text.ts';

export interface FoundImages {
  readonly total: number;
  /** False: there are at least so many. */
  readonly isExact: boolean;
}

/** `364 images`, `at least 100000 images`. */
export function countFound({ total, isExact }: FoundImages): string {
  return `${isExact ? '' : 'at least '}${count(total, 'image')}`;
}

/** `1 image`, `364 images`. */
export function count(figure: number, singular: string, plural = `${singular}s`): string {
  return `${figure} ${figure === 1 ? singular : plural}`;
}

const quotedLengthMax = 80;

/** Quotes a name by others in a sentence of ours: on one line, short, and marked as theirs. */
export function quoted(name: string): string {
  return foreignWords(onOneLine(name, quotedLengthMax));
}

/** Far more than most paths have, and no more than a line can bear. */
const ownLengthMax = 400;

/** Quotes a value of this call or the settings, such as a path to save to. */
export function asGiven(words: string): string {
  return `"${onOneLine(words, ownLengthMax)}"`;
}

/** Quotes the path of a file found by a pattern: its name may be by others. */
export function fileAt(path: string): string {
  return isPlain(basename(path)) ? asGiven(path) : foreignWords(onOneLine(path, ownLengthMax));
}

function onOneLine(text: string, lengthMax: number): string {
  const line = text.replace(/[\p{C}\p{Z}"]+/gu, ' ').trim();
  return line.length > lengthMax ? `${line.slice(0, lengthMax).toWellFormed()}…` : line;
}

const listedMax = 10;

/** The largest counts first: `"RBC" 4155, "WBC" 372`; beyond ten, how many more there are. */
export function tally(counts: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const named = sorted.slice(0, listedMax).map(([name, figure]) => `${quoted(name)} ${figure}`);
  const more = sorted.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Names in quotes: `"a", "b"`; beyond ten, how many more there are. */
export function nameList(names: readonly string[]): string {
  const more = names.length - listedMax;
  const named = names.slice(0, listedMax).map(quoted).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/** `70 train, 20 valid, 10 test`. */
export function splitList(splits: Readonly<Record<string, unknown>>): string {
  return Object.entries(splits)
    .map(([name, figure]) => `${Number(figure)} ${bare(name)}`)
    .join(', ');
}

/** One word of a service, such as a status or a time: without quotes where it is a plain word. */
export function bare(word: string): string {
  return isPlain(word) ? word : quoted(word);
}

/** The last part of an id such as `workspace/project/3`. */
export function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Bytes as people read them: `8.9 MB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return count(bytes, 'byte');
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}
