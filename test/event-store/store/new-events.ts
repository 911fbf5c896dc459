// What the tests of the Event Store are made of: events, files, folders, clocks.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/clock.ts';
import { indexPathOf } from '../../../src/event-store/index/index-file.ts';
import { Indexer } from '../../../src/event-store/index/indexer.ts';
import { openEventStore } from '../../../src/event-store/store/sqlite-store.ts';
import type {
  EventQuery,
  EventStore,
  NewEvent,
  NewFile,
  StoredEvent,
} from '../../../src/event-store/store/store.ts';
import { openToRead } from '../../../src/storage/database.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

/** A store on a folder, a new one when none is given; closed after the test. */
export async function sqliteStore(clock: Clock, data?: string): Promise<EventStore> {
  const folder = data ?? (await temporaryFolder());
  const store = await openEventStore({ data: folder, clock });
  onTestFinished(() => store.close());
  return store;
}

/** Puts all events of a data folder into its index, as the leader does it. */
export function indexEvents(data: string): void {
  const events = openToRead(join(data, 'events.db'));
  const indexer = new Indexer(events, indexPathOf(data));
  try {
    while (indexer.step() > 0) {}
  } finally {
    indexer.close();
    events.close();
  }
}

/** An image that is not there and of which nothing is known. */
export const noImage = {
  file_id: null,
  input_file_id: null,
  label: null,
  object_detections: [],
  classifications: [],
  instance_segmentations: [],
  keypoints: [],
  metadata: null,
};

export function newEvent(change: Partial<NewEvent> = {}): NewEvent {
  return {
    draft: false,
    solution: undefined,
    workflowId: undefined,
    workflowVersion: undefined,
    deviceId: undefined,
    streamId: undefined,
    imageId: undefined,
    inferenceTimestamp: '2026-11-20T00:00:00Z',
    eventSchema: 'custom',
    eventData: {},
    externalId: undefined,
    relatedEventId: undefined,
    customMetadata: undefined,
    displayImagePosition: undefined,
    images: [],
    files: [],
    ...change,
  };
}

let fileNumber = 0;

/** A file with an id that no other has. */
export function newFile(change: Partial<NewFile> = {}): NewFile {
  fileNumber += 1;
  return {
    id: `file-${String(fileNumber).padStart(8, '0')}`,
    kind: 'image',
    label: undefined,
    contentType: 'image/png',
    bytes: 10,
    diskBytes: 4096,
    ...change,
  };
}

/** Everything that a query finds, page by page. */
export async function allPages(store: EventStore, query: EventQuery): Promise<StoredEvent[]> {
  const found: StoredEvent[] = [];
  let page = await store.list(query);
  for (;;) {
    found.push(...page.events);
    if (page.next === undefined) return found;
    const from = query.order === 'newest_first' ? query.from : page.next;
    const until = query.order === 'newest_first' ? page.next : query.until;
    page = await store.list(bounded(query, from, until));
  }
}

function bounded(query: EventQuery, from?: number, until?: number): EventQuery {
  return {
    ...query,
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  };
}
