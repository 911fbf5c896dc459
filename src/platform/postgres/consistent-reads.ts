// Long reads on PostgreSQL: each sees one state of the database, and those of one workspace take
// turns, so that they hold up nobody else.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { Semaphore } from '../../semaphore.ts';
import type { AsyncDatabase, AsyncReader } from '../../storage/async-database.ts';
import { isTimedOut } from '../../storage/postgres/errors.ts';
import { tooManyWaiting, tooMuch } from '../database/long-reads/long-reads.ts';

export class ConsistentReads {
  readonly #database: Pick<AsyncDatabase, 'snapshot'>;
  readonly #msMax: number;
  readonly #permits = new Semaphore({ permitsMax: limits.serverReadsMax, callerPermitsMax: 1 });
  /** Those of each workspace that run or wait. */
  readonly #open = new Map<string, number>();
  #isClosed = false;

  /** A statement of a read may take `msMax`. */
  constructor(database: Pick<AsyncDatabase, 'snapshot'>, msMax: number = limits.readMsMax) {
    this.#database = database;
    this.#msMax = msMax;
  }

  /**
   * `asker`: the workspace for whom it is. Throws as `work` does, `invalid_input` for a read that
   * takes too long, `rate_limited` where too many of this workspace wait, and the reason of the
   * signal where that aborts before it begins.
   */
  async read<T>(
    asker: string,
    work: (reader: AsyncReader) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const open = this.#open.get(asker) ?? 0;
    if (open > limits.readsWaitingMax) throw tooManyWaiting();
    this.#open.set(asker, open + 1);
    try {
      const options = { caller: { name: asker }, signal };
      return await this.#permits.run(() => this.#readOneState(work), options);
    } finally {
      const left = (this.#open.get(asker) ?? 0) - 1;
      if (left > 0) this.#open.set(asker, left);
      else this.#open.delete(asker);
    }
  }

  /** Those that wait are given up. */
  close(): void {
    this.#isClosed = true;
  }

  async #readOneState<T>(work: (reader: AsyncReader) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new FoveaError('cancelled', 'The service is stopping.');
    const state = await this.#database.snapshot();
    try {
      // The memory holds the places of a million images, without which each is looked at twice.
      // A thread compares what was read, while this waits.
      const settings = `SELECT set_config('statement_timeout', ?::text, true),
        set_config('work_mem', '32MB', true),
        set_config('idle_in_transaction_session_timeout', ?::text, true)`;
      await state.get(settings, [this.#msMax, 2 * limits.comparisonMsMax], () => undefined);
      return await work(state);
    } catch (thrown) {
      throw isTimedOut(thrown) ? tooMuch() : thrown;
    } finally {
      await state.close();
    }
  }
}
