// ONNX files on this machine: read whole, with the names of classes that lie beside them.

import { readFile, stat } from 'node:fs/promises';
import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import type { ModelFile } from './loaded-models.ts';
import { type ClassNames, readNameLines } from './model-class-names.ts';

/**
 * A file that somebody named; read anew once it changes. Throws `not_found` where there is none,
 * `invalid_input` for one that is too large.
 */
export async function openModelFile(path: string): Promise<ModelFile> {
  const facts = await stat(path).catch((cause) => {
    throw new FoveaError('not_found', 'The model file cannot be read.', {
      hint: 'Let FOVEA_MODEL name an ONNX file that is there.',
      cause,
    });
  });
  if (!facts.isFile()) throw invalidArgument('model', 'is no file');
  checkModelBytes(facts.size);
  const classes = await namesBeside(path);
  return {
    key: `file:${path}:${facts.size}:${facts.mtimeMs}:${JSON.stringify(classes)}`,
    classes,
    read: async () => new Uint8Array(await readFile(path)),
  };
}

/** Throws `invalid_input` for a model of too many bytes, and for none. */
export function checkModelBytes(bytes: number): void {
  if (bytes === 0) throw invalidArgument('model', 'is empty');
  if (bytes <= limits.modelBytesMax) return;
  throw invalidArgument(
    'model',
    `has ${bytes} bytes; at most ${limits.modelBytesMax} are accepted`,
  );
}

/** `cells.names` or `cells.txt` beside `cells.onnx`. */
async function namesBeside(path: string): Promise<ClassNames | undefined> {
  const stem = path.replace(/\.onnx$/i, '');
  for (const extension of ['.names', '.txt']) {
    const text = await readNames(`${stem}${extension}`);
    const names = text === undefined ? undefined : readNameLines(text);
    if (names !== undefined) return names;
  }
  return undefined;
}

async function readNames(path: string): Promise<string | undefined> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isFile() || facts.size > limits.nameListBytesMax) return undefined;
  return readFile(path, 'utf8').catch(() => undefined);
}
