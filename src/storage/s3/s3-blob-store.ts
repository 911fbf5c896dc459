// The blob store on a bucket of an S3 store.
//
// Content has the key `ab/abcd….<generation>`, which is written once and removed once, so that no
// request that comes late can take what was put since: each put writes another copy, and a sweep
// removes the copies that are old.

import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../clock.ts';
import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { LruCache } from '../../lru-cache.ts';
import { isUuidv7, timeOfUuidv7, uuidv7 } from '../../uuid.ts';
import { removeAbandoned } from '../abandoned-files.ts';
import type { BlobContent, BlobStore, LinkedAs, StoredBlob, SweepResult } from '../blob-store.ts';
import {
  ContentMeter,
  damaged,
  HashedBytes,
  hashLength,
  isDamagedContent,
  isHash,
  sha256,
  verified,
} from '../content-hash.ts';
import { diskError, WatchedSource } from '../disk-errors.ts';
import type { ByteRange } from '../file-store.ts';
import { SweepFailures } from '../sweep-failures.ts';
import { writeSynced } from '../write-synced-file.ts';
import type { Bucket, ListedObject } from './bucket.ts';

export interface S3BlobsOptions {
  readonly bucket: Bucket;
  /** Streams go through it: a key begins with the hash of the whole. Made where there is none. */
  readonly folder: string;
  readonly clock: Clock;
  /** Whether downloads come from the store itself. */
  readonly givesLinks: boolean;
}

/** Removes what dead processes left in the folder. */
export async function createS3Blobs(options: S3BlobsOptions): Promise<BlobStore> {
  const { folder, clock } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandoned(folder, clock);
  return new S3Blobs(options);
}

/** One copy of some content. */
interface Copy extends ListedObject {
  readonly hash: string;
  /** When it was put; 0 for a file that somebody copied into the bucket from a folder. */
  readonly timeMs: number;
}

class S3Blobs implements BlobStore {
  readonly #bucket: Bucket;
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #givesLinks: boolean;
  /** Copies that were there, by the hash: a read that finds one needs no list. */
  readonly #known = new LruCache<string, Copy>({ weightMax: limits.objectKeysKnownMax });

  #lastMs = 0;
  #fraction = 0;

  constructor({ bucket, folder, clock, givesLinks }: S3BlobsOptions) {
    this.#bucket = bucket;
    this.#folder = folder;
    this.#clock = clock;
    this.#givesLinks = givesLinks;
  }

  async put(content: BlobContent): Promise<StoredBlob> {
    if (content instanceof Uint8Array) return this.#putBytes(new HashedBytes(content));
    if (content instanceof HashedBytes) return this.#putBytes(content);
    const draft = join(this.#folder, randomUUID());
    const source = new WatchedSource();
    const meter = new ContentMeter();
    try {
      await writeSynced(draft, meter.through(source.watched(content))).catch((thrown) => {
        throw source.hasFailed ? thrown : diskError(thrown);
      });
      return await this.putFile(draft, meter.measured());
    } finally {
      await rm(draft, { force: true });
    }
  }

  async #putBytes({ hash, bytes }: HashedBytes): Promise<StoredBlob> {
    const blob = { hash, bytes: bytes.byteLength };
    await this.#keep(blob, (key) => this.#bucket.put(key, bytes));
    return blob;
  }

  async putFile(path: string, known?: StoredBlob): Promise<StoredBlob> {
    const { size } = await stat(path);
    const blob =
      size <= limits.objectPartBytes
        ? await this.#putBytes(new HashedBytes(await readFile(path)))
        : await this.#putLarge(path, known ?? (await measure(path)));
    await rm(path);
    return blob;
  }

  async #putLarge(path: string, blob: StoredBlob): Promise<StoredBlob> {
    await this.#keep(blob, (key) => this.#bucket.putFile(key, path, blob.hash));
    return blob;
  }

  /** Writes another copy: to look for one that is there would be a request as well. */
  async #keep({ hash, bytes }: StoredBlob, write: (key: string) => Promise<void>): Promise<void> {
    const timeMs = this.#clock.now();
    const key = `${startOf(hash)}.${this.#generation(timeMs)}`;
    await write(key);
    if (this.#clock.now() - timeMs > limits.objectPutMsMax) throw tooSlow();
    this.#known.set(hash, { key, bytes, hash, timeMs });
  }

  /** Those of this process are in their order, also within a millisecond. */
  #generation(timeMs: number): string {
    this.#fraction = timeMs === this.#lastMs ? (this.#fraction + 1) % fractions : 0;
    this.#lastMs = timeMs;
    return uuidv7(timeMs, this.#fraction);
  }

  async get(hash: string): Promise<Uint8Array> {
    const content = await this.#find(hash, (key) => this.#whole(key));
    if (sha256(content) === hash) return content;
    // Another process may have put a whole one since.
    this.#known.delete(hash);
    const newest = await this.#find(hash, (key) => this.#whole(key));
    if (sha256(newest) !== hash) throw damaged(hash);
    return newest;
  }

  /** The SDK tries again until an answer begins: one that breaks off is asked for once more. */
  async #whole(key: string, look = 1): Promise<Uint8Array | undefined> {
    const pieces = await this.#bucket.get(key);
    if (pieces === undefined) return undefined;
    try {
      return await buffer(pieces);
    } catch (thrown) {
      if (look === looksMax) throw thrown;
      return this.#whole(key, look + 1);
    }
  }

  async open(hash: string): Promise<Readable> {
    const pieces = await this.#find(hash, (key) => this.#bucket.get(key));
    return Readable.from(this.#verified(pieces, hash), { objectMode: false });
  }

  /** A copy that turns out to be damaged is not the one that the next read begins with. */
  async *#verified(pieces: AsyncIterable<Uint8Array>, hash: string): AsyncGenerator<Uint8Array> {
    try {
      yield* verified(pieces, hash);
    } catch (thrown) {
      if (isDamagedContent(thrown, hash)) this.#known.delete(hash);
      throw thrown;
    }
  }

  file(): undefined {
    return undefined;
  }

  async openRange(hash: string, range: ByteRange): Promise<Readable> {
    const pieces = await this.#find(hash, (key) => this.#bucket.get(key, range));
    return Readable.from(pieces, { objectMode: false });
  }

  async link(hash: string, as: LinkedAs): Promise<string | undefined> {
    if (!this.#givesLinks) return undefined;
    const { key } = await this.#newest(hash);
    return this.#bucket.link(key, as);
  }

  async size(hash: string): Promise<number> {
    const { bytes } = await this.#newest(hash);
    return bytes;
  }

  async has(hash: string): Promise<boolean> {
    return isHash(hash) && (await this.#copies(hash)).length > 0;
  }

  async sweep(
    isReferenced: (hash: string) => Promise<boolean> | boolean,
    olderThanMs: number,
  ): Promise<SweepResult> {
    const result = { removed: 0, bytesRemoved: 0, kept: 0 };
    const youngFromMs = this.#clock.now() - olderThanMs;
    const failures = new SweepFailures();
    for await (const copies of this.#all(failures)) {
      const [newest, ...older] = copies.toReversed();
      if (newest === undefined) continue;
      const { hash, key, bytes } = newest;
      const isWanted = newest.timeMs > youngFromMs || (await isReferenced(hash));
      const removing = async () => {
        // It may have been put meanwhile: that wrote another copy.
        const goes = !isWanted && (await this.#copies(hash)).at(-1)?.key === key;
        for (const copy of older) {
          if (copy.timeMs <= youngFromMs) await this.#bucket.remove(copy.key);
        }
        if (goes) await this.#bucket.remove(key);
        return goes;
      };
      if (await failures.trying(removing)) {
        result.removed += 1;
        result.bytesRemoved += bytes;
      } else result.kept += 1;
    }
    return { ...result, problems: failures.told() };
  }

  /** All copies in the bucket, by content, each in the order of their making. */
  async *#all(failures: SweepFailures): AsyncGenerator<readonly Copy[]> {
    let same: Copy[] = [];
    for await (const object of this.#listed(failures)) {
      const copy = copyOf(object);
      if (copy === undefined) continue;
      if (same[0] !== undefined && same[0].hash !== copy.hash) {
        yield same;
        same = [];
      }
      same.push(copy);
    }
    if (same.length > 0) yield same;
  }

  /** Goes on with the next two digits of hashes where a list breaks off. */
  async *#listed(failures: SweepFailures): AsyncGenerator<ListedObject> {
    let digits = -1;
    let after: string | undefined;
    while (digits <= digitsMax) {
      const objects = this.#bucket.list('', after)[Symbol.asyncIterator]();
      for (;;) {
        const next = await failures.trying(() => objects.next());
        if (next?.done) return;
        if (next === undefined) break;
        const found = Number.parseInt(next.value.key.slice(0, 2), 16);
        if (found > digits) digits = found;
        yield next.value;
      }
      digits += 1;
      after = `${digits.toString(16).padStart(2, '0')}/`;
    }
  }

  /** The copies of some content, the newest last. */
  async #copies(hash: string): Promise<readonly Copy[]> {
    const copies: Copy[] = [];
    for await (const object of this.#bucket.list(startOf(hash))) {
      const copy = copyOf(object);
      if (copy !== undefined) copies.push(copy);
    }
    return copies;
  }

  async #newest(hash: string): Promise<Copy> {
    if (!isHash(hash)) throw notFound('stored content', hash);
    const newest = (await this.#copies(hash)).at(-1);
    if (newest === undefined) throw notFound('stored content', hash);
    this.#known.set(hash, newest);
    return newest;
  }

  /** Reads a copy; undefined of `read`: that one was removed, and perhaps another is there. */
  async #find<T>(hash: string, read: (key: string) => Promise<T | undefined>): Promise<T> {
    const known = this.#known.get(hash);
    const found = known && (await read(known.key));
    if (found !== undefined) return found;
    this.#known.delete(hash);
    for (let look = 1; look <= looksMax; look += 1) {
      const { key } = await this.#newest(hash);
      const content = await read(key);
      if (content !== undefined) return content;
      this.#known.delete(hash);
    }
    throw notFound('stored content', hash);
  }
}

/** The largest two digits with which a hash begins. */
const digitsMax = 0xff;

/** What the fraction of a UUID can tell apart. */
const fractions = 4_096;

/** A sweep may take an older copy between a list and a read, and a line may break: not always. */
const looksMax = 3;

function startOf(hash: string): string {
  return `${hash.slice(0, 2)}/${hash}`;
}

/** Undefined: another's object, such as a probe of the doctor. */
function copyOf({ key, bytes }: ListedObject): Copy | undefined {
  const hash = key.slice(3, 3 + hashLength);
  if (!isHash(hash) || !key.startsWith(startOf(hash))) return undefined;
  const generation = key.slice(startOf(hash).length);
  if (generation === '') return { key, bytes, hash, timeMs: 0 };
  const id = generation.slice(1);
  if (generation[0] !== '.' || !isUuidv7(id)) return undefined;
  return { key, bytes, hash, timeMs: timeOfUuidv7(id) };
}

async function measure(path: string): Promise<StoredBlob> {
  const meter = new ContentMeter();
  await meter.drain(createReadStream(path));
  return meter.measured();
}

function tooSlow(): FoveaError {
  const message = 'The line to the object store is too slow: a file took more than half an hour.';
  return new FoveaError('unavailable', message, { retryAfterSeconds: 60 });
}
