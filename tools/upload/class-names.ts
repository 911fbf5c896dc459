// Class names by number, as YOLO files need them: a names file, or the data.yaml of a dataset.

import { extname } from 'node:path';
import type { FileRoots } from '../../src/boundary/file-roots.ts';
import { invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { fileAt } from '../words.ts';
import { readText } from './read-text.ts';

export type Labelmap = Readonly<Record<string, string>>;

/**
 * The classes of a file with one name per line, or of a YAML file with `names` as a list or as a
 * map. Throws `invalid_input` naming `argument` when there are none.
 */
export async function readClassNames(
  files: FileRoots,
  path: string,
  argument: string,
): Promise<Labelmap> {
  const real = await files.readable(path, argument);
  const isYaml = ['.yaml', '.yml'].includes(extname(real).toLowerCase());
  const bytesMax = isYaml ? limits.yamlBytesMax : limits.nameListBytesMax;
  const text = await readText(real, argument, bytesMax);
  const refusal = (problem: string) => invalidArgument(argument, `${fileAt(path)} ${problem}`);
  const { namesOfDataYaml, namesOfLines } = await import('../../src/contract/class-list.ts');
  const names = isYaml ? namesOfDataYaml(text, refusal) : namesOfLines(text);
  const labelmap = Object.fromEntries(Object.entries(names));
  if (Object.keys(labelmap).length > 0) return labelmap;
  const right = isYaml
    ? 'a key "names" with a list of names, or with a map from numbers to names'
    : 'one class name per line';
  throw refusal(`has no class names; expected ${right}`);
}
