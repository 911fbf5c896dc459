// The splits that lists beside the images give them: as Pascal VOC has them in ImageSets/Main, or
// as Darknet has them in train.txt.

import { basename, dirname, join } from 'node:path';
import type { SplitName } from '../../src/contract/fields.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { count, nameList, quoted, splitList } from '../format.ts';
import type { FoundSplits } from './counted-splits.ts';
import { namesInList, namesOf } from './image-list.ts';
import { readText } from './read-text.ts';

interface List {
  readonly file: string;
  readonly split: SplitName;
}

/** Train and valid together: for images that the two others leave out. */
const both: List = { file: 'trainval.txt', split: 'train' };

/** Where lists are, and how they are called. */
interface Custom {
  readonly place: string;
  /** Below the folder of an image or those above it, how many of them. */
  readonly folder: string;
  readonly levels: number;
  /** Of several that name an image the first counts, as in a zip upload. */
  readonly lists: readonly List[];
}

const usual: readonly List[] = [
  { file: 'test.txt', split: 'test' },
  { file: 'train.txt', split: 'train' },
  { file: 'val.txt', split: 'valid' },
];

const customs = {
  voc: {
    place: 'ImageSets/Main',
    folder: join('ImageSets', 'Main'),
    levels: 2,
    lists: [...usual, both],
  },
  darknet: {
    place: 'the lists beside them',
    folder: '',
    levels: 3,
    lists: [...usual, { file: 'valid.txt', split: 'valid' }],
  },
} as const satisfies Record<string, Custom>;

type ListsOf = (path: string) => readonly List[];

/**
 * Looks in the folders of the images and above each. Undefined where no list names one of the
 * images. Throws `invalid_input` for a list that cannot be read.
 */
export async function findListedSplits(
  paths: readonly string[],
  files: FileRoots,
  whose: keyof typeof customs,
): Promise<FoundSplits | undefined> {
  const custom = customs[whose];
  const listsOf = await openLists(paths, files, custom);
  if (paths.every((path) => listsOf(path).length === 0)) return undefined;
  return { splitOf: (path) => listsOf(path)[0]?.split, ...wordsOf(paths, listsOf, custom) };
}

/** Name of an image, with or without its extension, to the lists that name it. */
type Listed = ReadonlyMap<string, readonly List[]>;

async function openLists(
  paths: readonly string[],
  files: FileRoots,
  custom: Custom,
): Promise<ListsOf> {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  const named = new Set(paths.flatMap(namesOf));
  const places = new Map<string, Promise<Listed>>();
  const open = (place: string) => {
    const reading =
      places.get(place) ?? readLists(join(place, custom.folder), files, custom, named);
    places.set(place, reading);
    return reading;
  };
  const byFolder = new Map<string, Listed>();
  for (const folder of folders.slice(0, limits.splitListFoldersMax)) {
    let listed = await open(folder);
    for (let level = 1, at = folder; listed.size === 0 && level < custom.levels; level += 1) {
      at = dirname(at);
      listed = await open(at);
    }
    byFolder.set(folder, listed);
  }
  return (path) => {
    const listed = byFolder.get(dirname(path));
    const [whole, stem] = namesOf(path);
    return listed?.get(whole) ?? listed?.get(stem) ?? [];
  };
}

/** Those of the names that are of images; empty where there is no list. */
async function readLists(
  folder: string,
  files: FileRoots,
  { lists }: Custom,
  images: ReadonlySet<string>,
): Promise<Listed> {
  const listed = new Map<string, List[]>();
  for (const list of lists) {
    const path = await files.readable(join(folder, list.file), 'files').catch(() => undefined);
    if (path === undefined) continue;
    for (const name of namesInList(await readText(path, 'files', limits.splitListBytesMax))) {
      if (images.has(name)) listed.set(name, [...(listed.get(name) ?? []), list]);
    }
  }
  return listed;
}

function wordsOf(paths: readonly string[], listsOf: ListsOf, { place }: Custom) {
  const counts = { train: 0, valid: 0, test: 0 };
  const torn: string[] = [];
  const left: string[] = [];
  for (const path of paths) {
    const named = listsOf(path);
    const [first] = named;
    if (first) counts[first.split] += 1;
    else left.push(basename(path));
    if (isTorn(named)) torn.push(path);
  }
  const unlisted = ` ${count(left.length, 'image')} in no list, for train: ${nameList(left)}.`;
  const words = [
    ` Splits as in ${place}: ${splitList(counts)}.`,
    ...torn.slice(0, 1).map((path) => tornWords(torn.length, path, listsOf(path))),
  ];
  return { words: words.join(' '), restWords: left.length > 0 ? unlisted : '' };
}

/** In lists of different splits. */
function isTorn(named: readonly List[]): boolean {
  const own = named.filter((list) => list !== both);
  return own.length > 1 || (own[0]?.split === 'test' && named.includes(both));
}

function tornWords(total: number, path: string, named: readonly List[]): string {
  const where = named.map(({ file }) => file).join(' and ');
  const example = `${quoted(basename(path))} in ${where}`;
  return `${count(total, 'image')} in several lists, of which the first counts: ${example}.`;
}
