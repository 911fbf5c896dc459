// When a failed call is made again: the loop, the policy, and the waits between attempts.

import { setTimeout as wait } from 'node:timers/promises';
import type { Effect } from '../contract/operation.ts';
import type { FoveaError } from '../errors.ts';
import type { Deadline } from './deadline.ts';

/** Why an attempt failed, and whether another one is allowed. */
export interface Failure {
  readonly error: FoveaError;
  readonly mayRepeat: boolean;
  /** The wait that the service asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

export type Attempt<T> = { readonly done: T } | { readonly failure: Failure };

export interface RetryPolicy {
  readonly attemptsMax: number;
  readonly delayMs: RetryDelay;
  readonly random: () => number;
}

/**
 * Makes attempts until one succeeds, or no further one is allowed or would still be in time; then
 * throws the last error. `aborted` makes the error for a deadline that ends during a wait.
 */
export async function retry<T>(
  policy: RetryPolicy,
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

/** How an attempt that failed ended. */
export interface FailedAttempt {
  /** Whether any of the request may have reached the service. */
  readonly sent: boolean;
  /** The status, where an answer came. Undefined: the connection ended before. */
  readonly status: number | undefined;
  /** Whether the body of the answer says `retryable: true`. */
  readonly retryable: boolean;
}

export interface RetryDelay {
  readonly min: number;
  readonly max: number;
}

/**
 * Whether the same call may be sent again without being asked to. A read: after a lost connection,
 * 429, 502, 503 and 504. A write: only where it has surely not been carried out.
 */
export function mayRepeat(effect: Effect, { sent, status, retryable }: FailedAttempt): boolean {
  if (!sent || status === 429) return true;
  if (effect !== 'reads') return status === 502 && retryable;
  return status === undefined || status === 502 || status === 503 || status === 504;
}

/** Full jitter: a random share of a bound that doubles from `min` to `max`. In milliseconds. */
export function backoffMs(attempt: number, delay: RetryDelay, random: () => number): number {
  return Math.round(random() * Math.min(delay.max, delay.min * 2 ** attempt));
}

type Header = string | readonly string[] | undefined;

/**
 * The wait that the headers of an answer ask for, in milliseconds: from seconds or from an HTTP
 * date (RFC 9110, section 10.2.3). Undefined where there is none that can be read. `now` is wall
 * time of this machine, for an answer that has no date of its own.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, Header>>,
  now: number,
): number | undefined {
  const text = firstOf(headers['retry-after']);
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const time = httpDate(text);
  if (time === undefined) return undefined;
  // The clock of this machine may be wrong; both dates are of the same service.
  return Math.max(0, time - (httpDate(firstOf(headers.date)) ?? now));
}

function firstOf(header: Header): string {
  return (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
}

function httpDate(text: string): number | undefined {
  // Only the form with a zone: the others would be read in the local time of this machine.
  const time = /^[A-Z][a-z]{2}.* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
