// Rate limits: calls of one principal in a minute (sliding window), and at the same time.

import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';

export interface RateLimits {
  readonly callsPerMinuteMax: number;
  readonly callsAtOnceMax: number;
}

export interface RateLimiter {
  /** Counts a call. Throws `rate_limited`, with the wait in seconds, above a limit. */
  begin(principal: string): CountedCall;
}

/** One request, from its first byte to the end of its answer. */
export interface CountedCall {
  /** The request is a batch of so many calls. Throws as `begin`. */
  count(calls: number): void;
  end(): void;
}

/** Calls that other processes have counted within the last minute. */
export interface CallsElsewhere {
  /** Tells them of calls of this process. */
  add(name: string, calls: number): void;
  /** As far as it is known here. */
  count(name: string): number;
}

const nowhere: CallsElsewhere = { add: () => {}, count: () => 0 };

const windowSeconds = 60;

/** Where calls elsewhere are all that there are, it is not known when they came. */
const retrySecondsElsewhere = 10;

/** Counts calls per second, and sums the last 60 seconds, with those of `elsewhere`. In memory. */
export function createRateLimiter(
  clock: Clock,
  bounds: RateLimits,
  elsewhere: CallsElsewhere = nowhere,
): RateLimiter {
  const principals = new Map<string, Usage>();
  let sweepAt = windowSeconds;
  const now = () => Math.floor(clock.monotonic() / 1_000);
  return {
    begin: (principal) => {
      const second = now();
      if (second >= sweepAt) {
        sweepAt = second + windowSeconds;
        for (const [name, usage] of principals) if (usage.isIdle(second)) principals.delete(name);
      }
      const usage = principals.get(principal) ?? new Usage(principal, bounds, elsewhere);
      principals.set(principal, usage);
      usage.begin(second);
      return {
        // One was counted for the request: an empty batch gives nothing back.
        count: (calls) => usage.count(Math.max(0, calls - 1), second),
        end: () => usage.end(),
      };
    },
  };
}

class Usage {
  /** Calls by the second in which they came, the oldest first. */
  readonly #calls = new Map<number, number>();
  readonly #name: string;
  readonly #bounds: RateLimits;
  readonly #elsewhere: CallsElsewhere;
  #running = 0;

  constructor(name: string, bounds: RateLimits, elsewhere: CallsElsewhere) {
    this.#name = name;
    this.#bounds = bounds;
    this.#elsewhere = elsewhere;
  }

  begin(second: number): void {
    const { callsAtOnceMax } = this.#bounds;
    if (this.#running >= callsAtOnceMax) {
      throw tooMany(`${callsAtOnceMax} requests are running already`, 1);
    }
    this.count(1, second);
    this.#running += 1;
  }

  count(calls: number, second: number): void {
    const { callsPerMinuteMax } = this.#bounds;
    this.#forget(second);
    const own = [...this.#calls.values()].reduce((left, right) => left + right, 0);
    if (own + this.#elsewhere.count(this.#name) + calls > callsPerMinuteMax) {
      const [oldest] = this.#calls.keys();
      const wait =
        oldest === undefined ? retrySecondsElsewhere : Math.max(1, oldest + windowSeconds - second);
      throw tooMany(`More than ${callsPerMinuteMax} calls came within a minute`, wait);
    }
    this.#calls.set(second, (this.#calls.get(second) ?? 0) + calls);
    this.#elsewhere.add(this.#name, calls);
  }

  end(): void {
    this.#running -= 1;
  }

  isIdle(second: number): boolean {
    this.#forget(second);
    return this.#running === 0 && this.#calls.size === 0;
  }

  #forget(second: number): void {
    for (const at of this.#calls.keys()) if (at <= second - windowSeconds) this.#calls.delete(at);
  }
}

function tooMany(what: string, retryAfterSeconds: number): FoveaError {
  return new FoveaError('rate_limited', `${what}.`, {
    retryAfterSeconds,
    hint: `Wait ${retryAfterSeconds} s, and send less at a time.`,
  });
}
