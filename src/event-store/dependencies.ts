// What the handlers and routes of the Event Store depend on.

import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { FileStore } from '../storage/file-store.ts';
import type { Uploader } from './cloud-upload/disabled-uploader.ts';
import type { AdmissionControl } from './retention/admission-control.ts';
import type { SizedSettings } from './retention/disk-share.ts';
import type { UploadsInProgress } from './retention/uploads-in-progress.ts';
import type { EventStore } from './store/store.ts';
import type { EventSchemas } from './validation/event-schemas.ts';

export interface EventStoreDependencies {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly schemas: EventSchemas;
  readonly admission: AdmissionControl;
  readonly uploader: Uploader;
  /** Drafts that a file is being attached to. */
  readonly uploadsInProgress: UploadsInProgress;
  /** What is wrong with the service; empty: it is healthy. */
  problems(): readonly string[];
  /** Why no events should be sent here now; empty: they may. */
  refusals(): readonly string[];
  readonly settings: SizedSettings;
  readonly clock: Clock;
  readonly log: Log;
}
