// How old things are in time that the store lived through, whatever its clock says.

import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';

/**
 * A leap of the clock, milliseconds since 1970. The store did not live through the time between
 * its two ends, or cannot know that it did.
 */
export interface Leap {
  readonly from: number;
  readonly to: number;
}

/** What outlives a process. */
export interface Life {
  /** When the clock was last looked at, by itself. */
  readonly seenAt: number;
  /** In the order of their ends. */
  readonly leaps: readonly Leap[];
}

/**
 * Ages in lived time (decisions/event-store-cleanup.md). While a process runs, time passes as its
 * monotonic clock says: where the wall clock goes further, that is a leap. While none runs, time
 * passes as the wall clock says, but not more than a day at once: more is a leap as a whole. A wall
 * clock that is set back makes things younger, never older, so it is believed, and leaps end where
 * it stands now: what comes after is lived through.
 */
export class LivedTime {
  readonly #clock: Clock;
  /** In the order of their ends, none of which is later than the last look at the clock. */
  #leaps: readonly Leap[];
  #seenAt: number;
  #seenMonotonic: number;

  /** `before`: what the last process left, or only when the store was last alive. */
  constructor(clock: Clock, before: Life | undefined) {
    this.#clock = clock;
    this.#seenAt = clock.now();
    this.#seenMonotonic = clock.monotonic();
    this.#leaps = before ? cutAt(before.leaps, Math.min(before.seenAt, this.#seenAt)) : [];
    if (before && this.#seenAt - before.seenAt > limits.storeAbsenceMsMax) {
      this.#add({ from: before.seenAt, to: this.#seenAt });
    }
  }

  /** Looks at the clocks; says by how many milliseconds the wall clock has leapt since. */
  look(): number {
    const now = this.#clock.now();
    const monotonic = this.#clock.monotonic();
    const leap = now - this.#seenAt - (monotonic - this.#seenMonotonic);
    const isLeap = leap > limits.clockLeapMsMin;
    this.#leaps = cutAt(this.#leaps, now);
    if (isLeap) this.#add({ from: this.#seenAt, to: this.#seenAt + leap });
    this.#seenAt = now;
    this.#seenMonotonic = monotonic;
    return isLeap ? leap : 0;
  }

  /** The wall time, milliseconds since 1970, before which things are at least so old. */
  olderThan(ageMs: number): number {
    this.look();
    let end = this.#seenAt;
    let left = ageMs;
    for (const { from, to } of this.#leaps.toReversed()) {
      // Leaps of a file may lie across one another.
      const lived = Math.max(0, end - to);
      if (lived >= left) break;
      left -= lived;
      end = Math.min(from, end);
    }
    return end - left;
  }

  /** Milliseconds that the clock leapt over within that age. */
  leaptWithin(ageMs: number): number {
    const plain = this.#clock.now() - ageMs;
    return Math.max(0, plain - this.olderThan(ageMs));
  }

  /** Forgets leaps that matter to nothing of that age or less. */
  forget(ageMs: number): void {
    const before = this.olderThan(ageMs);
    this.#leaps = this.#leaps.filter(({ to }) => to >= before);
  }

  /** To be kept for the next process. */
  get life(): Life {
    return { seenAt: this.#seenAt, leaps: this.#leaps };
  }

  /** Too many are made fewer by joining the oldest, which makes things younger. */
  #add(leap: Leap): void {
    const [first, second, ...rest] = [...this.#leaps, leap];
    this.#leaps =
      first && second && rest.length >= limits.clockLeapsMax
        ? [{ from: first.from, to: second.to }, ...rest]
        : [...this.#leaps, leap];
  }
}

/** Without what is still to come by a clock that was set back to that time. */
function cutAt(leaps: readonly Leap[], now: number): readonly Leap[] {
  return leaps
    .filter(({ from }) => from < now)
    .map(({ from, to }) => ({ from, to: Math.min(to, now) }));
}
