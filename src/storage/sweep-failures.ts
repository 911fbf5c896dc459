// What a sweep could not look at or remove: it goes on with the rest, and the next one tries again.

import { limits } from '../limits.ts';
import { awaitedService } from './service-away.ts';

export interface SweepProblems {
  readonly count: number;
  /** Why the first of them failed. */
  readonly first: unknown;
}

export class SweepFailures {
  #count = 0;
  #first: unknown;
  /** Since something last succeeded. */
  #outages = 0;

  /** Gives undefined where it fails. Throws where the store is away: the rest would fail too. */
  async trying<T>(attempt: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await attempt();
      this.#outages = 0;
      return result;
    } catch (thrown) {
      this.#note(thrown);
      return undefined;
    }
  }

  #note(thrown: unknown): void {
    if (this.#count === 0) this.#first = thrown;
    this.#count += 1;
    this.#outages = awaitedService(thrown) === undefined ? 0 : this.#outages + 1;
    if (this.#outages >= limits.sweepOutagesMax) throw thrown;
  }

  /** Undefined: nothing failed. */
  told(): SweepProblems | undefined {
    return this.#count === 0 ? undefined : { count: this.#count, first: this.#first };
  }
}
