// The splits of the images of an upload that gives none: by lists, by folders, by the annotation
// files that are about them, or by a data.yaml, whichever says something first.

import type { FileRoots } from '../../src/file-access/file-roots.ts';
import type { Annotations } from './annotation-files.ts';
import { countedSplits, type FoundSplits } from './counted-splits.ts';
import { splitsOfFolders } from './split-folders.ts';
import { findListedSplits } from './split-lists.ts';
import { splitsOfDataYaml } from './yaml-splits.ts';

/** Undefined where nothing says a split. Throws `invalid_input` for a list that cannot be read. */
export async function findSplits(
  paths: readonly string[],
  files: FileRoots,
  annotations: Annotations | undefined,
): Promise<FoundSplits | undefined> {
  return (
    (await findListedSplits(paths, files, 'voc')) ??
    splitsOfFolders(paths) ??
    (await findListedSplits(paths, files, 'darknet')) ??
    splitsOfDocuments(paths, annotations) ??
    (await splitsOfDataYaml(paths, files))
  );
}

/** Of images in `instances_val.json` it is valid. */
function splitsOfDocuments(
  paths: readonly string[],
  annotations: Annotations | undefined,
): FoundSplits | undefined {
  if (annotations === undefined) return undefined;
  return countedSplits(paths, annotations.splitOf, 'their annotation files are called');
}
