// The deadline of a call: a timeout combined with the signal of the caller.

import type { Clock } from '../clock.ts';

export interface Deadline {
  /** Aborts when the time is up or the caller cancels. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whether the caller cancelled, as opposed to the time being up. */
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

/** Timers of Node.js wrap around above this. */
const timerMsMax = 2 ** 31 - 1;
