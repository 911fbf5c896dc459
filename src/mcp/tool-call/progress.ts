// Reports the progress of one call, at a bounded rate.

import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import { withoutWords } from '../untrusted-text.ts';

/** One report; `progress` grows with each. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

export interface Progress {
  report(done: number, total: number | undefined, message: string): void;
  /** Stops reporting, and waits until all reports are sent. */
  finish(): Promise<void>;
}

/**
 * Sends at most one report per `progressIntervalMs`, each with more progress than before; the one
 * that completes the total is always sent. A host that is gone is no error.
 */
export function createProgress(
  clock: Clock,
  send: (report: ProgressReport) => Promise<void>,
): Progress {
  let last = Number.NEGATIVE_INFINITY;
  let sentAt = Number.NEGATIVE_INFINITY;
  let isFinished = false;
  let sent = Promise.resolve();
  return {
    report(done, total, message) {
      const now = clock.monotonic();
      const isEarly = now - sentAt < limits.progressIntervalMs && done !== total;
      if (isFinished || !(done > last) || isEarly) return;
      last = done;
      sentAt = now;
      const report = { progress: done, ...(total !== undefined && { total }) };
      const sending = send({ ...report, message: withoutWords(message) }).catch(() => undefined);
      sent = sent.then(() => sending);
    },
    async finish() {
      isFinished = true;
      await sent;
    },
  };
}

export const noProgress: Progress = { report: () => undefined, finish: async () => undefined };
