// The end of a call: its time is up, or its caller gave up.

import type { Clock } from '../clock.ts';

export interface Deadline {
  /** Aborts when the time is up or the caller gives up. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether the caller gave up, as opposed to the time being up. */
  isCancelled(): boolean;
  remainingMs(): number;
  /** Must be called when the call has ended: stops the timer. */
  clear(): void;
}

export function startDeadline(
  clock: Clock,
  timeoutMs: number,
  cancel: AbortSignal | undefined,
): Deadline {
  const end = clock.monotonic() + timeoutMs;
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(), Math.min(timeoutMs, timerMsMax));
  return {
    signal: cancel ? AbortSignal.any([cancel, timeUp.signal]) : timeUp.signal,
    timeoutMs,
    isCancelled: () => cancel?.aborted === true,
    remainingMs: () => end - clock.monotonic(),
    clear: () => clearTimeout(timer),
  };
}

/** The promise's result, or a rejection with the signal's reason as soon as it aborts. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    promise.catch(() => undefined);
  }
}

/** Timers of Node.js wrap around above this. */
const timerMsMax = 2 ** 31 - 1;
