// One round of uploads: sends all waiting events, oldest first, each after its images.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { asFoveaError, FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore, StoredEvent, StoredFile } from '../store/store.ts';
import type { CloudClient } from './cloud-client.ts';
import { type CloudEvent, toCloudEvent } from './cloud-event.ts';
import type { PoisonEventQuarantine } from './poison-event-quarantine.ts';
import { readImage } from './read-event-image.ts';

export interface EventSenderDependencies {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly cloud: CloudClient;
  readonly defaultSolutionId: string | undefined;
  readonly progress: UploadProgress;
  readonly quarantine: PoisonEventQuarantine;
  /** Ends a round before its next batch. */
  readonly signal: AbortSignal;
}

/** Callbacks for what the cloud answered. */
export interface UploadProgress {
  /** The cloud accepted or refused an image or event. */
  answered(): void;
  /** The cloud accepted events. */
  sent(): void;
  /** An event was marked refused: by the cloud, or because it can never be sent. */
  refused(): void;
}

/**
 * Sends until no event waits. Throws a FoveaError when sending must be retried later. Progress is
 * recorded in the store, so a retry sends nothing twice.
 */
export type SendWaitingEvents = () => Promise<void>;

export function createEventSender(dependencies: EventSenderDependencies): SendWaitingEvents {
  const { quarantine } = dependencies;
  // Starts small and halves after a failure, so that a slow line or cloud is not overloaded.
  let pageMax = firstPageEvents;
  const send = async (page: readonly StoredEvent[]) => {
    const { events, hasWholePage } = await nextBatch(dependencies, page);
    const ids = events.map(({ event }) => event.id);
    try {
      await deliverEvents(dependencies, await uploadImages(dependencies, events));
    } catch (thrown) {
      if (quarantine.recordFailure(ids, asFoveaError(thrown))) return;
      throw thrown;
    }
    quarantine.release(ids);
    pageMax = hasWholePage ? Math.min(limits.eventBatchMax, pageMax * 2) : Math.max(1, ids.length);
  };
  /** Returns the oldest event of the page it sent; undefined: no event waits. */
  const sendNext = async (before: string | undefined) => {
    const dueForRetry = await eventDueForRetry(dependencies);
    if (dueForRetry !== undefined) await send([dueForRetry]);
    const page = await nextPage(dependencies, pageMax);
    const oldest = page[0]?.id;
    if (oldest === undefined) return undefined;
    if (oldest === before) throw new FoveaError('internal', stuck);
    await send(page);
    return oldest;
  };
  return async () => {
    try {
      let oldest: string | undefined;
      do {
        // Without any real I/O in between, this loop would block the event loop.
        await yieldToEventLoop();
        if (dependencies.signal.aborted) return;
        oldest = await sendNext(oldest);
      } while (oldest !== undefined);
    } catch (thrown) {
      pageMax = Math.max(1, Math.floor(pageMax / 2));
      throw asFoveaError(thrown);
    }
  };
}

/** The oldest waiting events that are not quarantined. */
async function nextPage(
  { store, quarantine }: EventSenderDependencies,
  max: number,
): Promise<readonly StoredEvent[]> {
  let after = 0;
  for (;;) {
    const waiting = await store.waiting(after, max + quarantine.size());
    const page = waiting.filter(({ id }) => !quarantine.isQuarantined(id)).slice(0, max);
    const last = waiting.at(-1);
    if (page.length > 0 || last === undefined) return page;
    // A page limited by bytes may hold quarantined events only.
    after = last.arrival;
  }
}

/** A quarantined event whose retry is due, if it still waits for upload. */
async function eventDueForRetry({
  store,
  quarantine,
}: EventSenderDependencies): Promise<StoredEvent | undefined> {
  const id = quarantine.dueForRetry();
  if (id === undefined) return undefined;
  const event = await store.get(id);
  if (event?.upload === 'waiting') return event;
  quarantine.release([id]);
  return undefined;
}

/** Every sent event must change state; without this check the loop could run forever. */
const stuck = 'The oldest event still waits, although it was dealt with.';

const firstPageEvents = 16;

interface WaitingEvent {
  readonly event: StoredEvent;
  readonly images: readonly StoredFile[];
}

/** As many events as fit into one batch. Events that can never be sent are marked refused. */
async function nextBatch(
  dependencies: EventSenderDependencies,
  page: readonly StoredEvent[],
): Promise<{ readonly events: readonly WaitingEvent[]; readonly hasWholePage: boolean }> {
  const events: WaitingEvent[] = [];
  const invalid: (readonly [StoredEvent, string])[] = [];
  let [bytes, imageBytes, hasWholePage] = [0, 0, true];
  for (const event of page) {
    const results = toCloudEvent(event, (fileId) => fileId, dependencies.defaultSolutionId);
    if ('invalid' in results) {
      invalid.push([event, results.invalid]);
      continue;
    }
    const images = event.images.length > 0 ? await dependencies.store.images(event.id) : [];
    if (!hasAllImages(images, event)) {
      invalid.push([event, lostImage]);
      continue;
    }
    bytes += sizeOf(results.event);
    imageBytes += imagesToSend(images).reduce((sum, image) => sum + image.bytes, 0);
    hasWholePage =
      bytes <= limits.cloudBatchBytesMax && imageBytes <= limits.cloudImageBytesAtOnceMax;
    if (!hasWholePage && events.length > 0) break;
    events.push({ event, images });
  }
  await Promise.all(invalid.map(([event, reason]) => refuseEvent(dependencies, event.id, reason)));
  return { events, hasWholePage };
}

/** Without its file row an image has no source id, and would never show in the cloud. */
function hasAllImages(files: readonly StoredFile[], { images }: StoredEvent): boolean {
  const ids = new Set(files.map(({ id }) => id));
  const wanted = images.flatMap(({ file_id, input_file_id }) => [file_id, input_file_id]);
  return wanted.every((id) => id === null || ids.has(id));
}

const lostImage = 'an image of it is lost: its file cannot be read';

function imagesToSend(images: readonly StoredFile[]): readonly StoredFile[] {
  return images.filter(({ kind, sourceId }) => kind === 'image' && sourceId === undefined);
}

function sizeOf(event: CloudEvent): number {
  return Buffer.byteLength(JSON.stringify(event));
}

/** Uploads the images, then returns the events in the cloud's format with their source ids. */
async function uploadImages(
  dependencies: EventSenderDependencies,
  events: readonly WaitingEvent[],
): Promise<readonly CloudEvent[]> {
  const images = events.flatMap((each) => each.images);
  const sources = new Map(images.map(({ id, sourceId }) => [id, sourceId]));
  const refused = new Set<string>();
  for (const batch of imageBatches(images)) {
    const wanted = batch.filter(({ eventId }) => !refused.has(eventId));
    const bytes = wanted.reduce((sum, image) => sum + image.bytes, 0);
    const settled = await Promise.allSettled(
      wanted.map(async (image) => {
        const sourceId = await sendImage(dependencies, image, bytes);
        if (sourceId === undefined) refused.add(image.eventId);
        else sources.set(image.id, sourceId);
      }),
    );
    const recordFailure = settled.find((each) => each.status === 'rejected');
    if (recordFailure) throw recordFailure.reason;
  }
  const sourceOf = (fileId: string) => sources.get(fileId) ?? fileId;
  const results: CloudEvent[] = [];
  for (const { event } of events) {
    if (refused.has(event.id)) continue;
    const result = toCloudEvent(event, sourceOf, dependencies.defaultSolutionId);
    if ('event' in result) results.push(result.event);
    else await refuseEvent(dependencies, event.id, result.invalid);
  }
  return results;
}

/** Images that the cloud does not have, in groups that are uploaded concurrently. */
function imageBatches(images: readonly StoredFile[]): readonly (readonly StoredFile[])[] {
  const batches: StoredFile[][] = [];
  let bytes = 0;
  for (const image of imagesToSend(images)) {
    const batch = batches.at(-1);
    bytes += image.bytes;
    const hasRoom = bytes <= limits.cloudImageBytesAtOnceMax;
    if (batch !== undefined && hasRoom && batch.length < limits.cloudImagesAtOnceMax) {
      batch.push(image);
    } else {
      batches.push([image]);
      bytes = image.bytes;
    }
  }
  return batches;
}

/** Uploads an image and records its source id; undefined when its event was refused. */
async function sendImage(
  dependencies: EventSenderDependencies,
  image: StoredFile,
  bytesAtOnce: number,
): Promise<string | undefined> {
  const content = await readImage(dependencies.files, image.id);
  if (content === undefined) {
    await refuseEvent(dependencies, image.eventId, lostImage);
    return undefined;
  }
  const outcome = await dependencies.cloud.sendImage(image, content, bytesAtOnce);
  dependencies.progress.answered();
  if ('refused' in outcome) {
    await refuseEvent(dependencies, image.eventId, outcome.refused);
    return undefined;
  }
  await ignoreRemovedEvent(dependencies.store.imageUploaded(image.id, outcome.accepted));
  return outcome.accepted;
}

/** A refused batch is bisected until the refused event is alone. */
async function deliverEvents(
  dependencies: EventSenderDependencies,
  events: readonly CloudEvent[],
): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
  const outcome = await dependencies.cloud.sendEvents(events, bytes);
  dependencies.progress.answered();
  if ('accepted' in outcome) {
    const there = new Set(outcome.accepted);
    const ids = events.map(({ eventId }) => eventId).filter((id) => there.has(id));
    await dependencies.store.uploaded(ids);
    if (ids.length > 0) dependencies.progress.sent();
    const unsure = events.filter(({ eventId }) => !there.has(eventId));
    for (const event of unsure) await deliverEvents(dependencies, [event]);
  } else if (events.length === 1) {
    await refuseEvent(dependencies, first.eventId, outcome.refused);
  } else {
    const half = Math.ceil(events.length / 2);
    await deliverEvents(dependencies, events.slice(0, half));
    await deliverEvents(dependencies, events.slice(half));
  }
}

async function refuseEvent(
  dependencies: EventSenderDependencies,
  eventId: string,
  reason: string,
): Promise<void> {
  const result = reason.slice(0, limits.refusalCharactersMax).toWellFormed();
  await ignoreRemovedEvent(dependencies.store.uploadRefused(eventId, result));
  dependencies.progress.refused();
}

/** An event may have been removed, or sent by another process, in the meantime. */
async function ignoreRemovedEvent(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (thrown) {
    const { code } = asFoveaError(thrown);
    if (code !== 'not_found' && code !== 'conflict') throw thrown;
  }
}
