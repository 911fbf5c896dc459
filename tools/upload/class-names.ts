// Class names by number, as YOLO files need them: a names file, or the data.yaml of a dataset.

import { basename, dirname, extname, join } from 'node:path';
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
  /** Undefined: there are several files for them, and which one counts is not clear. */
  readonly labelmap: Labelmap | undefined;
  /** The files that have them. */
  readonly paths: readonly string[];
}

/**
 * The classes of the nearest file for them in the folder of YOLO labels or above it, as datasets
 * have it, else of the only one below. Undefined: there is none that can be read below the file
 * roots.
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
      if (labelmap !== undefined) return { labelmap, paths: [path] };
    }
    folder = dirname(folder);
  }
  return namesBelow(files, labels, argument, signal);
}

async function namesBelow(
  files: FileRoots,
  labels: string,
  argument: string,
  signal: AbortSignal,
): Promise<FoundNames | undefined> {
  const extensions = namesFiles.map((name) => extname(name));
  const others = await files.expand([labels], argument, { extensions }).catch(() => []);
  const found: { readonly labelmap: Labelmap; readonly path: string }[] = [];
  for (const path of others.filter((other) => namesFiles.includes(basename(other)))) {
    const labelmap = await readClassNames(files, path, argument, signal).catch(() => undefined);
    signal.throwIfAborted();
    if (labelmap !== undefined) found.push({ labelmap, path });
    if (found.length === namesFilesBelowMax) break;
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const isSame = new Set(found.map(({ labelmap }) => JSON.stringify(labelmap))).size === 1;
  return { labelmap: isSame ? first.labelmap : undefined, paths: found.map(({ path }) => path) };
}

/** As many as are worth reading: a dataset has one, or one for each split. */
const namesFilesBelowMax = 10;

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
