// What is done behind the writes, by a thread of its own. It is one for both tasks, since each
// thread takes some 12 MB for itself.

import { extname } from 'node:path';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { SerialQueue } from '../../serial-queue.ts';
import { WorkerThread } from '../../worker-thread.ts';
import type { IndexStep } from '../store/store.ts';

/** To move the log into the database, or to put events into the index. */
export type BackgroundTask = 'checkpoint' | 'index';

/** The paths of both databases. */
export interface BackgroundPaths {
  readonly events: string;
  readonly index: string;
}

/** The thread starts with a task, and ends after a while without one. */
export class Background {
  readonly #paths: BackgroundPaths;
  #thread: WorkerThread<BackgroundTask, IndexStep> | undefined;
  readonly #queue = new SerialQueue();
  #ends = 0;

  constructor(paths: BackgroundPaths) {
    this.#paths = paths;
  }

  /**
   * After those that came before. The answer says what failed; it throws what `afterwards` throws,
   * which ends before the next task begins.
   */
  run(task: BackgroundTask, afterwards?: () => Promise<unknown>): Promise<IndexStep> {
    const ends = this.#ends;
    return this.#queue.run(async () => {
      if (ends !== this.#ends) return { hasMore: false };
      const step = await this.#run(task);
      await afterwards?.();
      return step;
    });
  }

  /** Ends the thread, with its connections and what waits for it; a later task starts another. */
  async end(): Promise<void> {
    this.#ends += 1;
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  async #run(task: BackgroundTask): Promise<IndexStep> {
    try {
      if (this.#thread?.isUsable !== true) this.#thread = this.#start();
      const answer = await this.#thread.ask(task, { msMax: limits.backgroundTaskMsMax });
      if (typeof answer === 'object') return answer;
      return { hasMore: false, failure: `Its thread was ${answer}.` };
    } catch (thrown) {
      if (!(thrown instanceof FoveaError)) return { hasMore: false, failure: 'It has no thread.' };
      return { hasMore: false, failure: thrown.message };
    }
  }

  #start(): WorkerThread<BackgroundTask, IndexStep> {
    return new WorkerThread({
      entry: new URL(`./background-thread${extname(import.meta.url)}`, import.meta.url),
      data: this.#paths,
      megabytesMax: limits.backgroundMegabytesMax,
      idleMsMax: limits.backgroundRestMs,
    });
  }
}
