// One round of uploads: all events that wait, oldest first, each after its images.

import { setImmediate as othersFirst } from 'node:timers/promises';
import { asFoveaError, FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore, StoredEvent, StoredFile } from '../store/store.ts';
import type { Cloud } from './cloud.ts';
import { type CloudEvent, describeForCloud } from './cloud-event.ts';
import type { Detours } from './detours.ts';
import { readImage } from './read-image.ts';

export interface SenderParts {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly cloud: Cloud;
  readonly defaultSolutionId: string | undefined;
  readonly progress: Progress;
  readonly detours: Detours;
  /** Ends a round before its next batch. */
  readonly signal: AbortSignal;
}

/** Told of what the cloud made of it. */
export interface Progress {
  /** The cloud took or refused something. */
  answered(): void;
  /** The cloud has more events. */
  sent(): void;
  /** An event was set aside, also before anything of it was sent. */
  refused(): void;
}

/**
 * Sends until nothing waits. Throws a FoveaError when that must go on later; what was done by then
 * is remembered in the store, so that nothing is done twice.
 */
export type SendWaiting = () => Promise<void>;

export function createSender(parts: SenderParts): SendWaiting {
  const { detours } = parts;
  // Small at first and after a failure, so that a slow line or a weak cloud is not overrun.
  let pageMax = pageAtFirst;
  const send = async (page: readonly StoredEvent[]) => {
    const { events, isWhole } = await takeBatch(parts, page);
    const ids = events.map(({ event }) => event.id);
    try {
      await deliver(parts, await withImages(parts, events));
    } catch (thrown) {
      if (detours.failed(ids, asFoveaError(thrown))) return;
      throw thrown;
    }
    detours.passed(ids);
    pageMax = isWhole ? Math.min(limits.eventBatchMax, pageMax * 2) : Math.max(1, ids.length);
  };
  /** Gives the oldest event that it sent; undefined: none waits. */
  const sendNext = async (before: string | undefined) => {
    const due = await dueEvent(parts);
    if (due !== undefined) await send([due]);
    const page = await nextPage(parts, pageMax);
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
        // Where nothing has to be waited for, nobody else would have a turn.
        await othersFirst();
        if (parts.signal.aborted) return;
        oldest = await sendNext(oldest);
      } while (oldest !== undefined);
    } catch (thrown) {
      pageMax = Math.max(1, Math.floor(pageMax / 2));
      throw asFoveaError(thrown);
    }
  };
}

/** The oldest that do not rest; none: no others wait. */
async function nextPage(
  { store, detours }: SenderParts,
  max: number,
): Promise<readonly StoredEvent[]> {
  let after = 0;
  for (;;) {
    const waiting = await store.waiting(after, max + detours.count());
    const page = waiting.filter(({ id }) => !detours.isResting(id)).slice(0, max);
    const last = waiting.at(-1);
    if (page.length > 0 || last === undefined) return page;
    // Where events are large, all of a page may rest.
    after = last.arrival;
  }
}

/** One that was passed over long enough, if it still waits. */
async function dueEvent({ store, detours }: SenderParts): Promise<StoredEvent | undefined> {
  const id = detours.due();
  if (id === undefined) return undefined;
  const event = await store.get(id);
  if (event?.upload === 'waiting') return event;
  detours.passed([id]);
  return undefined;
}

/** It must have been taken, refused or passed over: going on at once would be for ever. */
const stuck = 'The oldest event still waits, although it was dealt with.';

const pageAtFirst = 16;

interface Waiting {
  readonly event: StoredEvent;
  readonly images: readonly StoredFile[];
}

/** As many of the events as fit into one batch; what the cloud cannot take is set aside. */
async function takeBatch(
  parts: SenderParts,
  page: readonly StoredEvent[],
): Promise<{ readonly events: readonly Waiting[]; readonly isWhole: boolean }> {
  const events: Waiting[] = [];
  const unfit: (readonly [StoredEvent, string])[] = [];
  let [bytes, imageBytes, isWhole] = [0, 0, true];
  for (const event of page) {
    const described = describeForCloud(event, (fileId) => fileId, parts.defaultSolutionId);
    if ('unfit' in described) {
      unfit.push([event, described.unfit]);
      continue;
    }
    const images = event.images.length > 0 ? await parts.store.images(event.id) : [];
    if (!hasAll(images, event)) {
      unfit.push([event, lostImage]);
      continue;
    }
    bytes += sizeOf(described.event);
    imageBytes += unsentOf(images).reduce((sum, image) => sum + image.bytes, 0);
    isWhole = bytes <= limits.cloudBatchBytesMax && imageBytes <= limits.cloudImageBytesAtOnceMax;
    if (!isWhole && events.length > 0) break;
    events.push({ event, images });
  }
  await Promise.all(unfit.map(([event, reason]) => setAside(parts, event.id, reason)));
  return { events, isWhole };
}

/** A row that is missing has no source, and its image would never show in the cloud. */
function hasAll(files: readonly StoredFile[], { images }: StoredEvent): boolean {
  const ids = new Set(files.map(({ id }) => id));
  const wanted = images.flatMap(({ file_id, input_file_id }) => [file_id, input_file_id]);
  return wanted.every((id) => id === null || ids.has(id));
}

const lostImage = 'an image of it is lost: its file cannot be read';

function unsentOf(images: readonly StoredFile[]): readonly StoredFile[] {
  return images.filter(({ kind, sourceId }) => kind === 'image' && sourceId === undefined);
}

function sizeOf(event: CloudEvent): number {
  return Buffer.byteLength(JSON.stringify(event));
}

/** The events as the cloud takes them, now that it has their images. */
async function withImages(
  parts: SenderParts,
  events: readonly Waiting[],
): Promise<readonly CloudEvent[]> {
  const images = events.flatMap((each) => each.images);
  const sources = new Map(images.map(({ id, sourceId }) => [id, sourceId]));
  const refused = new Set<string>();
  for (const wave of inWaves(images)) {
    const wanted = wave.filter(({ eventId }) => !refused.has(eventId));
    const bytes = wanted.reduce((sum, image) => sum + image.bytes, 0);
    const settled = await Promise.allSettled(
      wanted.map(async (image) => {
        const sourceId = await sendImage(parts, image, bytes);
        if (sourceId === undefined) refused.add(image.eventId);
        else sources.set(image.id, sourceId);
      }),
    );
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  }
  const sourceOf = (fileId: string) => sources.get(fileId) ?? fileId;
  const described: CloudEvent[] = [];
  for (const { event } of events) {
    if (refused.has(event.id)) continue;
    const words = describeForCloud(event, sourceOf, parts.defaultSolutionId);
    if ('event' in words) described.push(words.event);
    else await setAside(parts, event.id, words.unfit);
  }
  return described;
}

/** Those that the cloud does not have, in groups that may be on their way at once. */
function inWaves(images: readonly StoredFile[]): readonly (readonly StoredFile[])[] {
  const waves: StoredFile[][] = [];
  let bytes = 0;
  for (const image of unsentOf(images)) {
    const wave = waves.at(-1);
    bytes += image.bytes;
    const hasRoom = bytes <= limits.cloudImageBytesAtOnceMax;
    if (wave !== undefined && hasRoom && wave.length < limits.cloudImagesAtOnceMax) {
      wave.push(image);
    } else {
      waves.push([image]);
      bytes = image.bytes;
    }
  }
  return waves;
}

/** The source of an image, on record; undefined when its event was set aside. */
async function sendImage(
  parts: SenderParts,
  image: StoredFile,
  bytesAtOnce: number,
): Promise<string | undefined> {
  const content = await readImage(parts.files, image.id);
  if (content === undefined) {
    await setAside(parts, image.eventId, lostImage);
    return undefined;
  }
  const verdict = await parts.cloud.sendImage(image, content, bytesAtOnce);
  parts.progress.answered();
  if ('refused' in verdict) {
    await setAside(parts, image.eventId, verdict.refused);
    return undefined;
  }
  await passedOverWhenGone(parts.store.imageUploaded(image.id, verdict.taken));
  return verdict.taken;
}

/** A batch that is refused is halved, until the event that is to blame is alone. */
async function deliver(parts: SenderParts, events: readonly CloudEvent[]): Promise<void> {
  const [first] = events;
  if (first === undefined) return;
  const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
  const verdict = await parts.cloud.sendEvents(events, bytes);
  parts.progress.answered();
  if ('taken' in verdict) {
    const there = new Set(verdict.taken);
    const ids = events.map(({ eventId }) => eventId).filter((id) => there.has(id));
    await parts.store.uploaded(ids);
    if (ids.length > 0) parts.progress.sent();
    const unsure = events.filter(({ eventId }) => !there.has(eventId));
    for (const event of unsure) await deliver(parts, [event]);
  } else if (events.length === 1) {
    await setAside(parts, first.eventId, verdict.refused);
  } else {
    const half = Math.ceil(events.length / 2);
    await deliver(parts, events.slice(0, half));
    await deliver(parts, events.slice(half));
  }
}

async function setAside(parts: SenderParts, eventId: string, reason: string): Promise<void> {
  const words = reason.slice(0, limits.refusalCharactersMax).toWellFormed();
  await passedOverWhenGone(parts.store.uploadRefused(eventId, words));
  parts.progress.refused();
}

/** An event may be removed while it is being sent, or another process may have sent it. */
async function passedOverWhenGone(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (thrown) {
    const { code } = asFoveaError(thrown);
    if (code !== 'not_found' && code !== 'conflict') throw thrown;
  }
}
