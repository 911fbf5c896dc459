// What the handlers and the background work of the Event Store are built from.

import type { Clock } from '../clock.ts';
import type { EventStoreSettings } from '../event-store-config.ts';
import type { Log } from '../log.ts';
import type { FileStore } from '../storage/file-store.ts';
import type { EventSchemas } from './intake/event-schemas.ts';
import type { EventStore } from './store/store.ts';
import type { Capacity } from './upkeep/capacity.ts';
import type { OpenUploads } from './upkeep/open-uploads.ts';
import type { Uploader } from './upload/uploader.ts';

export interface Parts {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly schemas: EventSchemas;
  readonly capacity: Capacity;
  readonly uploader: Uploader;
  /** Drafts that a file is being attached to right now. */
  readonly openUploads: OpenUploads;
  /** What is wrong with the service, in our own words; nothing: it is well. */
  problems(): readonly string[];
  readonly settings: EventStoreSettings;
  readonly clock: Clock;
  readonly log: Log;
}
