// Elects one process of a data folder as leader: the process that holds an exclusive file lock.

import { basename } from 'node:path';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import { type Lock, tryLock } from '../../storage/file-lock.ts';
import { startPeriodicTask } from './periodic-task.ts';

export interface LeaderElectionOptions {
  /** The lock file; created where missing. */
  readonly path: string;
  readonly log: Log;
  /** Starts the leader's work once this process is elected. */
  onElected(): { stop(): Promise<void> };
}

export interface LeaderElection {
  /** Why the last election attempt failed; undefined: it did not fail. */
  readonly failure: string | undefined;
  /** Stops the work, then releases the lock. */
  stop(): Promise<void>;
}

/**
 * Tries to take the lock now and then every second; the operating system releases the lock of a
 * process that dies. A leader stays leader until it stops.
 */
export function startLeaderElection({
  path,
  log,
  onElected,
}: LeaderElectionOptions): LeaderElection {
  let lock: Lock | undefined;
  let running: { stop(): Promise<void> } | undefined;
  const take = async () => {
    if (lock) return;
    lock = tryLock(path, 'exclusive');
    if (!lock) return;
    log.debug('This process does the background work of the data folder.');
    try {
      running = onElected();
    } catch (thrown) {
      lock.release();
      lock = undefined;
      throw thrown;
    }
  };
  const timer = startPeriodicTask(`The lock in ${basename(path)}`, limits.leaderPollMs, take, log);
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
