// Calls that all processes on one database count together: each tells the others what it answered,
// some seconds later, so that no call waits for it.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { CallsElsewhere } from '../../http-server/rate-limiter.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';

/** The one who opened it closes it. */
export interface SharedRateLimitCounts extends CallsElsewhere {
  close(): void;
}

/**
 * Where the server is away, each process counts by itself. A single statement waits for no turn of
 * those who write, if `database` is the driver itself.
 */
export function shareRateLimitCounts(database: AsyncDatabase, clock: Clock): SharedRateLimitCounts {
  return new CallExchange(database, clock);
}

class CallExchange implements SharedRateLimitCounts {
  readonly #database: AsyncDatabase;
  readonly #clock: Clock;
  readonly #process = randomUUID();
  /** Of this process, by the slot of time and the name. */
  readonly #own = new Map<number, Map<string, number>>();
  #elsewhere: ReadonlyMap<string, number> = new Map();
  #heardMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isExchanging = false;

  constructor(database: AsyncDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  add(name: string, calls: number): void {
    const slot = this.#slot();
    const counts = this.#own.get(slot) ?? new Map<string, number>();
    this.#own.set(slot, counts);
    // The busiest are known by then, and others are counted here all the same.
    if (counts.size >= limits.sharedCallNamesMax && !counts.has(name)) return;
    counts.set(name, (counts.get(name) ?? 0) + calls);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#exchange(), limits.sharedCallsMs).unref();
    void this.#exchange();
  }

  count(name: string): number {
    const isKnown = this.#clock.monotonic() - this.#heardMs < slotMs * slotsKept;
    return isKnown ? (this.#elsewhere.get(name) ?? 0) : 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #slot(): number {
    return Math.floor(this.#clock.now() / slotMs);
  }

  /** Nobody waits for it. While nothing is counted it does nothing. */
  async #exchange(): Promise<void> {
    if (this.#isExchanging) return;
    this.#isExchanging = true;
    try {
      await this.#tell();
      await this.#hear();
      if (this.#own.size === 0 && this.#elsewhere.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    } catch {
      // The next time tells it all again.
    } finally {
      this.#isExchanging = false;
    }
  }

  async #tell(): Promise<void> {
    const current = this.#slot();
    const rows = [...this.#own].flatMap(([slot, counts]) =>
      [...counts].map(([name, calls]) => [slot, name, calls]),
    );
    if (rows.length > 0) await this.#database.run(tell, [this.#process, JSON.stringify(rows)]);
    for (const slot of this.#own.keys()) {
      if (slot >= current) continue;
      this.#own.delete(slot);
      await this.#database.run('DELETE FROM shared_calls WHERE slot < ?', [slot - slotsKept]);
    }
  }

  async #hear(): Promise<void> {
    const asked = [this.#process, this.#slot() - slotsKept, limits.sharedCallNamesMax];
    const heard = await this.#database.all(hear, asked, (row) => ({
      name: row.text('name'),
      calls: row.integer('calls'),
    }));
    this.#elsewhere = new Map(heard.map(({ name, calls }) => [name, calls]));
    this.#heardMs = this.#clock.monotonic();
  }
}

/** Calls of a minute are those of the last six slots. */
const slotMs = 10_000;
const slotsKept = 6;

/** A slot that was told already has grown. */
const tell = `INSERT INTO shared_calls (process, slot, name, calls)
  SELECT ?, CAST(value ->> 0 AS BIGINT), value ->> 1, CAST(value ->> 2 AS BIGINT)
  FROM json_each(?) WHERE true
  ON CONFLICT (process, slot, name) DO UPDATE SET calls = excluded.calls`;

const hear = `SELECT name, sum(calls) AS calls FROM shared_calls
  WHERE process <> ? AND slot > ? GROUP BY name ORDER BY calls DESC LIMIT ?`;
