// Whether the newest events have times that are still to come: the clock was ahead, once.

import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { EventStore } from '../store/store.ts';
import { isoMicroseconds } from '../times.ts';

export class ClockLead {
  readonly #store: EventStore;
  readonly #clock: Clock;
  /** In our own words; undefined: all is well. */
  words: string | undefined;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Every event arrives after the one before it: so all that come now have times like that. */
  async look(): Promise<void> {
    const { newest } = await this.#store.count({});
    const isAhead = newest !== undefined && newest / 1000 - this.#clock.now() > limits.clockLeadMs;
    this.words = isAhead
      ? `The clock was ahead: until ${isoMicroseconds(newest)} new events get times just after that, and do not age.`
      : undefined;
  }
}
