// When a call may be made again, and after how long. Pure: no clock, no network.

import type { Effect } from '../contract/operation.ts';

/** How an attempt that failed ended. */
export interface Ending {
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
export function mayRepeat(effect: Effect, { sent, status, retryable }: Ending): boolean {
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
