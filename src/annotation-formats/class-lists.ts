// Class names for YOLO files: of several lists in a dataset the nearest counts.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';
import type { Labelmap } from './annotation-file.ts';
import type { SplitPlace } from './data-yaml.ts';
import { baseName, extensionOf, foldersOf } from './path-hints.ts';

export interface ClassList {
  /** Of the dataset, with slashes. */
  readonly path: string;
  readonly labelmap: Labelmap;
}

/** The list for a YOLO file; undefined where none is for it, or several that differ. */
export type FindClassList = (path: string) => ClassList | undefined;

/** What a file says that may be a list of classes. */
export interface ReadClassList {
  /** Undefined where it has no names. */
  readonly labelmap: Labelmap | undefined;
  /** Of a data.yaml: where the images of each split are. */
  readonly places: readonly SplitPlace[];
}

/** Whether a file may be a list of classes, by its name. */
export function isClassList(path: string): boolean {
  return rankOf(path) !== undefined;
}

export function isYaml(path: string): boolean {
  return ['yaml', 'yml'].includes(extensionOf(path));
}

/** Throws `too_large` for too many names. */
export async function readClassList(path: string, text: string): Promise<ReadClassList> {
  const { labelmap, places } = isYaml(path) ? await readYaml(text) : readLines(text);
  const count = Object.keys(labelmap).length;
  if (count > limits.zipClassNamesMax) {
    throw new FoveaError('too_large', `has more than ${limits.zipClassNamesMax} class names`);
  }
  const known = count === 0 ? undefined : labelmap;
  return { labelmap: known, places: namesSplits(path, labelmap) ? places : [] };
}

/** Other YAML has keys like `train` too: that of a dataset has a known name, or class names. */
export function namesSplits(path: string, labelmap: Labelmap): boolean {
  return rankOf(path) === 0 || Object.keys(labelmap).length > 0;
}

/** Names by line. A blank line in the middle keeps its class number. */
export function classNamesOfLines(text: string): Labelmap {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  return Object.fromEntries(Object.entries(lines));
}

function readLines(text: string) {
  return { labelmap: classNamesOfLines(text), places: [] };
}

/** Datasets have other YAML too: what is not about classes is no failure. */
async function readYaml(text: string) {
  const { readDataYaml } = await import('./data-yaml.ts');
  try {
    return readDataYaml(text, (problem) => new Error(problem));
  } catch {
    return { labelmap: {}, places: [] };
  }
}

/**
 * A list applies to its folder and all folders below. A file without such a list takes the only
 * list of the dataset; several lists apply only if they are equal, as do several of one kind in one
 * folder.
 */
export function findClassLists(lists: readonly ClassList[]): FindClassList {
  const sorted = lists.toSorted(
    (a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : Number(a.path > b.path)),
  );
  const elsewhere = differ(sorted) ? undefined : sorted[0];
  const byFolder = new Map<string, ClassList | undefined>();
  const folderOf = ({ path }: ClassList) => foldersOf(path).join('/');
  for (const [folder, own] of Map.groupBy(sorted, folderOf)) {
    const best = own.filter((list) => rank(list) === rank(own[0] ?? list));
    byFolder.set(folder, differ(best) ? undefined : best[0]);
  }
  return (path) => {
    const folders = foldersOf(path);
    for (let depth = folders.length; depth >= 0; depth -= 1) {
      const folder = folders.slice(0, depth).join('/');
      if (byFolder.has(folder)) return byFolder.get(folder);
    }
    return elsewhere;
  };
}

/** The lists that count for some YOLO files, where they are several that differ; else none. */
export function differingLists(
  find: FindClassList,
  paths: readonly string[],
): readonly ClassList[] {
  const used = [...new Set(paths.map(find))].filter((list) => list !== undefined);
  return differ(used) ? used : [];
}

function differ(lists: readonly ClassList[]): boolean {
  return new Set(lists.map(({ labelmap }) => JSON.stringify(labelmap))).size > 1;
}

const noClassNames = 'there are no class names for it: a data.yaml, a .names file or a classes.txt';

/** What to say of a YOLO file for which there are none. */
export function whyNoClassNames(lists: readonly ClassList[]): string {
  if (lists.length < 2) return noClassNames;
  const shown = lists.slice(0, 3).map(({ path }) => quotedName(path));
  const more = lists.length > shown.length ? ` and ${lists.length - shown.length} more` : '';
  const files = `${lists.length} files of other class names each (${shown.join(', ')}${more})`;
  return `there are ${files}, and none of them is nearest to it`;
}

function rank({ path }: ClassList): number {
  return rankOf(path) ?? textRanks.length;
}

/** A data.yaml is written for training; a classes.txt may be what a drawing tool left behind. */
function rankOf(path: string): number | undefined {
  const name = baseName(path).toLowerCase();
  const extension = extensionOf(path);
  if (isYaml(path)) return /^data\.ya?ml$/.test(name) ? 0 : 1;
  if (extension === 'names' || extension === 'labels') return 2;
  const place = textRanks.indexOf(name);
  return place === -1 ? undefined : 3 + Math.min(place, 1);
}

const textRanks = ['classes.txt', 'labels.txt', 'names.txt', 'predefined_classes.txt'];
