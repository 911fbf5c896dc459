// Uploads in whichever process of a data folder leads; in all others they only wait for their turn.

import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import type { Log } from '../../log.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore } from '../store/store.ts';
import { startLeadership } from '../upkeep/leadership.ts';
import { noUploader, startUploader, type Uploader } from './uploader.ts';

export interface UploadsOptions {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly settings: EventStoreSettings;
  /** Data folder, where the lock is that one process holds. */
  readonly data: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Nothing is sent while cloud upload is off. */
export function startUploads(options: UploadsOptions): Uploader {
  const { settings, data, log } = options;
  const { cloud, defaultSolutionId } = settings;
  if (cloud === undefined) return noUploader;
  let running: Uploader | undefined;
  const leadership = startLeadership({
    path: join(data, 'upload.lock'),
    work: () => {
      running = startUploader({ ...options, cloud, defaultSolutionId });
      return running;
    },
    log,
  });
  return {
    wake: () => running?.wake(),
    retry: () => running?.retry(),
    state: () => {
      const state = (running ?? noUploader).state();
      return { ...state, lastError: state.lastError ?? leadership.failure };
    },
    stop: () => leadership.stop(),
  };
}
