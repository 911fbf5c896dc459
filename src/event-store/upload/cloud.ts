// The cloud as the uploader sees it: what it took, what it refuses for good, when it is away.

import { visionEvents } from '../../contract/vision-events.ts';
import { asFoveaError, type ErrorCode, FoveaError } from '../../errors.ts';
import type { Client } from '../../http-client/client.ts';
import { limits } from '../../limits.ts';
import type { StoredFile } from '../store/store.ts';
import type { CloudEvent } from './cloud-event.ts';

/** `refused`: it will never be taken as it is, and why, in our own words. */
export type Verdict<T> = { readonly taken: T } | { readonly refused: string };

/**
 * What cannot be sent now, through no fault of its own, throws a FoveaError in our own words, with
 * `retryAfterSeconds` where the cloud asked for a wait.
 */
export interface Cloud {
  /** Gives the id under which events refer to the image. */
  sendImage(file: StoredFile, bytes: Uint8Array, timeoutMs: number): Promise<Verdict<string>>;
  /** One event, or a batch that is taken whole or refused whole; gives the ids that are there. */
  sendEvents(events: readonly CloudEvent[], bytes: number): Promise<Verdict<readonly string[]>>;
}

/** Time for a request of so many bytes. */
export function timeoutFor(bytes: number): number {
  return limits.callTimeoutMs + Math.ceil((bytes / limits.cloudBytesPerSecondMin) * 1000);
}

export function createCloud(client: Client, signal: AbortSignal): Cloud {
  const isThere = async () => {
    const none = visionEvents.vision_events_create_batch;
    const status = await client.call(none, { events: [] }, { signal }).then(
      (reply) => reply.status,
      (thrown) => asFoveaError(thrown).upstream?.status,
    );
    return status !== undefined && (status < 300 || status === 400 || status === 422);
  };
  const judge = async <T>(call: Promise<T>, what: string): Promise<Verdict<T>> => {
    try {
      return { taken: await call };
    } catch (thrown) {
      const error = asFoveaError(thrown);
      if (await isRefusal(error, isThere)) return { refused: refusalWords(error, what) };
      throw waiting(error);
    }
  };
  return {
    sendImage: ({ id, contentType }, content, timeoutMs) => {
      const name = `${id}.${contentType.replace(/^.*\//, '')}`;
      const input = { file: { name, contentType, content } };
      const call = client
        .call(visionEvents.vision_events_upload_image, input, { signal, timeoutMs })
        .then(({ body }) => body.sourceId || unclear('a sourceId'));
      return judge(call, 'an image of it');
    },
    sendEvents: (events, bytes) => {
      const options = { signal, timeoutMs: timeoutFor(bytes) };
      return judge(record(client, events, options), 'the event');
    },
  };
}

async function record(
  client: Client,
  events: readonly CloudEvent[],
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<readonly string[]> {
  const [first] = events;
  if (events.length === 1 && first !== undefined) {
    const { body } = await client.call(visionEvents.vision_events_create, first, options);
    return body.eventId === first.eventId ? [first.eventId] : unclear('the eventId');
  }
  const input = { events: [...events] };
  const { body } = await client.call(visionEvents.vision_events_create_batch, input, options);
  return body.eventIds ?? [];
}

/** A success that does not say what was stored is none. */
function unclear(missing: string): never {
  const upstream = { status: 200, message: '' };
  throw new FoveaError('upstream_failed', `The answer lacks ${missing}.`, { upstream });
}

/** Of the key, of the plan, of the moment: nothing that an event could be blamed for. */
const passingStatuses: ReadonlySet<number> = new Set([
  401, 402, 403, 405, 407, 408, 421, 423, 425, 426, 429, 511,
]);

/**
 * Whether what was sent is to blame. A 404 or 410 may mean a use case that is gone, or that there
 * is no such API at the address: then a batch of nothing is not called invalid either.
 */
async function isRefusal(error: FoveaError, isThere: () => Promise<boolean>): Promise<boolean> {
  const { status = 0 } = error.upstream ?? {};
  if (status < 400 || status > 499 || passingStatuses.has(status)) return false;
  // Every server on the way may find a body too large; for all else only the API itself counts.
  if (status === 413) return true;
  if (isPage(error)) return false;
  return status !== 404 && status !== 410 ? true : isThere();
}

/** Whether the answer is a web page: of a proxy, of a port for another protocol, of a hotspot. */
function isPage({ upstream }: FoveaError): boolean {
  return upstream?.message.startsWith('<') ?? false;
}

function refusalWords({ upstream }: FoveaError, what: string): string {
  const { status = 0, message = '' } = upstream ?? {};
  const meaning = refusals.get(status) ?? `the cloud refuses ${what}`;
  const named = memberNames.filter((name) => message.includes(name));
  const names = named.length > 0 ? `; its answer names ${named.join(', ')}` : '';
  return `${meaning} (status ${status}${names})`;
}

const refusals: ReadonlyMap<number, string> = new Map([
  [404, 'the cloud does not find what it refers to'],
  [409, 'the cloud has another event under its id'],
  [410, 'the cloud does not find what it refers to'],
  [413, 'it is too large for the cloud'],
  [415, 'the cloud does not take images of this type'],
]);

/** What an answer may say is wrong: its other words are not ours to repeat. */
const memberNames = Object.keys(visionEvents.vision_events_create.body.shape);

function waiting(error: FoveaError): FoveaError {
  const { code, retryAfterSeconds } = error;
  if (code === 'cancelled') return error;
  return new FoveaError(code, waitingWords(error), {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause: error,
  });
}

function waitingWords(error: FoveaError): string {
  const { code, upstream } = error;
  if (upstream === undefined) return unanswered.get(code) ?? 'Sending failed inside Fovea.';
  const { status } = upstream;
  if (status === 400 && isPage(error)) {
    return `There is no management API at CLOUD_UPLOAD_URL (status ${status}).`;
  }
  const words = passing.find(({ from, until }) => status >= from && status <= until)?.words;
  return `${words ?? 'The cloud does not take events now'} (status ${status}).`;
}

const unanswered: ReadonlyMap<ErrorCode, string> = new Map([
  ['unreachable', 'The cloud cannot be reached.'],
  ['timed_out', 'The cloud did not answer in time.'],
  ['upstream_failed', 'The connection ended before the cloud had answered.'],
  ['unauthenticated', 'CLOUD_UPLOAD_API_KEY is missing, or no key can look like it.'],
]);

const passing = [
  { from: 200, until: 299, words: 'The cloud answers something else than its contract says' },
  { from: 300, until: 399, words: 'CLOUD_UPLOAD_URL leads elsewhere' },
  { from: 401, until: 401, words: 'The cloud does not know CLOUD_UPLOAD_API_KEY' },
  { from: 402, until: 402, words: 'The plan of the workspace does not allow more events' },
  { from: 403, until: 403, words: 'CLOUD_UPLOAD_API_KEY may not write vision events' },
  { from: 404, until: 405, words: 'There is no management API at CLOUD_UPLOAD_URL' },
  { from: 410, until: 410, words: 'There is no management API at CLOUD_UPLOAD_URL' },
  { from: 429, until: 429, words: 'The cloud asks to be asked less often' },
  { from: 500, until: 599, words: 'The cloud fails' },
] as const;
