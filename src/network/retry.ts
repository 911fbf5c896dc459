// Decides about all retries: which failed requests are sent again, how often, after which wait, and
// that a refused credential is renewed once.

import { setTimeout as wait } from 'node:timers/promises';
import { FoveaError, systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { isUntrustedCertificate } from './certificate-errors.ts';
import { asProxyError } from './proxy-error.ts';

/** How an attempt failed. */
export type FailedAttempt =
  /** Nothing of the request reached the service. `cause`: the error of the connection. */
  | { readonly kind: 'not_sent'; readonly cause: unknown }
  /** The connection ended before the whole answer came. */
  | { readonly kind: 'lost' }
  /** An error answer. `retryable`: whether its body says so. */
  | { readonly kind: 'status'; readonly status: number; readonly retryable: boolean };

export interface AttemptedRequest {
  /** Whether the request changes nothing. */
  readonly isRead: boolean;
  /** The service allows one request per interval, which an error answer uses up. */
  readonly isOncePerInterval?: boolean;
}

/**
 * Whether the same request may be sent again without being asked to. A read: after a lost
 * connection, 429, 502, 503 and 504. A write: only where it has surely not been carried out.
 */
export function mayRepeat(request: AttemptedRequest, failed: FailedAttempt): boolean {
  if (failed.kind === 'not_sent') return isTemporary(failed.cause);
  if (failed.kind === 'lost') return request.isRead;
  if (request.isOncePerInterval) return false;
  const { status, retryable } = failed;
  if (status === 429) return true;
  return request.isRead ? temporaryStatuses.includes(status) : status === 502 && retryable;
}

const temporaryStatuses = [502, 503, 504];

/** Whether another connection may succeed where this one was not made. */
function isTemporary(cause: unknown): boolean {
  return asProxyError(cause)?.isTemporary ?? !isUntrustedCertificate(systemErrorCode(cause));
}

export interface RetryDelay {
  /** In milliseconds. */
  readonly min: number;
  readonly max: number;
}

export interface RetryOptions {
  /** Attempts of one call, the first included; that of `limits` when left out. */
  readonly attemptsMax?: number;
  /** Least and greatest bound of the wait before a retry; those of `limits` when left out. */
  readonly retryDelayMs?: RetryDelay;
  /** From 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
}

/** Why an attempt failed, and whether another one is allowed. */
export interface Failure {
  readonly error: FoveaError;
  /** The answer of `mayRepeat`. */
  readonly mayRepeat: boolean;
  /** The wait that the service asks for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

export type Attempt<T> = { readonly done: T } | { readonly failure: Failure };

interface CallDeadline {
  /** Aborts when the time is up or the caller cancels. */
  readonly signal: AbortSignal;
  remainingMs(): number;
}

/**
 * Makes attempts until one succeeds, or no further one is allowed or would still be in time; then
 * throws the last error. `aborted` makes the error for a deadline that ends during a wait.
 */
export async function withRetries<T>(
  options: RetryOptions,
  deadline: CallDeadline,
  once: () => Promise<Attempt<T>>,
  aborted: () => FoveaError,
): Promise<T> {
  const { attemptsMax = limits.callAttemptsMax, retryDelayMs = defaultDelayMs } = options;
  for (let attempt = 1; ; attempt++) {
    const outcome = await once();
    if ('done' in outcome) return outcome.done;
    const { error, mayRepeat, retryAfterMs } = outcome.failure;
    if (!mayRepeat || attempt >= attemptsMax || deadline.signal.aborted) throw error;
    const waitMs = retryAfterMs ?? backoffMs(attempt, retryDelayMs, options.random);
    if (waitMs >= deadline.remainingMs()) throw error;
    await wait(waitMs, undefined, { signal: deadline.signal }).catch(() => {
      throw aborted();
    });
  }
}

const defaultDelayMs: RetryDelay = { min: limits.retryDelayMsMin, max: limits.retryDelayMsMax };

/** Full jitter: a random share of a bound that doubles from `min` to `max`. In milliseconds. */
export function backoffMs(attempt: number, delay: RetryDelay, random = Math.random): number {
  return Math.round(random() * Math.min(delay.max, delay.min * 2 ** attempt));
}

/**
 * Makes a call; where the service refuses its credential (RFC 9110 section 15.5.2), renews that and
 * makes the call once more. A refused call was not carried out, so this holds for writes too.
 * `renew` gives undefined where there is no other credential.
 */
export async function withRenewal<Credential, T>(
  credential: Credential,
  call: (credential: Credential) => Promise<T>,
  renew: (refused: Credential) => Promise<Credential | undefined>,
): Promise<T> {
  try {
    return await call(credential);
  } catch (thrown) {
    const isRefused = thrown instanceof FoveaError && thrown.code === 'unauthenticated';
    const renewed = isRefused ? await renew(credential) : undefined;
    if (renewed === undefined) throw thrown;
    return call(renewed);
  }
}

type Header = string | readonly string[] | undefined;

/**
 * The wait that the headers of an answer ask for, in milliseconds: from seconds or from an HTTP
 * date (RFC 9110, section 10.2.3). Undefined if it is missing or invalid. `now` is the wall
 * clock of this machine, for an answer without a Date header.
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
