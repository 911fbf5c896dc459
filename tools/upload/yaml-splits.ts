// The splits that the data.yaml of a dataset gives its images: those in its folders, or in its
// lists.

import { isYaml, namesSplits } from '../../src/annotation-formats/class-lists.ts';
import {
  type SplitFile,
  type ToldSplits,
  tellSplits,
} from '../../src/annotation-formats/yaml-splits.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { count, fileAt } from '../format.ts';
import { countedSplits, type FoundSplits } from './counted-splits.ts';
import { openYamlReader, type YamlReader } from './data-yaml-reader.ts';
import { commonFolder, slashed } from './dataset-folders.ts';
import { type DatasetWideFiles, datasetWideFiles } from './dataset-wide-files.ts';

const argument = 'files';

export interface Uploaded {
  /** What the call names. */
  readonly patterns: readonly string[];
  readonly paths: readonly string[];
  /** Those that nothing else gives a split. */
  readonly open: readonly string[];
}

/**
 * By the files like data.yaml among those of the call, in the folder of all images, or above it.
 * Undefined where none names splits; where these tell of no image, the words say so.
 */
export async function splitsOfDataYaml(
  { patterns, paths, open }: Uploaded,
  files: FileRoots,
  signal: AbortSignal,
): Promise<FoundSplits | undefined> {
  const around = { patterns, folder: commonFolder(paths) };
  const images = paths.map(slashed);
  const yaml = openYamlReader(argument, signal);
  try {
    const named = await filesWithSplits(around, files, yaml, signal);
    if (named.length === 0) return undefined;
    const listed = async (path: string) => {
      const real = await files.readable(path, argument).catch(() => undefined);
      return real === undefined ? undefined : yaml.listed(real, path, images);
    };
    const told = await tellSplits({ files: named, images, open: open.map(slashed), listed });
    return describeSplits(told, open);
  } finally {
    yaml.close();
  }
}

function describeSplits(
  { splitOf, files: told }: ToldSplits,
  open: readonly string[],
): FoundSplits {
  const useful = told.filter((file) => file.told > 0).map(({ path }) => fileAt(path));
  const find = (path: string) => splitOf(slashed(path));
  const found = countedSplits(open, find, `in ${useful.join(', ')}`);
  const words = told.filter(({ told, torn }) => told === 0 || torn > 0).map(unclearWords);
  return {
    splitOf: find,
    words: (found?.words ?? '') + words.join(''),
    restWords: found?.restWords ?? '',
  };
}

async function filesWithSplits(
  around: DatasetWideFiles,
  files: FileRoots,
  yaml: YamlReader,
  signal: AbortSignal,
) {
  const found = await datasetWideFiles(files, around, argument, ['.yaml', '.yml'], isYaml);
  const named: SplitFile[] = [];
  for (const { path, real } of found) {
    const read = await yaml.read(real, path).catch(() => undefined);
    signal.throwIfAborted();
    const { labelmap = {}, places = [] } = read ?? {};
    if (places.length === 0 || !namesSplits(slashed(path), labelmap)) continue;
    named.push({ path: slashed(path), places });
  }
  return named;
}

interface Told {
  readonly path: string;
  readonly torn: number;
}

function unclearWords({ path, torn }: Told): string {
  const what = ` ${fileAt(path)} names`;
  if (torn === 0) return `${what} splits by which these images cannot be told: all go to train.`;
  return `${what} several splits at once for ${count(torn, 'image')}: none counts for them.`;
}
