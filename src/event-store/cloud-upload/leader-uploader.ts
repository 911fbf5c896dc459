// Runs the uploader in the one process of a data folder that holds the upload lock. Its modules are
// loaded only where cloud upload is on: they are a third of the service.

import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { startLeaderElection } from '../retention/leader-election.ts';
import type { EventStore } from '../store/store.ts';
import { disabledUploader, type Uploader } from './disabled-uploader.ts';

export interface LeaderUploaderOptions {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly settings: EventStoreSettings;
  /** The data folder; it holds the upload lock. */
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns `disabledUploader` while cloud upload is off. */
export async function startLeaderUploader(options: LeaderUploaderOptions): Promise<Uploader> {
  const { settings, data, log } = options;
  const { cloud, defaultSolutionId } = settings;
  if (cloud === undefined) return disabledUploader;
  const { startUploader } = await import('./uploader.ts');
  let running: Uploader | undefined;
  const election = startLeaderElection({
    path: join(data, 'upload.lock'),
    onElected: () => {
      running = startUploader({ ...options, cloud, defaultSolutionId });
      return running;
    },
    log,
  });
  return {
    wake: () => running?.wake(),
    retry: () => running?.retry(),
    state: () => {
      const state = (running ?? disabledUploader).state();
      return { ...state, lastError: state.lastError ?? election.failure };
    },
    stop: () => election.stop(),
  };
}
