// The splits that a data.yaml gives folders of images, as YOLO trainers read them.

import { dirname, join } from 'node:path';
import { splitOfName } from '../../src/annotation-formats/path-hints.ts';
import type { SplitName } from '../../src/contract/fields.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { fileAt } from '../format.ts';
import { countedSplits, type FoundSplits } from './counted-splits.ts';
import { commonFolder, slashed } from './dataset-folders.ts';
import { readText } from './read-text.ts';

/**
 * By the nearest data.yaml in the folder of all images or above it. Undefined where there is none,
 * or none that names splits; where these are told by no folder, the words say so.
 */
export async function splitsOfDataYaml(
  paths: readonly string[],
  files: FileRoots,
): Promise<FoundSplits | undefined> {
  let folder = commonFolder(paths);
  for (let level = 0; level < limits.classNamesLevelsMax; level += 1) {
    for (const name of ['data.yaml', 'data.yml']) {
      const path = join(folder, name);
      const entries = await readEntries(path, files);
      if (entries.length < 2) continue;
      const splitOf = splitFinder(entries);
      const found = splitOf && countedSplits(paths, splitOf, `in ${fileAt(path)}`);
      const unread = 'names splits by which these images cannot be told: all go to train';
      return found ?? { splitOf: () => undefined, words: ` ${fileAt(path)} ${unread}.` };
    }
    folder = dirname(folder);
  }
  return undefined;
}

interface Entry {
  readonly split: SplitName;
  /** Folders with slashes, without those above the file. */
  readonly folder: string;
}

/** Of one path each: lists of paths are told by none. */
async function readEntries(path: string, files: FileRoots): Promise<readonly Entry[]> {
  const real = await files.readable(path, 'files').catch(() => undefined);
  if (real === undefined) return [];
  const text = await readText(real, 'files', limits.yamlBytesMax);
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.length > limits.pathCharactersMax) return [];
    const [key = '', value = ''] = line.split(/:(.*)/);
    const split = splitOfName(key);
    if (split === undefined) return [];
    const plain = value.trim().replace(/^(['"])(.*)\1$/, '$2');
    const folder = slashed(plain)
      .replace(/^(\.{0,2}\/)+/, '')
      .replace(/\/+$/, '');
    return [{ split, folder }];
  });
}

/** Undefined where two splits have one folder, or one has none. */
function splitFinder(entries: readonly Entry[]): FoundSplits['splitOf'] | undefined {
  const folders = entries.map(({ folder }) => folder);
  const isPlain = folders.every((folder) => /^[^[\]{}|>#*&]+$/.test(folder));
  if (!isPlain || new Set(folders).size < folders.length) return undefined;
  return (path) => entries.find(({ folder }) => slashed(path).includes(`/${folder}/`))?.split;
}
