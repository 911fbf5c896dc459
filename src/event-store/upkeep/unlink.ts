// Removes files one by one where one of them cannot be removed.

import type { FileStore } from '../../storage/file-store.ts';

/** Removes what it can; gives the ids of files that could not be removed. */
export async function removeEach(
  files: FileStore,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  try {
    await files.remove(ids);
  } catch {
    for (const id of ids) await files.remove([id]).catch(() => failed.add(id));
  }
  return failed;
}
