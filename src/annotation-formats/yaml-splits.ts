// The splits that the data.yaml files of a dataset give its images, as trainers of YOLO read them:
// by folders, or by text files that list the images.

import { posix } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { SplitName } from '../contract/fields.ts';
import { limits } from '../limits.ts';
import type { SplitPlace } from './data-yaml.ts';
import type { FindSplit } from './image-splits.ts';
import { foldersOf } from './path-hints.ts';

/** A data.yaml that names splits. */
export interface SplitFile {
  /** With slashes, as those of the images. */
  readonly path: string;
  readonly places: readonly SplitPlace[];
}

export interface ToldSplits {
  readonly splitOf: FindSplit;
  /** Each file, and of how many images it tells one split, or several at once. */
  readonly files: readonly {
    readonly path: string;
    readonly told: number;
    readonly torn: number;
  }[];
}

export interface ToTell {
  readonly files: readonly SplitFile[];
  /** All images of the dataset; paths with slashes. */
  readonly images: readonly string[];
  /** Those that nothing else gives a split. */
  readonly open: readonly string[];
  /** The images that a text file lists; undefined: there is no such file. */
  readonly listed: (path: string) => Promise<readonly string[] | undefined>;
}

/**
 * A file goes before others for the images below its folder, the deepest first. Of its folders the
 * deepest counts for an image; an image with several splits at once has none.
 */
export async function tellSplits({ files, images, open, listed }: ToTell): Promise<ToldSplits> {
  const folders = foldersWith(images);
  const tables: Table[] = [];
  for (const file of nearestFirst(files).slice(0, limits.yamlSplitFilesMax)) {
    tables.push(await readTable(file, folders, listed));
  }
  const find = (path: string) => {
    let elsewhere: { readonly table: Table; readonly split: Told } | undefined;
    for (const table of tables) {
      const split = splitIn(table, path);
      if (split === undefined) continue;
      if (isBelow(path, table.folder)) return { table, split };
      elsewhere ??= { table, split };
    }
    return elsewhere;
  };
  const counts = new Map(tables.map((table) => [table, { told: 0, torn: 0 }]));
  for (const [at, path] of open.entries()) {
    if (at % imagesInTurn === imagesInTurn - 1) await setImmediate();
    const found = find(path);
    const count = found && counts.get(found.table);
    if (count) count[found.split === 'several' ? 'torn' : 'told'] += 1;
  }
  return {
    splitOf: (path) => {
      const split = find(path)?.split;
      return split === 'several' ? undefined : split;
    },
    files: [...counts].map(([{ path }, count]) => ({ path, ...count })),
  };
}

/** Of many images: then others have their turn. */
const imagesInTurn = 10_000;

function nearestFirst(files: readonly SplitFile[]): readonly SplitFile[] {
  const depth = ({ path }: SplitFile) => foldersOf(path).length;
  return files
    .filter(({ places }) => places.length > 0)
    .toSorted((a, b) => depth(b) - depth(a) || (a.path < b.path ? -1 : 1));
}

/** What a data.yaml says, by where it is in the dataset. */
interface Table {
  readonly path: string;
  readonly folder: string;
  readonly byFolder: ReadonlyMap<string, ReadonlySet<SplitName>>;
  readonly byImage: ReadonlyMap<string, ReadonlySet<SplitName>>;
}

/** Asked of each image; most have a folder that was asked of before. */
function splitIn({ byFolder, byImage }: Table, path: string): Told | undefined {
  const own = byImage.get(path);
  if (own !== undefined) return only(own);
  for (let folder = folderOf(path); ; folder = folderOf(folder)) {
    const splits = byFolder.get(folder);
    if (splits !== undefined) return only(splits);
    if (folder === '') return undefined;
  }
}

type Told = SplitName | 'several';

/** Empty for what lies in no folder. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function only(splits: ReadonlySet<SplitName>): Told | undefined {
  const [first] = splits;
  return splits.size > 1 ? 'several' : first;
}

async function readTable(
  { path, places }: SplitFile,
  folders: ReadonlySet<string>,
  listed: ToTell['listed'],
): Promise<Table> {
  const folder = folderOf(path);
  const byFolder = new Map<string, Set<SplitName>>();
  const byImage = new Map<string, Set<SplitName>>();
  const add = (to: Map<string, Set<SplitName>>, key: string, split: SplitName) =>
    to.set(key, (to.get(key) ?? new Set()).add(split));
  for (const place of places) {
    for (const candidate of candidatesFor(folder, place)) {
      const images = /\.txt$/i.test(candidate) ? await listed(candidate) : undefined;
      for (const image of images ?? []) add(byImage, image, place.split);
      const isFolder = folders.has(candidate);
      if (isFolder) add(byFolder, candidate, place.split);
      if (isFolder || images !== undefined) break;
    }
  }
  return { path, folder, byFolder, byImage };
}

/**
 * Where a place may be: right where the file says; else by as much of its `path` as leads to
 * something, below the folder of the file or those above it: datasets move, and a leading `../` is
 * often one too many. Of an absolute path the end counts.
 */
function candidatesFor(folder: string, { path, root }: SplitPlace): readonly string[] {
  const isAbsolute = /^(\/|[a-z]:)/i.test(path);
  const [own, above] = [partsOf(path), isAbsolute ? [] : partsOf(root)];
  const ends = isAbsolute
    ? own.map((_, from) => own.slice(from))
    : [...above.map((_, from) => [...above.slice(from), ...own]), own];
  const folders = folder.split('/');
  const bases = [0, 1, 2]
    .filter((levels) => levels <= folders.length)
    .map((levels) => folders.slice(0, folders.length - levels).join('/'));
  const loose = bases.flatMap((base) => ends.map((end) => below(base, end.join('/'))));
  const exact = isAbsolute ? [path] : [below(folder, posix.join(root, path)), below(folder, path)];
  return [...new Set([...exact.map(plain), ...loose])];
}

function plain(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  return normal === '.' ? '' : normal;
}

function below(folder: string, path: string): string {
  return [folder, path].filter((part) => part !== '').join('/');
}

function partsOf(path: string): readonly string[] {
  return path
    .split('/')
    .filter((part) => !['', '.', '..'].includes(part) && !/^[a-z]:$/i.test(part));
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || path.startsWith(`${folder}/`);
}

/** Those that have an image in them or below. */
function foldersWith(images: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>();
  for (const path of images) {
    for (let folder = folderOf(path); !known.has(folder); folder = folderOf(folder)) {
      known.add(folder);
    }
  }
  return known;
}
