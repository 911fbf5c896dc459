// A file that takes room on the disk, to be given up on the day that the disk is full.

import { randomFillSync } from 'node:crypto';
import { open, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { systemErrorCode } from '../../errors.ts';
import { syncFolder } from '../../folder-sync.ts';
import type { FolderPolicy } from './policy.ts';

/** The reserve of a data folder; all its processes share it. */
export class Reserve {
  readonly #path: string;
  readonly #draft: string;
  readonly #policy: FolderPolicy;
  #isGivenUp = false;
  #isStopped = false;

  constructor(folder: string, policy: FolderPolicy) {
    this.#path = join(folder, 'reserve');
    this.#draft = join(folder, 'reserve.new');
    this.#policy = policy;
  }

  /** Bytes that it has on the disk, those of one in the making included. */
  async heldBytes(): Promise<number> {
    return (await diskBytes(this.#path)) + (await diskBytes(this.#draft));
  }

  /** Whether it is there as the policy wants it. */
  async isWhole(): Promise<boolean> {
    const bytes = this.#policy.now.reserveBytes;
    if (bytes === 0) return (await this.heldBytes()) === 0;
    return (await fileBytes(this.#path)) === bytes;
  }

  /** Ends its making, for good. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Has the file system end what it was told. Some show freed space only then, and more would be
   * removed than needs be.
   */
  async settle(): Promise<void> {
    const folder = dirname(this.#path);
    const { atime, mtime } = await stat(folder);
    // A folder that did not change would not be synced.
    await utimes(folder, atime, mtime);
    await syncFolder(folder);
  }

  /** Frees its room. */
  async giveUp(): Promise<void> {
    this.#isGivenUp = true;
    await rm(this.#draft, { force: true });
    await rm(this.#path, { force: true });
  }

  /**
   * Makes it, in place of one of another size. Leaves nothing of it behind when the disk is full,
   * or when it is given up meanwhile.
   */
  async make(): Promise<void> {
    if (this.#isStopped) return;
    this.#isGivenUp = false;
    const bytes = this.#policy.now.reserveBytes;
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
    return this.#isGivenUp || this.#isStopped;
  }

  /** Random bytes: a file system may keep holes and repetitions without taking room for them. */
  async #fill(bytes: number): Promise<boolean> {
    await rm(this.#draft, { force: true });
    const file = await open(this.#draft, 'wx', 0o600);
    try {
      const piece = new Uint8Array(Math.min(pieceBytes, bytes));
      for (let left = bytes; left > 0 && !this.#isEnded; left -= piece.byteLength) {
        await file.writeFile(randomFillSync(piece).subarray(0, left));
        await othersTurn();
      }
      await file.sync();
      return !this.#isEnded;
    } finally {
      await file.close();
    }
  }
}

const pieceBytes = 1024 * 1024;

/** What a file has on the disk; 0 where there is none. */
async function diskBytes(path: string): Promise<number> {
  // The unit of `stat` on every system.
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
