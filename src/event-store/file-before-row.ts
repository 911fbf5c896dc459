// The order of every write: files first, then the row that makes them visible.

import { FoveaError } from '../errors.ts';
import type { Parts } from './parts.ts';

type WriteParts = Pick<Parts, 'files' | 'capacity'>;

/**
 * Writes a row whose files are on the disk already. Where that fails the files go; only where the
 * store cannot say whether the row will be there, they stay: a sweep removes those that are strays.
 */
export async function writeRow<Result>(
  { files, capacity }: WriteParts,
  fileIds: readonly string[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await noticingFullDisk(capacity, write);
  } catch (thrown) {
    const isCertain = thrown instanceof FoveaError && thrown.code !== 'internal';
    if (isCertain) await files.remove(fileIds).catch(() => {});
    throw thrown;
  }
}

/** A write that meets a full disk lets cleanup begin. */
export async function noticingFullDisk<Result>(
  capacity: Parts['capacity'],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof FoveaError && thrown.code === 'full') capacity.diskWasFull();
    throw thrown;
  }
}
