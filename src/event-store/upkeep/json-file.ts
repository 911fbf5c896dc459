// Small JSON files of the data folder, each replaced as a whole.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode } from '../../errors.ts';
import { syncFolder } from '../../folder-sync.ts';
import { membersOf } from '../../json-object.ts';

/** Undefined when there is none; `{}` stands for one that is no object. Throws SyntaxError. */
export async function readMembers(
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return membersOf(JSON.parse(await readFile(path, 'utf8')));
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** It is on the disk when this resolves. */
export async function replaceJson(path: string, value: unknown): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, JSON.stringify(value), { mode: 0o600, flush: true });
  await rename(draft, path);
  await syncFolder(dirname(path));
}
