// Detects events with future timestamps: the clock was ahead when they arrived.

import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { EventStore } from '../store/store.ts';
import { isoMicroseconds } from '../timestamps.ts';

export class FutureClockCheck {
  readonly #store: EventStore;
  readonly #clock: Clock;
  /** What is wrong; undefined: nothing. */
  problem: string | undefined;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Arrivals are strictly ascending, so new events get future timestamps too. */
  async check(): Promise<void> {
    const { newest } = await this.#store.count({});
    const isAhead =
      newest !== undefined && newest / 1000 - this.#clock.now() > limits.clockAheadMsMin;
    this.problem = isAhead
      ? `The clock was ahead: until ${isoMicroseconds(newest)} new events get times just after that, and do not age.`
      : undefined;
  }
}
