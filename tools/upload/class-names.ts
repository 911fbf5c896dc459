// Class names by number, as YOLO files need them: a names file, or the data.yaml of a dataset.

import { dirname, extname, join } from 'node:path';
import { invalidArgument } from '../../src/errors.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import { limits } from '../../src/limits.ts';
import { fileAt } from '../format.ts';
import type { Labelmap } from './file-messages.ts';
import { readText } from './read-text.ts';

/**
 * The classes of a file with one name per line, or of a YAML file with `names` as a list or a map.
 * Throws `invalid_input` naming `argument` for a file without names or with errors.
 */
export async function readClassNames(
  files: FileRoots,
  path: string,
  argument: string,
  signal: AbortSignal,
): Promise<Labelmap> {
  const real = await files.readable(path, argument);
  const isYaml = ['.yaml', '.yml'].includes(extname(real).toLowerCase());
  const bytesMax = isYaml ? limits.yamlBytesMax : limits.nameListBytesMax;
  const text = await readText(real, argument, bytesMax);
  const refusal = (problem: string) => invalidArgument(argument, `${fileAt(path)} ${problem}`);
  const labelmap = isYaml ? await ofYaml(path, text, argument, signal) : await ofLines(text);
  if (Object.keys(labelmap).length > 0) return labelmap;
  const right = isYaml
    ? 'a key "names" with a list of names, or with a map from numbers to names'
    : 'one class name per line';
  throw refusal(`has no class names; expected ${right}`);
}

export interface FoundNames {
  readonly labelmap: Labelmap;
  /** The file that has them. */
  readonly path: string;
}

/**
 * The classes of the nearest file for them in the folder of YOLO labels or above it, as datasets
 * have it. Undefined: there is none that can be read below the file roots.
 */
export async function findClassNames(
  files: FileRoots,
  labels: string,
  argument: string,
  signal: AbortSignal,
): Promise<FoundNames | undefined> {
  let folder = await files.readable(labels, argument);
  for (let level = 0; level < limits.classNamesLevelsMax; level += 1) {
    for (const name of namesFiles) {
      const path = join(folder, name);
      const labelmap = await readClassNames(files, path, argument, signal).catch(() => undefined);
      signal.throwIfAborted();
      if (labelmap !== undefined) return { labelmap, path };
    }
    folder = dirname(folder);
  }
  return undefined;
}

/** A data.yaml is written for training; a classes.txt may be what a drawing tool left behind. */
const namesFiles = ['data.yaml', 'data.yml', 'obj.names', 'classes.txt'];

async function ofLines(text: string): Promise<Labelmap> {
  const { classNamesOfLines } = await import('../../src/contract/yolo-class-names.ts');
  return Object.fromEntries(Object.entries(classNamesOfLines(text)));
}

/** A small file can take its parser minutes. */
async function ofYaml(
  path: string,
  text: string,
  argument: string,
  signal: AbortSignal,
): Promise<Labelmap> {
  const { openFileThread } = await import('./file-thread.ts');
  const thread = await openFileThread(argument, signal);
  try {
    return await thread.classNames(path, text);
  } finally {
    thread.close();
  }
}
