// Fills a store through the storage of the product, as fast as it takes events.

import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { indexPathOf } from '../../src/event-store/index/index-file.ts';
import { Indexer } from '../../src/event-store/index/indexer.ts';
import { openEventStore } from '../../src/event-store/store/sqlite-store.ts';
import type { NewEvent } from '../../src/event-store/store/store.ts';
import { openToRead } from '../../src/storage/database.ts';
import { detections, deviceId, metadata } from './events.ts';

/** Of the first events alone: a key that no later event has. */
const pilotEvents = 2_000;

/** Adds the events of these ordinals, from `from` on and below `until`. Gives the seconds. */
export async function fill(data: string, from: number, until: number): Promise<number> {
  const store = await openEventStore({ data, clock: systemClock });
  let next = from;
  const startMs = performance.now();
  /** Several groups at once: while one is on its way to the disk, the next one is made. */
  const produce = async () => {
    while (next < until) {
      const first = next;
      next = Math.min(until, first + groupSize);
      const events = Array.from({ length: next - first }, (_, index) => newEvent(first + index));
      await Promise.all(events.map((event) => store.create(event)));
    }
  };
  await Promise.all(Array.from({ length: groupsAtOnce }, produce));
  const endMs = performance.now();
  await store.close();
  return (endMs - startMs) / 1_000;
}

/** Puts all of them into the index, as the leader of a service does. Gives the seconds. */
export function index(data: string): number {
  const events = openToRead(join(data, 'events.db'));
  const indexer = new Indexer(events, indexPathOf(data));
  const startMs = performance.now();
  while (indexer.step() > 0) {}
  while (indexer.mergeSome()) {}
  const endMs = performance.now();
  indexer.close();
  events.close();
  return (endMs - startMs) / 1_000;
}

const groupSize = 500;
const groupsAtOnce = 4;

/** One in a hundred is the feedback on the event before it. */
function newEvent(ordinal: number): NewEvent {
  const isFeedback = ordinal % 100 === 99;
  return {
    draft: false,
    solution: 'bottle-inspection',
    workflowId: `workflow-${ordinal % 5}`,
    workflowVersion: '3',
    deviceId: deviceId(ordinal),
    streamId: undefined,
    imageId: undefined,
    inferenceTimestamp: '2026-11-21T06:29:50.123456Z',
    eventSchema: isFeedback ? 'operator_feedback' : 'quality_check',
    eventData: isFeedback
      ? { relatedEventId: relatedId(ordinal), feedback: 'correct' }
      : { result: ordinal % 20 === 0 ? 'fail' : 'pass', externalId: externalId(ordinal) },
    externalId: isFeedback ? undefined : externalId(ordinal),
    relatedEventId: isFeedback ? relatedId(ordinal) : undefined,
    customMetadata: { ...metadata(ordinal), ...(ordinal < pilotEvents && { pilot: 'yes' }) },
    displayImagePosition: undefined,
    images: [
      {
        file_id: null,
        input_file_id: null,
        label: null,
        object_detections: detections(ordinal, 1),
        classifications: [],
        instance_segmentations: [],
        keypoints: [],
        metadata: null,
      },
    ],
    files: [],
  };
}

export function externalId(ordinal: number): string {
  return `order-${ordinal}`;
}

export function relatedId(ordinal: number): string {
  return `event-${ordinal - 1}`;
}
