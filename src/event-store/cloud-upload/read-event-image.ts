// Reads an image for upload, and tells a lost file from an unavailable disk.

import { asFoveaError, FoveaError, systemErrorCode } from '../../errors.ts';
import type { FileStore } from '../../storage/file-store.ts';

/** Undefined: the file is lost. Throws `internal` when the whole disk is unavailable or busy. */
export async function readImage(files: FileStore, id: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(id);
  } catch (thrown) {
    if (!(await isOfFile(files, id, thrown))) throw unreadable(thrown);
  }
  try {
    // The disk may have come back in between, so only a second failure counts.
    return await files.read(id);
  } catch (thrown) {
    if (await isOfFile(files, id, thrown)) return undefined;
    throw unreadable(thrown);
  }
}

/** Whether the failure is about this file alone. */
async function isOfFile(files: FileStore, id: string, thrown: unknown): Promise<boolean> {
  const code = codeOf(thrown);
  if (code === undefined || codesOfProcess.has(code)) return false;
  try {
    return await (codesOfFile.has(code) ? hasFiles(files) : hasReadable(files, id));
  } catch {
    return false;
  }
}

/** Too many open files or no memory: unrelated to the file. */
const codesOfProcess: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** As long as the folder has any file, these codes are about this file. */
const codesOfFile: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'EUCLEAN',
  'EBADMSG',
  'EISDIR',
  'ELOOP',
]);

async function hasFiles(files: FileStore): Promise<boolean> {
  for await (const _ of files.ids()) return true;
  return false;
}

/** Whether another file can be read, or no other exists; on a failed disk none can. */
async function hasReadable(files: FileStore, except: string): Promise<boolean> {
  let tried = 0;
  for await (const id of files.ids()) {
    if (id === except) continue;
    if (await isReadable(files, id)) return true;
    tried += 1;
    if (tried >= triesMax) return false;
  }
  return tried === 0;
}

async function isReadable(files: FileStore, id: string): Promise<boolean> {
  try {
    for await (const _ of await files.open(id, { start: 0, end: 0 })) return true;
    return false;
  } catch {
    return false;
  }
}

/** After so many unreadable files the disk is considered failed. */
const triesMax = 100;

function codeOf(thrown: unknown): unknown {
  const { code, cause } = asFoveaError(thrown);
  return code === 'not_found' ? 'ENOENT' : systemErrorCode(cause);
}

function unreadable(cause: unknown): FoveaError {
  const message = 'The images of events cannot be read from the disk now.';
  return new FoveaError('internal', message, { cause });
}
