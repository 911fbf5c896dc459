// Bytes by their SHA-256: the interface of every blob store, and the one on a local folder.

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { createSharedSync, makeFolder, syncFolder } from '../durable-folders.ts';
import { FoveaError, notFound, systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import type { BlobFile } from './blob-file.ts';
import {
  ContentMeter,
  damaged,
  HashedBytes,
  hashLength,
  isHash,
  sha256,
  verified,
  verifiedAtOnce,
} from './content-hash.ts';
import type { ByteRange } from './file-store.ts';
import { SweepFailures, type SweepProblems } from './sweep-failures.ts';

/** What is kept of some content. */
export interface StoredBlob {
  /** SHA-256 of the content, 64 lower-case hex digits. */
  readonly hash: string;
  readonly bytes: number;
}

export interface SweepResult {
  readonly removed: number;
  readonly bytesRemoved: number;
  readonly kept: number;
  /** What is left to the next sweep; undefined: nothing failed. */
  readonly problems?: SweepProblems | undefined;
}

/** How a browser is to take what a link leads to. */
export interface LinkedAs {
  readonly contentType: string;
  /** A Content-Disposition header. */
  readonly disposition: string;
}

export type BlobContent = Uint8Array | HashedBytes | AsyncIterable<Uint8Array>;

/**
 * Immutable content under its hash. Several processes may use one store. A method that takes a
 * hash throws `not_found` when there is no such content.
 */
export interface BlobStore {
  /**
   * Keeps content; it is on the disk when this resolves. Content that is there already is not
   * written again, and counts as young once more; where it is damaged, it is replaced. Throws
   * `full` when the disk is.
   */
  put(content: BlobContent): Promise<StoredBlob>;
  /**
   * Keeps a finished file and takes it away: it is no longer at `path` when this resolves. `known`:
   * what it holds, where the caller has just written and synced it, for its owner only; else it is
   * read and synced.
   */
  putFile(path: string, known?: StoredBlob): Promise<StoredBlob>;
  /** The whole content, held against its hash. Throws `internal` when it is damaged. */
  get(hash: string): Promise<Uint8Array>;
  /**
   * The content piece by piece. The last piece comes only after the whole matched the hash; else
   * the stream fails with `internal`.
   */
  open(hash: string): Promise<Readable>;
  /** Where a thread of this machine may read it; undefined where it is kept elsewhere. */
  file(hash: string): BlobFile | undefined;
  /** A part of the content: no more is read, and so it is not held against the hash. */
  openRange(hash: string, range: ByteRange): Promise<Readable>;
  /**
   * A short-lived address at which anybody gets the content from where it is kept; undefined: it is
   * to be had from here alone.
   */
  link(hash: string, as: LinkedAs): Promise<string | undefined>;
  /** How many bytes the content has. */
  size(hash: string): Promise<number>;
  has(hash: string): Promise<boolean>;
  /**
   * Removes content that was last put at least `olderThanMs` ago and that nothing refers to.
   * Content that is put while a sweep runs stays.
   */
  sweep(
    isReferenced: (hash: string) => Promise<boolean> | boolean,
    olderThanMs: number,
  ): Promise<SweepResult>;
}

/**
 * A blob store on a folder, made where there is none: `ab/abcd…` for content, `incoming/` for
 * what is being written, `leaving/` for what a sweep is about to remove. Removes what dead
 * processes left half written. Content that an earlier Fovea put at `ab/cd/abcd…` stays there.
 */
export async function openBlobFolder(folder: string, clock: Clock): Promise<BlobStore> {
  const store = new BlobFolder(folder, clock);
  await store.tidy();
  return store;
}

class BlobFolder implements BlobStore {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #leaving: string;
  readonly #clock: Clock;
  /** Folders that this process has synced. */
  readonly #durableFolders = new Set<string>();
  readonly #sync = createSharedSync(syncFolder);

  constructor(folder: string, clock: Clock) {
    this.#folder = folder;
    this.#incoming = draftFolder(folder);
    this.#leaving = join(folder, 'leaving');
    this.#clock = clock;
  }

  async tidy(): Promise<void> {
    makeFolder(this.#incoming);
    makeFolder(this.#leaving);
    for (const name of await readdir(this.#leaving)) await this.#bringBack(name);
    const deadBeforeMs = this.#clock.now() - limits.blobUnfinishedMsMax;
    for (const name of await readdir(this.#incoming)) {
      const draft = join(this.#incoming, name);
      if (await isOlder(draft, deadBeforeMs)) await rm(draft, { force: true });
    }
  }

  async put(content: BlobContent): Promise<StoredBlob> {
    if (content instanceof Uint8Array) return this.#putBytes(new HashedBytes(content));
    if (content instanceof HashedBytes) return this.#putBytes(content);
    return this.#receive(async (draft) => {
      const meter = new ContentMeter();
      await writeSynced(draft, meter.through(content));
      return meter.measured();
    });
  }

  async #putBytes({ hash, bytes }: HashedBytes): Promise<StoredBlob> {
    const blob = { hash, bytes: bytes.byteLength };
    if (await this.#keepKnown(blob)) return blob;
    await this.#withDraft(async (draft) => {
      await writeSynced(draft, [bytes]);
      await this.#place(draft, hash);
    });
    return blob;
  }

  async putFile(path: string, known?: StoredBlob): Promise<StoredBlob> {
    if (known !== undefined && (await this.#keepFile(path, known))) return known;
    return this.#receive(async (draft) => {
      await moveFile(path, draft);
      await this.#makeYoung(draft);
      return syncAndHash(draft);
    });
  }

  /** False: it lies in another file system, from which it has to be copied. */
  async #keepFile(path: string, blob: StoredBlob): Promise<boolean> {
    try {
      if (await this.#keepKnown(blob)) await rm(path, { force: true });
      else await this.#place(path, blob.hash);
      return true;
    } catch (thrown) {
      if (systemErrorCode(thrown) === 'EXDEV') return false;
      throw diskError(thrown);
    }
  }

  async get(hash: string): Promise<Uint8Array> {
    const content = await this.#find(hash, (path) => readFile(path));
    if (sha256(content) !== hash) throw damaged(hash);
    return content;
  }

  async open(hash: string): Promise<Readable> {
    const file = await this.#find(hash, (path) => open(path, 'r'));
    const { size } = await file.stat();
    if (size > limits.blobReadAtOnceBytesMax) {
      return Readable.from(verified(file.createReadStream(), hash), { objectMode: false });
    }
    // A stream of a file takes as long as many small ones.
    const content = Buffer.allocUnsafeSlow(size);
    await file.read(content).finally(() => file.close());
    return Readable.from(verifiedAtOnce(content, hash), { objectMode: false });
  }

  file(hash: string): BlobFile {
    return { hash, paths: this.#places(hash) };
  }

  async openRange(hash: string, range: ByteRange): Promise<Readable> {
    const file = await this.#find(hash, (path) => open(path, 'r'));
    return file.createReadStream({ ...range });
  }

  async link(): Promise<undefined> {
    return undefined;
  }

  async size(hash: string): Promise<number> {
    const { size } = await this.#find(hash, (path) => stat(path));
    return size;
  }

  async has(hash: string): Promise<boolean> {
    try {
      await this.size(hash);
      return true;
    } catch (thrown) {
      if (thrown instanceof FoveaError && thrown.code === 'not_found') return false;
      throw thrown;
    }
  }

  async sweep(
    isReferenced: (hash: string) => Promise<boolean> | boolean,
    olderThanMs: number,
  ): Promise<SweepResult> {
    const result = { removed: 0, bytesRemoved: 0, kept: 0 };
    const youngFromMs = this.#clock.now() - olderThanMs;
    const failures = new SweepFailures();
    for await (const path of this.#paths()) {
      const hash = basename(path);
      const isWanted = !(await isOlder(path, youngFromMs)) || (await isReferenced(hash));
      const removing = () => this.#remove(path, youngFromMs);
      const bytes = isWanted ? undefined : await failures.trying(removing);
      if (bytes === undefined) result.kept += 1;
      else result.removed += 1;
      result.bytesRemoved += bytes ?? 0;
    }
    return { ...result, problems: failures.told() };
  }

  /**
   * Content may be put, and so become young, between our last look and its removal. So it first
   * leaves its place, where no later put finds it any more, and comes back if it is young now.
   * Returns the bytes removed; undefined when it stays.
   */
  async #remove(path: string, youngFromMs: number): Promise<number | undefined> {
    const name = `${basename(path)}.${randomUUID()}`;
    const leaving = join(this.#leaving, name);
    try {
      await rename(path, leaving);
      const { size, mtimeMs } = await stat(leaving);
      if (mtimeMs <= youngFromMs) {
        await rm(leaving);
        return size;
      }
      await this.#bringBack(name);
    } catch (thrown) {
      // Another process swept it, or brought it back when it started.
      if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
    }
    return undefined;
  }

  /** Brings back, as young, what a sweep took out of its place. */
  async #bringBack(name: string): Promise<void> {
    const hash = name.slice(0, hashLength);
    if (!isHash(hash)) return;
    const path = this.#path(hash);
    const leaving = join(this.#leaving, name);
    await this.#ensureFolder(dirname(path));
    try {
      await this.#makeYoung(leaving);
      await rename(leaving, path);
    } catch (thrown) {
      if (systemErrorCode(thrown) !== 'ENOENT') throw thrown;
    }
    await this.#sync(dirname(path));
  }

  /** Fills a draft, and gives it its place under the hash of what it holds. */
  #receive(fill: (draft: string) => Promise<StoredBlob>): Promise<StoredBlob> {
    return this.#withDraft(async (draft) => {
      const blob = await fill(draft);
      if (await this.#keepKnown(blob)) await rm(draft, { force: true });
      else await this.#place(draft, blob.hash);
      return blob;
    });
  }

  /** `work` takes the draft away; a draft whose work failed is removed. */
  async #withDraft<T>(work: (draft: string) => Promise<T>): Promise<T> {
    const draft = join(this.#incoming, randomUUID());
    try {
      return await work(draft);
    } catch (thrown) {
      await rm(draft, { force: true });
      throw diskError(thrown);
    }
  }

  async #place(draft: string, hash: string): Promise<void> {
    const path = this.#path(hash);
    await this.#ensureFolder(dirname(path));
    await this.#makeYoung(draft);
    await rename(draft, path);
    await this.#sync(dirname(path));
  }

  /**
   * Whether this content is in its place already. The folder is synced all the same: the process
   * that placed it may not have come that far. What is there and damaged is not kept but replaced.
   */
  async #keepKnown({ hash, bytes }: StoredBlob): Promise<boolean> {
    for (const path of this.#places(hash)) {
      const isWhole = await readIfThere(path, async () => {
        await this.#makeYoung(path);
        return (await stat(path)).size === bytes && (await hashOf(path, bytes)) === hash;
      });
      if (isWhole === undefined) continue;
      if (!isWhole) return false;
      await this.#ensureFolder(dirname(path));
      await this.#sync(dirname(path));
      return true;
    }
    return false;
  }

  async #makeYoung(path: string): Promise<void> {
    const seconds = this.#clock.now() / 1000;
    await utimes(path, seconds, seconds);
  }

  /** Makes a folder of content survive a power cut, whichever process made it. */
  async #ensureFolder(path: string): Promise<void> {
    if (path === this.#folder || this.#durableFolders.has(path)) return;
    await this.#ensureFolder(dirname(path));
    await mkdir(path, { recursive: true, mode: 0o700 });
    await this.#sync(dirname(path));
    this.#durableFolders.add(path);
  }

  /** Reads content where it is: in its place, or on its way out of it and perhaps back. */
  async #find<T>(hash: string, read: (path: string) => Promise<T>): Promise<T> {
    if (!isHash(hash)) throw notFound('stored content', hash);
    const places = this.#places(hash);
    const found = await readFirst(places, read);
    if (found !== undefined) return found;
    const names = await readdir(this.#leaving);
    const leaving = names.filter((name) => name.startsWith(hash));
    const others = [...leaving.map((name) => join(this.#leaving, name)), ...places];
    const moved = await readFirst(others, read);
    if (moved !== undefined) return moved;
    throw notFound('stored content', hash);
  }

  /** All content, of the older places too. */
  async *#paths(): AsyncGenerator<string> {
    for (const first of await readdir(this.#folder)) {
      if (!isPrefix(first)) continue;
      const folder = join(this.#folder, first);
      for (const name of await readdir(folder)) {
        if (isHash(name)) yield join(folder, name);
        if (!isPrefix(name)) continue;
        const older = await readdir(join(folder, name));
        yield* older.filter(isHash).map((hash) => join(folder, name, hash));
      }
    }
  }

  #path(hash: string): string {
    return join(this.#folder, hash.slice(0, 2), hash);
  }

  #places(hash: string): readonly string[] {
    return placesOf(this.#folder, hash);
  }
}

/** Whether a blob folder has any content. */
export async function hasBlobs(folder: string): Promise<boolean> {
  const names = (await readIfThere(folder, (path) => readdir(path))) ?? [];
  for (const name of names.filter(isPrefix)) {
    if ((await readdir(join(folder, name))).length > 0) return true;
  }
  return false;
}

/** Where the content of a blob folder may be: in its place, or in that of an earlier Fovea. */
export function placesOf(folder: string, hash: string): readonly string[] {
  const first = join(folder, hash.slice(0, 2));
  return [join(first, hash), join(first, hash.slice(2, 4), hash)];
}

/** Where what is being written into a blob folder is meanwhile. */
export function draftFolder(folder: string): string {
  return join(folder, 'incoming');
}

function isPrefix(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}

/** Writes a new file down to the disk. */
async function writeSynced(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const piece of pieces) await file.writeFile(piece);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes sure that a file made elsewhere is on the disk and our own; says what it holds. */
async function syncAndHash(path: string): Promise<StoredBlob> {
  const meter = new ContentMeter();
  const file = await open(path, 'r+');
  try {
    await file.chmod(0o600);
    await meter.drain(file.createReadStream({ autoClose: false }));
    await file.sync();
  } finally {
    await file.close();
  }
  return meter.measured();
}

async function hashOf(path: string, bytes: number): Promise<string> {
  if (bytes <= limits.blobReadAtOnceBytesMax) return sha256(await readFile(path));
  const meter = new ContentMeter();
  await meter.drain(createReadStream(path));
  return meter.measured().hash;
}

/** It may have to be copied, to another disk. */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (thrown) {
    if (systemErrorCode(thrown) !== 'EXDEV') throw thrown;
    await copyFile(from, to);
    await rm(from);
  }
}

async function isOlder(path: string, youngFromMs: number): Promise<boolean> {
  const found = await readIfThere(path, (it) => stat(it));
  return found !== undefined && found.mtimeMs <= youngFromMs;
}

async function readFirst<T>(
  paths: readonly string[],
  read: (path: string) => Promise<T>,
): Promise<T | undefined> {
  for (const path of paths) {
    const found = await readIfThere(path, read);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readIfThere<T>(
  path: string,
  read: (path: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read(path);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** A full disk by its name; anything else, also of the source that we read from, as it is. */
function diskError(thrown: unknown): unknown {
  const code = systemErrorCode(thrown);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return thrown;
  return new FoveaError('full', 'The disk is full: nothing was stored.', { cause: thrown });
}
