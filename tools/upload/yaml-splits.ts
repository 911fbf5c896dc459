// The splits that the data.yaml of a dataset gives its images: those in its folders, or in its
// lists.

import { isYaml } from '../../src/annotation-formats/class-lists.ts';
import type { SplitPlace } from '../../src/annotation-formats/data-yaml.ts';
import { type FindListed, listedImageFinder } from '../../src/annotation-formats/listed-images.ts';
import { tellSplits } from '../../src/annotation-formats/yaml-splits.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { count, fileAt } from '../format.ts';
import { countedSplits, type FoundSplits } from './counted-splits.ts';
import { commonFolder, slashed } from './dataset-folders.ts';
import { filesAround } from './files-around.ts';
import { openYamlReader } from './read-data-yaml.ts';
import { readText } from './read-text.ts';

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
  const named = await filesWithSplits({ patterns, folder: commonFolder(paths) }, files, signal);
  if (named.length === 0) return undefined;
  const images = new Map(paths.map((path) => [slashed(path), path]));
  let findListed: FindListed | undefined;
  const { splitOf, files: told } = await tellSplits({
    files: named,
    images: [...images.keys()],
    open: open.map(slashed),
    listed: async (path) => {
      const real = await files.readable(path, argument).catch(() => undefined);
      if (real === undefined) return undefined;
      findListed ??= listedImageFinder([...images.keys()]);
      return findListed(path, await readText(real, argument, limits.splitListBytesMax));
    },
  });
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
  around: Parameters<typeof filesAround>[1],
  files: FileRoots,
  signal: AbortSignal,
) {
  const found = await filesAround(files, around, argument, ['.yaml', '.yml'], isYaml);
  const named: { readonly path: string; readonly places: readonly SplitPlace[] }[] = [];
  const yaml = openYamlReader(argument, signal);
  try {
    for (const { path, real } of found) {
      const read = await yaml.read(real, path).catch(() => undefined);
      signal.throwIfAborted();
      if (read && read.places.length > 0) named.push({ path: slashed(path), places: read.places });
    }
  } finally {
    yaml.close();
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
