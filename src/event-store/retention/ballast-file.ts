// A ballast file reserves disk space; deleting it on a full disk lets the cleanup work.

import { randomFillSync } from 'node:crypto';
import { open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { syncFolder } from '../../durable-folders.ts';
import { systemErrorCode } from '../../errors.ts';
import type { FolderPolicy } from './retention-policy.ts';

/** All processes of a data folder share one. */
export class BallastFile {
  readonly #path: string;
  readonly #draft: string;
  readonly #policy: FolderPolicy;
  #isReleased = false;
  #isStopped = false;

  constructor(folder: string, policy: FolderPolicy) {
    this.#path = join(folder, 'reserve');
    this.#draft = join(folder, 'reserve.new');
    this.#policy = policy;
  }

  /** Bytes on the disk, those of an unfinished file included. */
  async heldBytes(): Promise<number> {
    return (await diskBytes(this.#path)) + (await diskBytes(this.#draft));
  }

  /** Whether the file has the size that the policy asks for. */
  async isComplete(): Promise<boolean> {
    const bytes = this.#policy.current.reserveBytes;
    if (bytes === 0) return (await this.heldBytes()) === 0;
    return (await fileBytes(this.#path)) === bytes;
  }

  /** Aborts `create`, now and in future. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Some file systems show freed space only after a sync; else too much would be removed. */
  async syncFolder(): Promise<void> {
    const folder = dirname(this.#path);
    const { atime, mtime } = await stat(folder);
    // A folder that did not change would not be synced.
    await utimes(folder, atime, mtime);
    await syncFolder(folder);
  }

  /** Deletes the file. */
  async release(): Promise<void> {
    this.#isReleased = true;
    await rm(this.#draft, { force: true });
    await rm(this.#path, { force: true });
  }

  /**
   * Replaces a file of another size. Leaves nothing behind when the disk is full, or when `release`
   * is called meanwhile.
   */
  async create(): Promise<void> {
    if (this.#isStopped) return;
    this.#isReleased = false;
    const bytes = this.#policy.current.reserveBytes;
    try {
      await rm(this.#path, { force: true });
      if (bytes === 0 || !(await this.#fill(bytes))) return;
      await rename(this.#draft, this.#path);
      await syncFolder(dirname(this.#path));
    } finally {
      await rm(this.#draft, { force: true });
    }
  }

  get #isEnded(): boolean {
    return this.#isReleased || this.#isStopped;
  }

  /** Random bytes: file systems store holes and compressible data without using the space. */
  async #fill(bytes: number): Promise<boolean> {
    await rm(this.#draft, { force: true });
    const file = await open(this.#draft, 'wx', 0o600);
    try {
      const chunk = new Uint8Array(Math.min(chunkBytes, bytes));
      for (let left = bytes; left > 0 && !this.#isEnded; left -= chunk.byteLength) {
        await file.writeFile(randomFillSync(chunk).subarray(0, left));
        await yieldToEventLoop();
      }
      await file.sync();
      return !this.#isEnded;
    } finally {
      await file.close();
    }
  }
}

const chunkBytes = 1024 * 1024;

/** Allocated bytes; 0 where there is no file. */
async function diskBytes(path: string): Promise<number> {
  // `blocks` counts units of 512 bytes on every system.
  return ((await statIfThere(path))?.blocks ?? 0) * 512;
}

async function fileBytes(path: string): Promise<number> {
  return (await statIfThere(path))?.size ?? 0;
}

async function statIfThere(path: string) {
  try {
    return await stat(path);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
