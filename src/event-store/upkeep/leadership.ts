// One process of a data folder does the background work: who holds the lock of a file.

import { basename } from 'node:path';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { type Lock, tryLock } from '../../storage/file-lock.ts';
import { startTimer } from './timer.ts';

export interface LeadershipOptions {
  /** The lock file; made where there is none. */
  readonly path: string;
  readonly log: Log;
  /** Starts the work, once this process leads. */
  work(): { stop(): Promise<void> };
}

export interface Leadership {
  /** Why this process cannot lead, where no other one does either. In our own words. */
  readonly failure: string | undefined;
  /** Ends the work, then lets another process lead. */
  stop(): Promise<void>;
}

/**
 * Looks at once, then every second, whether the lock is free; the operating system frees that of a
 * process that dies. Who leads does so until it stops.
 */
export function startLeadership({ path, log, work }: LeadershipOptions): Leadership {
  let lock: Lock | undefined;
  let running: { stop(): Promise<void> } | undefined;
  const take = async () => {
    if (lock) return;
    lock = tryLock(path, 'exclusive');
    if (!lock) return;
    log.debug('This process does the background work of the data folder.');
    try {
      running = work();
    } catch (thrown) {
      lock.release();
      lock = undefined;
      throw thrown;
    }
  };
  const timer = startTimer(`The lock in ${basename(path)}`, limits.leaderPollMs, take, log);
  return {
    get failure() {
      return timer.failure;
    },
    stop: async () => {
      await timer.stop();
      await running?.stop();
      running = undefined;
      lock?.release();
      lock = undefined;
    },
  };
}
