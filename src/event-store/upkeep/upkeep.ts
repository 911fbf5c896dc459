// Keeps an Event Store within its limits: what it takes in, what it removes, and who sees to it.

import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';
import { type Background, startBackground } from './background.ts';
import type { Capacity } from './capacity.ts';
import { Cleaner } from './cleaner.ts';
import { ClockLead } from './clock-lead.ts';
import { Gate } from './gate.ts';
import { startLeadership } from './leadership.ts';
import type { OpenUploads } from './open-uploads.ts';
import { Doubt } from './plausibility.ts';
import { type FolderPolicy, openPolicy } from './policy.ts';
import { enterFolder } from './presence.ts';
import { Reserve } from './reserve.ts';
import { startTimer } from './timer.ts';

export interface UpkeepOptions {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly settings: EventStoreSettings;
  readonly openUploads: OpenUploads;
  readonly clock: Clock;
  readonly log: Log;
  /** The data folder; the locks, the reserve and what is known of the clock lie in it. */
  readonly data: string;
}

export interface Upkeep {
  readonly capacity: Capacity;
  readonly policy: FolderPolicy;
  /** Does the sweep of drafts and the cleanup now, where this process leads: for tests. */
  cleanNow(): Promise<void>;
  /** What is wrong, if anything, in our own words. */
  health(): readonly string[];
  /** Ends the background work; another process takes it over. */
  stop(): Promise<void>;
}

/** Resolves before the first cleanup has ended. Throws as enterFolder and openPolicy do. */
export async function startUpkeep(options: UpkeepOptions): Promise<Upkeep> {
  const { store, files, settings, clock, data } = options;
  const log = options.log.part('event-store');
  const policy = await openPolicy(data, settings);
  const doubt = new Doubt(store, files, log);
  const reserve = new Reserve(data, policy);
  const lead = new ClockLead(store, clock);
  const cleaner = new Cleaner({ store, files, policy, doubt });
  const gate = new Gate({ ...options, log, policy, doubt, cleaner, reserve });

  let aloneSince: number | undefined;
  const presence = await enterFolder(join(data, 'presence.lock'), async () => {
    aloneSince = clock.now();
    await files.clearUnfinished();
  });
  let background: Background | undefined;
  const leadership = startLeadership({
    path: join(data, 'leader.lock'),
    log,
    work: () => {
      background = startBackground({
        ...options,
        log,
        policy,
        doubt,
        gate,
        cleaner,
        reserve,
        aloneSince,
      });
      return background;
    },
  });
  const look = async () => {
    await gate.refresh();
    await lead.look();
    // The leader looks again by itself; others only where it matters.
    if (doubt.words !== undefined) await doubt.look();
    if (cleaner.problem !== undefined) await cleaner.unlinkRemoved();
  };
  const reading = startTimer('Reading figures', limits.capacityReadMs, look, log);

  return {
    capacity: gate,
    policy,
    cleanNow: async () => background?.clean(),
    health: () => {
      const found = [gate.blocked, doubt.words, cleaner.problem, lead.words];
      const failed = [reading.failure, leadership.failure, ...(background?.problems ?? [])];
      return [...new Set([...found, ...failed])].filter(isGiven);
    },
    stop: async () => {
      cleaner.stop();
      await reading.stop();
      await leadership.stop();
      presence.release();
    },
  };
}

function isGiven(words: string | undefined): words is string {
  return words !== undefined;
}
