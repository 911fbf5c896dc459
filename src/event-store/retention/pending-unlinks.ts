// Unlinks the files of removed events; files that cannot be unlinked stay pending.

import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';

/** The store lists what is to be unlinked, so unlinks of a process that died are pending too. */
export class PendingUnlinks {
  readonly #store: EventStore;
  readonly #files: FileStore;
  /** Files whose unlink failed recently. */
  readonly #stuck = new Set<string>();
  #retry: NodeJS.Timeout | undefined;
  #problem: string | undefined;
  #isStopped = false;

  constructor(store: EventStore, files: FileStore) {
    this.#store = store;
    this.#files = files;
  }

  /** What is wrong; undefined: nothing. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** So many failures mean a failing disk: removing more events would free no space. */
  get areManyStuck(): boolean {
    return this.#stuck.size >= limits.stuckFilesMax;
  }

  async areAny(): Promise<boolean> {
    const isAny = (await this.#store.filesToUnlink(1)).length > 0;
    if (!isAny) this.#problem = undefined;
    return isAny;
  }

  /**
   * Unlinks what is pending. A failed unlink is tried again after a while; while many are stuck,
   * each call tries one of them, and its success resumes them all.
   */
  async unlink(): Promise<void> {
    if (this.areManyStuck) await this.#retryOne();
    while (!this.#isStopped && !this.areManyStuck) {
      const batchMax = limits.unlinkBatchMax + this.#stuck.size;
      const listed = await this.#store.filesToUnlink(batchMax);
      const ids = listed.filter((id) => !this.#stuck.has(id));
      if (ids.length === 0) break;
      const failed = await unlinkEach(this.#files, ids);
      await this.#store.unlinked(ids.filter((id) => !failed.has(id)));
      this.#addStuck(failed);
      if (listed.length < batchMax) break;
    }
    this.#problem = this.#stuck.size === 0 ? undefined : stuckMessage(this.#stuck.size);
  }

  /** A running `unlink` ends after its batch. */
  stop(): void {
    this.#isStopped = true;
  }

  async #retryOne(): Promise<void> {
    const [id] = this.#stuck;
    if (id === undefined) return;
    const failed = await unlinkEach(this.#files, [id]);
    if (failed.size === 0) this.#forgetStuck();
    // Moves it to the end, so that the next retry takes another file.
    else if (this.#stuck.delete(id)) this.#stuck.add(id);
  }

  #addStuck(ids: ReadonlySet<string>): void {
    if (ids.size === 0) return;
    this.#retry ??= setTimeout(() => this.#forgetStuck(), limits.stuckFilesRetryMs).unref();
    for (const id of ids) this.#stuck.add(id);
  }

  #forgetStuck(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#stuck.clear();
  }
}

function stuckMessage(files: number): string {
  return `${files} files of removed events cannot be unlinked; they still take room.`;
}

/** Removes the files one by one where removing all at once fails; returns the ids that failed. */
export async function unlinkEach(
  files: FileStore,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  try {
    await files.remove(ids);
  } catch {
    for (const id of ids) await files.remove([id]).catch(() => failed.add(id));
  }
  return failed;
}
