// When the log of the database is moved into its file: after answers, and not before them.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';

/**
 * SQLite by itself does it at the end of a commit, once much has come together: all who wait for
 * that commit wait some 40 ms. Done a few milliseconds at a time once a batch is answered, it keeps
 * the next batch alone, which is being made ready meanwhile.
 */
export class Checkpoints {
  #bytes = 0;

  /** So many bytes of rows were written. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
  }

  /** What fails is done later: by SQLite, if by nobody else. */
  runIfDue(database: Database): void {
    if (this.#bytes < limits.eventCheckpointBytes) return;
    this.#bytes = 0;
    database.checkpoint();
  }
}
