// Every write stores files first, then the row that makes them visible.

import { FoveaError } from '../errors.ts';
import type { EventStoreDependencies } from './dependencies.ts';

type WriteDependencies = Pick<EventStoreDependencies, 'files' | 'admission'>;

/**
 * Writes a row whose files are on the disk already. Removes the files when the write failed, but
 * keeps them when its outcome is unknown: the orphan sweep removes them later if need be.
 */
export async function writeRowAfterFiles<Result>(
  { files, admission }: WriteDependencies,
  fileIds: readonly string[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await reportingFullDisk(admission, write);
  } catch (thrown) {
    const isCertain = thrown instanceof FoveaError && thrown.code !== 'internal';
    if (isCertain) await files.remove(fileIds).catch(() => {});
    throw thrown;
  }
}

/** Runs a write and starts an eviction when it met a full disk. */
export async function reportingFullDisk<Result>(
  admission: EventStoreDependencies['admission'],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof FoveaError && thrown.code === 'full') admission.diskWasFull();
    throw thrown;
  }
}
