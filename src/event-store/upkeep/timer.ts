// Work that is done again and again, never twice at the same time.

import { FoveaError } from '../../errors.ts';
import type { Log } from '../../log.ts';

export interface Timer {
  /** What failed in the last run, and why; undefined: nothing. In our own words. */
  readonly failure: string | undefined;
  /** Ends it; waits for what runs. */
  stop(): Promise<void>;
}

/**
 * Runs the work now, and again so long after each end. What it throws is logged, once while it
 * stays the same, and does not end it.
 */
export function startTimer(
  name: string,
  intervalMs: number,
  work: () => Promise<void>,
  log: Log,
): Timer {
  let isStopped = false;
  let failure: string | undefined;
  let next: NodeJS.Timeout | undefined;
  const run = async () => {
    try {
      await work();
      failure = undefined;
    } catch (thrown) {
      const words = wordsOf(thrown);
      if (words !== failure && !isStopped) log.error(`${name} failed.`, { reason: words });
      failure = words;
    }
    if (isStopped) return;
    next = setTimeout(() => {
      running = run();
    }, intervalMs).unref();
  };
  let running = run();
  return {
    get failure() {
      return failure === undefined ? undefined : `${name}: ${failure}`;
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(next);
      await running;
    },
  };
}

/** Words of others stay out of logs and answers. */
function wordsOf(thrown: unknown): string {
  return thrown instanceof FoveaError ? thrown.message : 'Something failed inside Fovea.';
}
