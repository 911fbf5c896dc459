// Starts all that keeps an Event Store within its limits: admission control, removal, maintenance.

import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';
import { AdmissionControl } from './admission-control.ts';
import { BallastFile } from './ballast-file.ts';
import { lockDataFolder } from './data-folder-lock.ts';
import type { SizedSettings } from './disk-share.ts';
import { EventRemover } from './event-remover.ts';
import { FutureClockCheck } from './future-clock-check.ts';
import { startLeaderElection } from './leader-election.ts';
import { Maintenance } from './maintenance.ts';
import { MountCheck } from './mount-check.ts';
import { startPeriodicTask } from './periodic-task.ts';
import { type FolderPolicy, openPolicy } from './retention-policy.ts';
import type { UploadsInProgress } from './uploads-in-progress.ts';

export interface RetentionOptions {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly settings: SizedSettings;
  readonly uploadsInProgress: UploadsInProgress;
  readonly clock: Clock;
  readonly log: Log;
  /** The data folder: it holds the locks, the ballast file and the clock history. */
  readonly data: string;
}

export interface Retention {
  readonly admission: AdmissionControl;
  readonly policy: FolderPolicy;
  /** Runs the draft sweep and the cleanup now if this process is the leader: for tests. */
  cleanNow(): Promise<void>;
  /** What is wrong, if anything. */
  health(): readonly string[];
  /** What of it keeps events out, or makes it unsafe to send them here. */
  refusals(): readonly string[];
  /** Ends the maintenance; another process takes it over. */
  stop(): Promise<void>;
}

/** Resolves before the first cleanup has ended. Throws as enterFolder and openPolicy do. */
export async function startRetention(options: RetentionOptions): Promise<Retention> {
  const { store, files, settings, clock, data } = options;
  const log = options.log.part('event-store');
  const policy = await openPolicy(data, settings);
  const mountCheck = new MountCheck(store, files, log);
  const ballast = new BallastFile(data, policy);
  const futureClock = new FutureClockCheck(store, clock);
  const remover = new EventRemover({ store, files, policy, mountCheck });
  const admission = new AdmissionControl({ ...options, log, policy, mountCheck, remover, ballast });

  let aloneSince: number | undefined;
  const folderLock = await lockDataFolder(join(data, 'presence.lock'), async () => {
    aloneSince = clock.now();
    await files.clearUnfinished();
  });
  let maintenance: Maintenance | undefined;
  const election = startLeaderElection({
    path: join(data, 'leader.lock'),
    log,
    onElected: () => {
      maintenance = new Maintenance({
        ...options,
        log,
        policy,
        mountCheck,
        admission,
        remover,
        ballast,
        aloneSince,
      });
      return maintenance;
    },
  });
  const checkEverySecond = async () => {
    await admission.refresh();
    await futureClock.check();
    // The leader checks regularly; other processes repeat only a check that failed.
    if (mountCheck.problem !== undefined) await mountCheck.check();
    if (remover.problem !== undefined) await remover.unlinkRemoved();
  };
  const reading = startPeriodicTask(
    'Reading figures',
    limits.capacityReadMs,
    checkEverySecond,
    log,
  );

  return {
    admission,
    policy,
    cleanNow: async () => maintenance?.clean(),
    health: () => {
      const found = [admission.blocked, mountCheck.problem, remover.problem, futureClock.problem];
      const failed = [reading.failure, election.failure, ...(maintenance?.problems ?? [])];
      return [...new Set([...found, ...failed])].filter(isGiven);
    },
    refusals: () => [admission.blocked, mountCheck.problem, election.failure].filter(isGiven),
    stop: async () => {
      remover.stop();
      await reading.stop();
      await election.stop();
      folderLock.release();
    },
  };
}

function isGiven(problem: string | undefined): problem is string {
  return problem !== undefined;
}
