// Opens files by the real paths that the file roots returned. Such a path has no symbolic links: if
// one was put into it since, nothing is read or written.

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { type FileHandle, lstat, open, realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FoveaError } from '../errors.ts';

/** Windows has neither. Without the second, a pipe would be waited for. */
const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file for reading. Throws `conflict` if a part of its path was replaced by a link, and
 * what `open` throws.
 */
export async function openRealFile(real: string): Promise<FileHandle> {
  const handle = await open(real, constants.O_RDONLY | noFollow).catch((cause) => {
    throw isLink(cause) ? swapped(cause) : cause;
  });
  return kept(handle, real);
}

/**
 * The bytes of a file, for a thread that serves nobody else. Throws as `openRealFile`, and
 * `too_large` for more than `bytesMax`.
 */
export function readRealFileNow(real: string, bytesMax: number): Uint8Array {
  const descriptor = openSync(real, constants.O_RDONLY | noFollow);
  try {
    const opened = fstatSync(descriptor, { bigint: true });
    const isThere = isSame(opened, lstatSync(real, { bigint: true }));
    if (!isThere || realpathSync.native(real) !== real) throw swapped();
    if (opened.size > bytesMax) throw new FoveaError('too_large', 'The file is too large.');
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a new file, likewise. It is removed again if its folder was replaced. */
export async function createRealFile(real: string): Promise<FileHandle> {
  const handle = await open(real, 'wx');
  return kept(handle, real).catch(async (thrown) => {
    await rm(real, { force: true });
    throw thrown;
  });
}

/** Throws `conflict` unless the folder of a real path is still there, without a link. */
export async function checkRealFolder(real: string): Promise<void> {
  const folder = dirname(real);
  const found = await realpath(folder).catch(() => undefined);
  if (found !== folder) throw swapped();
}

/** The handle, if the path still leads to what it is open on, and to a plain file. */
async function kept(handle: FileHandle, real: string): Promise<FileHandle> {
  try {
    const opened = await handle.stat({ bigint: true });
    const there = await lstat(real, { bigint: true });
    // By parts: a folder of the path may lead away, and the file in it be a plain one.
    if (isSame(opened, there) && (await realpath(real)) === real) return handle;
    throw swapped();
  } catch (thrown) {
    await handle.close();
    throw thrown instanceof FoveaError ? thrown : swapped(thrown);
  }
}

function isSame(opened: BigIntStats, there: BigIntStats): boolean {
  return opened.dev === there.dev && opened.ino === there.ino && opened.isFile();
}

/** What opening a link without following it gives: ELOOP, on FreeBSD EMLINK. */
function isLink(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && /^(ELOOP|EMLINK)$/.test(String(cause.code));
}

function swapped(cause?: unknown): FoveaError {
  return new FoveaError('conflict', 'The file, or a folder of its path, was replaced meanwhile.', {
    hint: 'Nothing was read or written through a link. Try again when nothing changes the path.',
    ...(cause !== undefined && { cause }),
  });
}
