// A new file that is written from its beginning to its end and hashed on the way, while its caller
// waits: not for a thread that serves others.

import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { limits } from '../limits.ts';
import type { StoredBlob } from './blob-store.ts';
import { ContentMeter } from './content-hash.ts';

export class HashedOutputFile {
  readonly #file: FileHandle;
  readonly #meter = new ContentMeter();
  readonly #buffer = Buffer.allocUnsafe(limits.fileWriteBytes);
  #length = 0;
  #unsynced = 0;
  #syncing: Promise<void> = Promise.resolve();

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Throws what the system says; also where a file is there. */
  static async create(path: string): Promise<HashedOutputFile> {
    return new HashedOutputFile(await open(path, 'wx', 0o600));
  }

  /** The bytes may change afterwards. */
  readonly write = (bytes: Uint8Array): void => {
    if (this.#length + bytes.length > this.#buffer.length) this.#flush();
    if (bytes.length > this.#buffer.length) {
      this.#writeAll(bytes);
      return;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  };

  /**
   * Lets what is written go down to the disk meanwhile, so that the end has little left to do.
   * Waits, and throws, for what was to go down before.
   */
  async keepUp(): Promise<void> {
    if (this.#unsynced < limits.fileSyncBytes) return;
    await this.#syncing;
    this.#unsynced = 0;
    this.#syncing = this.#file.datasync();
    // Whoever waits for it next is told.
    this.#syncing.catch(() => {});
  }

  /** All is on the disk then. */
  async end(): Promise<StoredBlob> {
    this.#flush();
    await this.#syncing;
    await this.#file.sync();
    await this.#file.close();
    return this.#meter.measured();
  }

  #flush(): void {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    this.#writeAll(bytes);
  }

  #writeAll(bytes: Uint8Array): void {
    this.#meter.take(bytes);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#file.fd, bytes, done);
    }
    this.#unsynced += bytes.length;
  }
}
