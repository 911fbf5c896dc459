// Small files that only their owner can read, replaced atomically.

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { syncFolder } from '../durable-folders.ts';
import { FoveaError, systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';

/** What such files are written with. */
export interface PrivateFiles {
  readonly log: Log;
  readonly clock: Clock;
}

/**
 * All of a file; undefined where there is none. One that others can read is made private again,
 * and that is logged. Throws `internal` for a link, for what belongs to somebody else, and for
 * what cannot be read.
 */
export async function readPrivateFile(
  path: string,
  { log }: PrivateFiles,
): Promise<Buffer | undefined> {
  const handle = await openPrivate(path);
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat();
    if (!found.isFile() || !isOurs(found.uid) || found.size > limits.sealedFileBytesMax) {
      throw strange(path, 'is not one that Fovea wrote');
    }
    if (hasModes && (found.mode & 0o077) !== 0) {
      await handle.chmod(0o600);
      log.warn('a file of the sign-in could be read by others, and is private again', {
        file: basename(path),
      });
    }
    return await handle.readFile();
  } catch (thrown) {
    throw thrown instanceof FoveaError ? thrown : failed(path, 'read', thrown);
  } finally {
    await handle.close();
  }
}

/** Replaces the file atomically. Throws `internal`, or `full`. */
export async function replacePrivateFile(
  path: string,
  content: Uint8Array,
  files: PrivateFiles,
): Promise<void> {
  await withDraft(path, content, files, (draft) => renamePatiently(draft, path));
}

/** False, and nothing is written, if the file exists: another process was first. */
export async function createPrivateFile(
  path: string,
  content: Uint8Array,
  files: PrivateFiles,
): Promise<boolean> {
  return withDraft(path, content, files, async (draft) => {
    try {
      await link(draft, path);
      return true;
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'EEXIST') return false;
      throw thrown;
    }
  });
}

/** A second call does nothing. */
export async function removePrivateFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (thrown) {
    throw failed(path, 'removed', thrown);
  }
}

/** Makes the folder, and makes it private. */
async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!hasModes) return;
  const handle = await open(folder, constants.O_RDONLY | noFollow);
  try {
    const found = await handle.stat();
    if (!isOurs(found.uid)) throw strange(folder, 'belongs to somebody else');
    if ((found.mode & 0o077) !== 0) await handle.chmod(0o700);
  } finally {
    await handle.close();
  }
}

async function withDraft<T>(
  path: string,
  content: Uint8Array,
  { clock }: PrivateFiles,
  publish: (draft: string) => Promise<T>,
): Promise<T> {
  const folder = dirname(path);
  const draft = `${path}.${randomUUID()}${draftEnding}`;
  try {
    await makePrivateFolder(folder);
    await removeOldDrafts(folder, clock);
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const result = await publish(draft);
    await syncFolder(folder);
    return result;
  } catch (thrown) {
    throw thrown instanceof FoveaError ? thrown : failed(path, 'written', thrown);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

const draftEnding = '.draft';

/** Drafts left behind by killed processes; a draft that is being written is younger. */
async function removeOldDrafts(folder: string, clock: Clock): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(draftEnding)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || clock.now() - found.mtimeMs < limits.refreshWaitMsMax) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Windows refuses while another process has the old file open, which is never for long. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (thrown) {
      if (hasModes || attempt === 10) throw thrown;
      await wait(attempt * limits.refreshLockPollMs);
    }
  }
}

/** A link could make us read, or make private, a file that another user chose. */
async function openPrivate(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | noFollow | noWait);
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw strange(path, 'is a link');
    throw failed(path, 'read', thrown);
  }
}

function strange(path: string, what: string): FoveaError {
  return new FoveaError('internal', `${basename(path)} in the folder of the sign-in ${what}.`, {
    hint: 'Remove the folder "credentials" in FOVEA_HOME, and sign in again.',
  });
}

function failed(path: string, verb: string, thrown: unknown): FoveaError {
  const code = systemErrorCode(thrown);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const reason = typeof code === 'string' ? ` (${code})` : '';
  const what = `${basename(path)} in the folder of the sign-in cannot be ${verb}${reason}.`;
  return new FoveaError(isFull ? 'full' : 'internal', what, {
    hint: 'Check that the folder "credentials" in FOVEA_HOME can be written.',
    cause: thrown,
  });
}

function isOurs(owner: number): boolean {
  const user = process.getuid?.();
  return user === undefined || owner === user;
}

/** Windows has neither modes nor folders that can be opened. */
const hasModes = process.platform !== 'win32';
const noFollow = hasModes ? constants.O_NOFOLLOW : 0;
/** A pipe in the place of a file would be waited for without end. */
const noWait = hasModes ? constants.O_NONBLOCK : 0;
