// The splits of the images of an upload that gives none: by lists, by folders, by the annotation
// files that are about them, whichever says something first; of the rest by a data.yaml.

import type { FileRoots } from '../../src/file-access/file-roots.ts';
import type { Annotations } from './annotation-files.ts';
import { countedSplits, type FoundSplits } from './counted-splits.ts';
import { overruledWords } from './overruled-splits.ts';
import { splitsOfFolders } from './split-folders.ts';
import { findListedSplits } from './split-lists.ts';
import { splitsOfDataYaml } from './yaml-splits.ts';

export interface ToFind {
  /** What the call names, and the images that this stands for. */
  readonly patterns: readonly string[];
  readonly paths: readonly string[];
  readonly annotations: Annotations | undefined;
}

/** Undefined where nothing says a split. Throws `invalid_input` for a list that cannot be read. */
export async function findSplits(
  { patterns, paths, annotations }: ToFind,
  files: FileRoots,
  signal: AbortSignal,
): Promise<Pick<FoundSplits, 'splitOf' | 'words'> | undefined> {
  const voc = await findListedSplits(paths, files, 'voc');
  const folders = voc === undefined ? splitsOfFolders(paths) : undefined;
  const first =
    voc ??
    folders ??
    (await findListedSplits(paths, files, 'darknet')) ??
    splitsOfDocuments(paths, annotations);
  const open = paths.filter((path) => first?.splitOf(path) === undefined);
  const rest =
    open.length === 0
      ? undefined
      : await splitsOfDataYaml({ patterns, paths, open }, files, signal);
  if (first === undefined && rest === undefined) return undefined;
  const { words, restWords } = rest ?? { words: '', restWords: '' };
  const overruled =
    folders === undefined
      ? ''
      : await overruledWords({ patterns, paths }, folders.splitOf, files, signal);
  return {
    splitOf: (path) => first?.splitOf(path) ?? rest?.splitOf(path),
    words:
      (first?.words ?? '') +
      overruled +
      words +
      (restWords || (words === '' ? (first?.restWords ?? '') : '')),
  };
}

/** Of images in `instances_val.json` it is valid. */
function splitsOfDocuments(
  paths: readonly string[],
  annotations: Annotations | undefined,
): FoundSplits | undefined {
  if (annotations === undefined) return undefined;
  return countedSplits(paths, annotations.splitOf, 'their annotation files are called');
}
