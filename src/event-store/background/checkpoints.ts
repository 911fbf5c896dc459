// When the log of the database is moved into its file: beside the writes, and not before answers.

import { limits } from '../../limits.ts';
import type { Background } from './background.ts';

/**
 * SQLite by itself does it at the end of a commit, once much has come together: all who wait for
 * that commit wait some 40 ms. The background does it a few milliseconds at a time, while writes go
 * on. What they append meanwhile is little, and is moved by the writer: only when all is in the
 * file does the log begin anew. No step of the index begins before that: while it reads, the log
 * goes on.
 */
export class Checkpoints {
  readonly #background: Background;
  readonly #moveRest: () => Promise<unknown>;
  #bytes = 0;
  #isRunning = false;

  /** `moveRest`: lets the writer do it, between two transactions. */
  constructor(background: Background, moveRest: () => Promise<unknown>) {
    this.#background = background;
    this.#moveRest = moveRest;
  }

  /** So many bytes of rows go to the writer. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < limits.eventCheckpointBytes || this.#isRunning) return;
    this.#bytes = 0;
    this.#isRunning = true;
    void this.#run();
  }

  /** What fails is done later: by SQLite, if by nobody else. */
  async #run(): Promise<void> {
    try {
      await this.#background.run('checkpoint', this.#moveRest);
    } catch {
    } finally {
      this.#isRunning = false;
    }
  }
}
