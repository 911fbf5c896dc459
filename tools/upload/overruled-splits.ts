// Splits that the folders of images overrule: what lists beside them, or a data.yaml, say
// otherwise.

import { basename } from 'node:path';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { count, quoted } from '../format.ts';
import type { FoundSplits } from './counted-splits.ts';
import { findListedSplits } from './split-lists.ts';
import { splitsOfDataYaml } from './yaml-splits.ts';

interface Given {
  readonly patterns: readonly string[];
  readonly paths: readonly string[];
}

type SplitOf = FoundSplits['splitOf'];

/**
 * ` 2 images have another split in the lists beside them, such as "a.jpg": folders count.` Empty
 * where nothing contradicts. What cannot be read says nothing here.
 */
export async function overruledWords(
  { patterns, paths }: Given,
  byFolders: SplitOf,
  files: FileRoots,
  signal: AbortSignal,
): Promise<string> {
  const alone = pathsOfOneName(paths);
  // Lists may name images without their folders.
  const lists = await findListedSplits(alone, files, 'darknet').catch(() => undefined);
  const yaml = await splitsOfDataYaml({ patterns, paths, open: paths }, files, signal).catch(
    () => undefined,
  );
  signal.throwIfAborted();
  return [
    wordsOf(alone, byFolders, lists?.splitOf, 'the lists beside them'),
    wordsOf(paths, byFolders, yaml?.splitOf, 'a data.yaml'),
  ].join('');
}

function wordsOf(
  paths: readonly string[],
  byFolders: SplitOf,
  others: SplitOf | undefined,
  where: string,
): string {
  const differing = paths.filter((path) => {
    const [own, other] = [byFolders(path), others?.(path)];
    return own !== undefined && other !== undefined && own !== other;
  });
  const [first] = differing;
  if (first === undefined) return '';
  const images = `${count(differing.length, 'image')} ${differing.length === 1 ? 'has' : 'have'}`;
  const example = quoted(basename(first));
  return ` ${images} another split in ${where}, such as ${example}: folders count.`;
}

function pathsOfOneName(paths: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const name = basename(path);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return paths.filter((path) => counts.get(basename(path)) === 1);
}
