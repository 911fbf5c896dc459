// The one loop that repeats what failed: within the deadline, after the wait that is due.

import { setTimeout as wait } from 'node:timers/promises';
import type { FoveaError } from '../errors.ts';
import type { Deadline } from './deadline.ts';
import { backoffMs, type RetryDelay } from './retry.ts';

/** Why an attempt failed, and whether another one is allowed. */
export interface Failure {
  readonly error: FoveaError;
  readonly mayRepeat: boolean;
  /** The wait that the service asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

export type Attempt<T> = { readonly done: T } | { readonly failure: Failure };

export interface AttemptPolicy {
  readonly attemptsMax: number;
  readonly delayMs: RetryDelay;
  readonly random: () => number;
}

/**
 * Makes attempts until one succeeds, or no further one is allowed or would still be in time; then
 * throws the last error. `aborted` makes the error for a deadline that ends during a wait.
 */
export async function repeat<T>(
  policy: AttemptPolicy,
  deadline: Deadline,
  once: () => Promise<Attempt<T>>,
  aborted: () => FoveaError,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await once();
    if ('done' in outcome) return outcome.done;
    const { error, mayRepeat, retryAfterMs } = outcome.failure;
    if (!mayRepeat || attempt >= policy.attemptsMax || deadline.signal.aborted) throw error;
    const waitMs = retryAfterMs ?? backoffMs(attempt, policy.delayMs, policy.random);
    if (waitMs >= deadline.remainingMs()) throw error;
    await wait(waitMs, undefined, { signal: deadline.signal }).catch(() => {
      throw aborted();
    });
  }
}
