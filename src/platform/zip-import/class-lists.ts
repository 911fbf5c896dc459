// Class names for YOLO files: from the nearest class list in the archive.

import type { Labelmap } from '../../annotation-formats/annotation-file.ts';
import { baseName, extensionOf, foldersOf } from '../../annotation-formats/path-hints.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { quotedName } from '../../quoted-name.ts';

export interface ClassList {
  readonly path: string;
  readonly labelmap: Labelmap;
}

/** The class names for a YOLO file; undefined where the archive has none for it. */
export type FindLabelmap = (path: string) => Labelmap | undefined;

/** The names of a list; undefined where it has none. Throws `too_large` for too many. */
export async function readClassList(path: string, text: string): Promise<Labelmap | undefined> {
  const { classNamesOfDataYaml, classNamesOfLines } = await import(
    '../../contract/yolo-class-names.ts'
  );
  const isYaml = ['yaml', 'yml'].includes(extensionOf(path));
  const names = isYaml ? namesOfYaml(classNamesOfDataYaml, text) : classNamesOfLines(text);
  const entries = Object.entries(names);
  if (entries.length > limits.zipClassNamesMax) {
    throw new FoveaError('too_large', `has more than ${limits.zipClassNamesMax} class names`);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

type ReadYaml = typeof import('../../contract/yolo-class-names.ts').classNamesOfDataYaml;

/** Archives have other YAML too: what is not about classes is no failure. */
function namesOfYaml(read: ReadYaml, text: string): ReturnType<ReadYaml> {
  try {
    return read(text, (problem) => new Error(problem));
  } catch {
    return [];
  }
}

/**
 * A list applies to its folder and all folders below. A file without such a list takes the only
 * list of the archive; several lists apply only if they are equal.
 */
export function findLabelmaps(lists: readonly ClassList[]): FindLabelmap {
  const sorted = lists.toSorted((a, b) => rank(a) - rank(b));
  const isSame = new Set(sorted.map(({ labelmap }) => JSON.stringify(labelmap))).size === 1;
  const elsewhere = isSame ? sorted[0]?.labelmap : undefined;
  const byFolder = new Map<string, Labelmap>();
  for (const { path, labelmap } of sorted) {
    const folder = foldersOf(path).join('/');
    if (!byFolder.has(folder)) byFolder.set(folder, labelmap);
  }
  return (path) => {
    const folders = foldersOf(path);
    for (let depth = folders.length; depth >= 0; depth -= 1) {
      const labelmap = byFolder.get(folders.slice(0, depth).join('/'));
      if (labelmap !== undefined) return labelmap;
    }
    return elsewhere;
  };
}

const noClassNames = 'there are no class names for it: a data.yaml, a .names file or a classes.txt';

/** What to say of a YOLO file for which there are none. */
export function whyNoClassNames(lists: readonly ClassList[]): string {
  if (lists.length < 2) return noClassNames;
  const shown = lists.slice(0, 3).map(({ path }) => quotedName(path));
  const more = lists.length > shown.length ? ` and ${lists.length - shown.length} more` : '';
  const files = `${lists.length} files of other class names each (${shown.join(', ')}${more})`;
  return `there are ${files}, none in its folder or above`;
}

/** A data.yaml is written for training; a classes.txt may be what a drawing tool left behind. */
function rank({ path }: ClassList): number {
  const extension = extensionOf(path);
  if (extension === 'yaml' || extension === 'yml') return 0;
  if (extension === 'names' || extension === 'labels') return 1;
  return baseName(path).toLowerCase() === 'classes.txt' ? 2 : 3;
}
