// Files under ids that their owner chooses: the interface of every file store, and the one on a
// local folder, which writes and syncs a file apart and then moves it to its place.

import { existsSync } from 'node:fs';
import {
  mkdir,
  open,
  opendir,
  readdir,
  readFile,
  rename,
  rmdir,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { createSharedSync, makeFolder, syncFolder } from '../durable-folders.ts';
import { FoveaError, notFound, systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { diskError, onDisk, WatchedSource } from './disk-errors.ts';
import { writeSynced } from './write-synced-file.ts';

export interface WrittenFile {
  /** Bytes of the content. */
  readonly bytes: number;
  /** Bytes that the file takes on the disk. */
  readonly diskBytes: number;
}

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Files under ids of letters, digits and hyphens. Several processes may use one store. Methods that
 * read throw `not_found` when there is no such file.
 */
export interface FileStore {
  /**
   * Keeps content under a new id; it is on the disk when this resolves, and nothing of it is there
   * when this throws: what the source throws, `full`, or `internal` for a disk that fails.
   */
  write(id: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /** The content, or a part of it, piece by piece; reading begins at the start of the range. */
  open(id: string, range?: ByteRange): Promise<Readable>;
  read(id: string): Promise<Uint8Array>;
  size(id: string): Promise<number>;
  /** Removes files; those that are not there are passed over. */
  remove(ids: readonly string[]): Promise<void>;
  /** Ids of all files. */
  ids(): AsyncIterable<string>;
  /** Free bytes of the disk for this process. */
  freeBytes(): Promise<number>;
  /**
   * Removes what dead processes left half written; says how many. Without `beforeMs` only for a
   * process that is alone with the store: it takes what others are writing for left as well. With
   * it, only what nobody has written to since then (milliseconds since 1970).
   */
  clearUnfinished(beforeMs?: number): Promise<number>;
}

export interface FileFolderOptions {
  /** The folder was used before: without its marker, the disk that it lies on is not mounted. */
  readonly expected?: boolean;
}

/**
 * A file store on a folder, made where there is none: `01934/01934abc/01934abc-…` for content, by
 * the time in the ids, so that a folder has the files of about a minute; `incoming/` for what is
 * being written. Throws `internal` when the folder cannot be used, or is expected and not there;
 * nothing is changed then.
 */
export async function openFileFolder(
  folder: string,
  { expected = false }: FileFolderOptions = {},
): Promise<FileStore> {
  const marker = join(folder, markerName);
  const isKnown = existsSync(marker);
  if (expected && !isKnown) {
    throw new FoveaError(
      'internal',
      'The folder of the files is not there, or not the right one.',
      {
        hint: 'Mount the disk that it lies on.',
      },
    );
  }
  try {
    makeFolder(join(folder, incomingName));
    if (!isKnown) await writeMarker(marker);
  } catch (thrown) {
    throw diskError(thrown);
  }
  return new FileFolder(folder);
}

const markerName = '.fovea-files';
const incomingName = 'incoming';

async function writeMarker(path: string): Promise<void> {
  const text = 'This folder belongs to Fovea. Files in it have rows in its database.\n';
  try {
    await writeSynced(path, Buffer.from(text));
  } catch (thrown) {
    // Another process that starts at this moment has written it.
    if (systemErrorCode(thrown) !== 'EEXIST') throw thrown;
  }
  await syncFolder(dirname(path));
  await syncFolder(dirname(dirname(path)));
}

class FileFolder implements FileStore {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #sync: (folder: string) => Promise<void>;
  /** Folders that this process has synced, each with its identity at that time. */
  readonly #durable = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#incoming = join(folder, incomingName);
    this.#sync = createSharedSync((place) => this.#syncPlace(place));
  }

  async write(id: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    if (!isId(id)) throw new FoveaError('internal', 'A file was given an invalid id.');
    const draft = join(this.#incoming, id);
    const source = new WatchedSource();
    let isWritten = false;
    try {
      const pieces = content instanceof Uint8Array ? content : source.watched(content);
      const bytes = await writeSynced(draft, pieces);
      isWritten = true;
      await this.#place(draft, id);
      const { blocks } = await stat(this.#path(id));
      return { bytes, diskBytes: blocks * blockBytes };
    } catch (thrown) {
      // A file that cannot be removed is left to a sweep; the first error is the one to report.
      await unlinkIfThere(draft).catch(() => {});
      if (isWritten) await this.remove([id]).catch(() => {});
      throw source.hasFailed ? thrown : diskError(thrown);
    }
  }

  async open(id: string, range?: ByteRange): Promise<Readable> {
    const file = await this.#find(id, (path) => open(path, 'r'));
    return file.createReadStream({ ...range, highWaterMark: limits.fileReadBytes });
  }

  read(id: string): Promise<Uint8Array> {
    return this.#find(id, (path) => readFile(path));
  }

  async size(id: string): Promise<number> {
    const { size } = await this.#find(id, (path) => stat(path));
    return size;
  }

  async remove(ids: readonly string[]): Promise<void> {
    const known = ids.filter(isId);
    for (const id of known) await onDisk(unlinkIfThere(this.#path(id)));
    for (const place of new Set(known.map((id) => dirname(this.#path(id))))) {
      if (await removeEmpty(place)) await removeEmpty(dirname(place));
    }
  }

  async *ids(): AsyncGenerator<string> {
    for await (const upper of entriesOf(this.#folder)) {
      if (upper.length !== upperLength) continue;
      for await (const place of entriesOf(join(this.#folder, upper))) {
        for await (const id of entriesOf(join(this.#folder, upper, place))) {
          if (isId(id) && id.startsWith(place) && place.length === placeLength) yield id;
        }
      }
    }
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await onDisk(statfs(this.#folder));
    return bavail * bsize;
  }

  async clearUnfinished(beforeMs = Number.POSITIVE_INFINITY): Promise<number> {
    let removed = 0;
    for (const name of await onDisk(readdir(this.#incoming))) {
      const path = join(this.#incoming, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || found.mtimeMs >= beforeMs) continue;
      await onDisk(unlinkIfThere(path));
      removed += 1;
    }
    return removed;
  }

  /** Moves a draft to its place. Others may remove that folder and the one above while empty. */
  async #place(draft: string, id: string): Promise<void> {
    const path = this.#path(id);
    const place = dirname(path);
    for (let attempt = 1; !(await isMoved(draft, path)); attempt += 1) {
      if (attempt > placeAttemptsMax) throw new Error('the folder of a new file is not there');
      await makePlace(place);
    }
    await this.#sync(place);
  }

  /**
   * Makes the entries of a folder survive a power cut, and those above it that lead there: unless
   * it is the same folder for which this was done before, and not one made anew in its place.
   */
  async #syncPlace(place: string): Promise<void> {
    const { ino, birthtimeNs } = await stat(place, { bigint: true });
    const identity = `${ino} ${birthtimeNs}`;
    await syncFolder(place);
    if (this.#durable.get(place) === identity) return;
    await syncFolder(dirname(place));
    await syncFolder(this.#folder);
    if (this.#durable.size >= durablePlacesMax) this.#durable.clear();
    this.#durable.set(place, identity);
  }

  async #find<T>(id: string, read: (path: string) => Promise<T>): Promise<T> {
    if (!isId(id)) throw notFound('file', id);
    try {
      return await read(this.#path(id));
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'ENOENT') throw notFound('file', id);
      throw diskError(thrown);
    }
  }

  /** The first 32 bits of a UUID of version 7 count units of 65 seconds, the first 20 of 3 days. */
  #path(id: string): string {
    return join(this.#folder, id.slice(0, upperLength), id.slice(0, placeLength), id);
  }
}

/** The unit of `stat` on every system. */
const blockBytes = 512;

const upperLength = 5;
const placeLength = 8;

/** A race for an empty folder is not lost so often. */
const placeAttemptsMax = 20;

/** Few folders get files at the same time; older ones are not needed any more. */
const durablePlacesMax = 100;

function isId(id: string): boolean {
  return /^[0-9a-z]{8}[0-9a-z-]{1,100}$/i.test(id);
}

/** Moves a file; false where the folder that it goes to is not there. */
async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

/** Unless the folder above it goes at that moment. */
async function makePlace(place: string): Promise<void> {
  try {
    await mkdir(place, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
  }
}

/** The names in a folder, which may have gone since. */
async function* entriesOf(folder: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(folder)) yield name;
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw diskError(thrown);
  }
}

/** Whether it was empty, and is gone. */
async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch (thrown) {
    const code = systemErrorCode(thrown);
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOENT') return false;
    throw diskError(thrown);
  }
}
