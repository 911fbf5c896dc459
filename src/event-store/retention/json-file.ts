// Small JSON files of the data folder, each replaced atomically.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../durable-folders.ts';
import { systemErrorCode } from '../../errors.ts';
import { type JsonObject, membersOf } from '../../json-object.ts';

/** Undefined when the file is missing; `{}` when it holds no object. Throws SyntaxError. */
export async function readJsonObject(path: string): Promise<JsonObject | undefined> {
  try {
    return membersOf(JSON.parse(await readFile(path, 'utf8')));
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** The file is on the disk when this resolves. */
export async function replaceJsonFile(path: string, value: unknown): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, JSON.stringify(value), { mode: 0o600, flush: true });
  await rename(draft, path);
  await syncFolder(dirname(path));
}
