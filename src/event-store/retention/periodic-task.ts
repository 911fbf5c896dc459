// Runs a task at an interval, never twice at the same time.

import { FoveaError } from '../../errors.ts';
import type { Log } from '../../log.ts';

export interface PeriodicTask {
  /** What failed in the last run, and why; undefined: the last run succeeded. */
  readonly failure: string | undefined;
  /** Waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Runs the work now, and again `intervalMs` after each end. Errors are logged once while they stay
 * the same; the task goes on.
 */
export function startPeriodicTask(
  name: string,
  intervalMs: number,
  work: () => Promise<void>,
  log: Log,
): PeriodicTask {
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

/** Messages by other software may hold private data, so they are neither logged nor sent. */
function wordsOf(thrown: unknown): string {
  return thrown instanceof FoveaError ? thrown.message : 'Something failed inside Fovea.';
}
