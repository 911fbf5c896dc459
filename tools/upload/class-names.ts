// Class names by number, as YOLO files need them: a names file, or the data.yaml of a dataset.

import { extname } from 'node:path';
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
