// What stores under trial are asked for. Mixed load: events with images, drafts, attachments,
// finalizations, holds, queries. A flood: events alone, as fast as they are taken.

import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, call } from './client.ts';
import type { History, Outcome, SentEvent, SentFile } from './request-history.ts';
import { type ContentKind, contentOf } from './verifiable-content.ts';

export interface Load {
  /** Ends it; waits for the calls that run. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly clients: number;
  /** The most bytes of one file. */
  readonly fileBytesMax: number;
  readonly isFlood?: boolean;
}

/** Starts clients that call the store at `url` one call after the other. */
export function startLoad(history: History, url: string, options: LoadOptions): Load {
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      const answer = await step(history, url, options);
      // A store that is gone, or full, is not called in a hot loop.
      if (answer === undefined || answer.status >= 500) await wait(20);
    }
  };
  const clients = Array.from({ length: options.clients }, run);
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}

async function step(history: History, url: string, options: LoadOptions): Promise<Answer> {
  if (options.isFlood) return create(history, url, options, false).then(({ answer }) => answer);
  const choice = Math.random();
  if (choice < 0.1) return call(history, `${url}/v2/events?limit=5`, 'GET');
  if (choice < 0.65) return create(history, url, options, false).then(({ answer }) => answer);
  const { answer, event } = await create(history, url, options, true);
  if (event.outcome !== 'stored') return answer;
  for (let files = random(3); files >= 0; files -= 1) await attach(history, url, options, event);
  if (Math.random() < 0.2) await hold(history, url, event);
  return Math.random() < 0.7 ? finalize(history, url, event) : answer;
}

/** Creates an event; for those who want to know whether writes go through. */
export async function create(
  history: History,
  url: string,
  { fileBytesMax, isFlood }: LoadOptions,
  isDraft: boolean,
): Promise<{ readonly answer: Answer; readonly event: SentEvent }> {
  const key = `event-${history.nextNumber()}`;
  const sizes = Array.from({ length: isFlood ? 0 : random(3) }, () =>
    sizeOf(Math.min(fileBytesMax, 200_000)),
  );
  const images = sizes.map((bytes) => newFile(history, 'image', bytes));
  const body = {
    event_schema: 'custom',
    event_data: { value: `${key} ${'é漢'.repeat(random(400))}`, externalId: key },
    inference_timestamp: new Date().toISOString(),
    device_id: `camera-${random(4)}`,
    custom_metadata: { lot: random(1_000), shift: 'late' },
  };
  const event: SentEvent = {
    key,
    body,
    images,
    isDraft,
    outcome: 'unknown',
    id: undefined,
    attached: [],
    finalize: 'never',
    isHeld: false,
  };
  history.events.set(key, event);
  const answer = await call(history, `${url}/v2/events`, 'POST', {
    ...body,
    draft: isDraft,
    images: images.map((image) => ({ base64Image: contentIn(image).toString('base64') })),
  });
  event.outcome = outcomeOf(answer, 201);
  if (event.outcome !== 'stored') return { answer, event };
  history.acknowledged += 1;
  const { id, image_ids } = Object(answer?.body);
  event.id = String(id);
  for (const [index, image] of images.entries()) {
    image.outcome = 'stored';
    image.fileId = String(Object(image_ids)[index]);
  }
  return { answer, event };
}

async function attach(
  history: History,
  url: string,
  { fileBytesMax }: LoadOptions,
  event: SentEvent,
): Promise<void> {
  const kind = Math.random() < 0.5 ? 'video' : 'local_only';
  const file = newFile(history, kind, sizeOf(fileBytesMax));
  event.attached.push(file);
  const form = new FormData();
  form.set('label', `seed ${file.seed}`);
  form.set('file', new Blob([Uint8Array.from(contentIn(file))]), 'file');
  const path = kind === 'video' ? 'videos' : 'local-only-files';
  const answer = await call(history, `${url}/v2/events/${event.id}/${path}`, 'POST', form);
  file.outcome = outcomeOf(answer, 201);
  if (file.outcome !== 'stored') return;
  history.acknowledged += 1;
  file.fileId = String(Object(answer?.body).file_id);
}

async function hold(history: History, url: string, event: SentEvent): Promise<void> {
  const body = { reason: 'a fault trial' };
  const answer = await call(history, `${url}/v2/events/${event.id}/hold`, 'POST', body);
  if (outcomeOf(answer, 200) !== 'stored') return;
  history.acknowledged += 1;
  event.isHeld = true;
}

async function finalize(history: History, url: string, event: SentEvent): Promise<Answer> {
  event.finalize = 'unknown';
  const answer = await call(history, `${url}/v2/events/${event.id}/finalize`, 'POST');
  event.finalize = outcomeOf(answer, 200);
  if (event.finalize === 'stored') history.acknowledged += 1;
  return answer;
}

/** Releases all holds, so that what they kept may go. */
export async function releaseAll(history: History, url: string): Promise<void> {
  for (const event of history.events.values()) {
    if (!event.isHeld) continue;
    const answer = await call(history, `${url}/v2/events/${event.id}/release`, 'POST');
    if (answer?.status === 200) event.isHeld = false;
  }
}

function newFile(history: History, kind: ContentKind, bytes: number): SentFile {
  return { kind, seed: history.nextNumber(), bytes, outcome: 'unknown', fileId: undefined };
}

export function contentIn({ kind, seed, bytes }: SentFile): Buffer {
  return contentOf(kind, seed, bytes);
}

function outcomeOf(answer: Answer, success: number): Outcome {
  if (answer === undefined) return 'unknown';
  return answer.status === success ? 'stored' : 'refused';
}

/** From 0 up to, and not including, `end`. */
function random(end: number): number {
  return Math.floor(Math.random() * end);
}

/** Mostly small, seldom large. */
function sizeOf(bytesMax: number): number {
  return 100 + Math.floor(Math.random() ** 4 * (bytesMax - 100));
}
