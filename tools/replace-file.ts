// Writes a file whole or not at all, below the file roots or in a folder of ours.

import { randomUUID } from 'node:crypto';
import { type FileHandle, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { checkRealFolder, createRealFile } from '../src/file-access/open-real-file.ts';

/** Puts what `write` writes in place of the file that is there, once it is complete. */
export async function replaceFile<Result>(
  path: string,
  write: (handle: FileHandle) => Promise<Result>,
): Promise<Result> {
  const fresh = join(dirname(path), `.${basename(path)}.${randomUUID()}.new`);
  try {
    const handle = await createRealFile(fresh);
    let result: Result;
    try {
      result = await write(handle);
    } finally {
      await handle.close();
    }
    await checkRealFolder(path);
    await rename(fresh, path);
    return result;
  } finally {
    await rm(fresh, { force: true });
  }
}
