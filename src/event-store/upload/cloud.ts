// The cloud as the uploader sees it: what it took, what it refuses for good, when it is away.

import { visionEvents } from '../../contract/vision-events.ts';
import { asFoveaError, type ErrorCode, FoveaError } from '../../errors.ts';
import type { CallOptions, Client } from '../../http-client/client.ts';
import { StatusError } from '../../http-client/status-error.ts';
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
  /**
   * Gives the id under which events refer to the image. `bytes`: of all that is sent at the same
   * time, which share the line.
   */
  sendImage(file: StoredFile, content: Uint8Array, bytes: number): Promise<Verdict<string>>;
  /** One event, or a batch that is taken whole or refused whole; gives the ids that are there. */
  sendEvents(events: readonly CloudEvent[], bytes: number): Promise<Verdict<readonly string[]>>;
}

export interface CloudOptions {
  readonly client: Client;
  /** Ends all calls. */
  readonly signal: AbortSignal;
  /** Time for a small request, in milliseconds; a large one gets more. */
  readonly timeoutMs: number;
}

export function createCloud({ client, signal, timeoutMs }: CloudOptions): Cloud {
  const optionsFor = (bytes: number) => ({
    signal,
    timeoutMs: timeoutMs + Math.ceil((bytes / limits.cloudBytesPerSecondMin) * 1000),
  });
  const isThere = async () => {
    const none = visionEvents.vision_events_create_batch;
    return client.call(none, { events: [] }, optionsFor(0)).then(
      () => true,
      (thrown) => isInvalid(asFoveaError(thrown)),
    );
  };
  const sendImage: Cloud['sendImage'] = ({ id, contentType }, content, bytes) => {
    const name = `${id}.${contentType.replace(/^.*\//, '')}`;
    const input = { file: { name, contentType, content } };
    const send = async () => {
      const { vision_events_upload_image: upload } = visionEvents;
      const { body } = await client.call(upload, input, optionsFor(bytes));
      return isSource(body.sourceId) ? body.sourceId : unclear('a sourceId that events may name');
    };
    return judged(send, 'an image of it', isRefusal);
  };
  // A 404 may mean a use case that is gone, or that there is no such API at the address. Where a
  // batch of nothing is called invalid there is one, and then the next 404 is about the event.
  const sendEvents: Cloud['sendEvents'] = async (events, bytes) => {
    const send = () => record(client, events, optionsFor(bytes));
    try {
      return await judged(send, 'the event', isRefusal);
    } catch (thrown) {
      if (!isMissing(asFoveaError(asFoveaError(thrown).cause)) || !(await isThere())) throw thrown;
    }
    return judged(send, 'the event', (error) => isRefusal(error) || isMissing(error));
  };
  return { sendImage, sendEvents };
}

async function judged<T>(
  send: () => Promise<T>,
  what: string,
  isToBlame: (error: FoveaError) => boolean,
): Promise<Verdict<T>> {
  try {
    return { taken: await send() };
  } catch (thrown) {
    const error = asFoveaError(thrown);
    if (isToBlame(error)) return { refused: refusalWords(error, what) };
    throw waiting(error);
  }
}

async function record(
  client: Client,
  events: readonly CloudEvent[],
  options: CallOptions,
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

/** Whether an event may refer to an image by it: of any other one it could never be sent. */
function isSource(sourceId: string | undefined): sourceId is string {
  const { images } = visionEvents.vision_events_create.body.shape;
  return sourceId !== undefined && images.safeParse([{ sourceId }]).success;
}

/** A success that does not say what was stored is none. */
function unclear(missing: string): never {
  const upstream = { status: 200, message: '' };
  throw new FoveaError('upstream_failed', `The answer lacks ${missing}.`, { upstream });
}

/** Of the key, of the plan, of the address, of the moment: no event could be blamed for them. */
const passingStatuses: ReadonlySet<number> = new Set([
  401, 402, 403, 404, 405, 407, 408, 410, 421, 423, 425, 426, 429,
]);

/** Whether what was sent is to blame. */
function isRefusal(error: FoveaError): boolean {
  const { status = 0 } = error.upstream ?? {};
  if (status < 400 || status > 499 || passingStatuses.has(status)) return false;
  // Any server on the way may find a body too large; for all else only the API itself counts.
  return status === 413 || isOfApi(error);
}

function isMissing(error: FoveaError): boolean {
  const { status } = error.upstream ?? {};
  return (status === 404 || status === 410) && isOfApi(error);
}

function isInvalid(error: FoveaError): boolean {
  const { status } = error.upstream ?? {};
  return (status === 400 || status === 422) && isOfApi(error);
}

/** Whether it is a JSON object. What others say is none: a proxy, a hotspot, a port for HTTPS. */
function isOfApi(error: FoveaError): boolean {
  return error instanceof StatusError && error.isObject;
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
  const { code, retryAfterSeconds, upstream } = error;
  if (code === 'cancelled') return error;
  return new FoveaError(code, waitingWords(error), {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(upstream && { upstream }),
    cause: error,
  });
}

function waitingWords(error: FoveaError): string {
  const { code, upstream } = error;
  if (upstream === undefined) return unanswered.get(code) ?? 'Sending failed inside Fovea.';
  const { status } = upstream;
  const words = passing.find(({ from, until }) => status >= from && status <= until)?.words;
  const isPassing = passingStatuses.has(status) || status >= 500;
  const others = isPassing ? 'The cloud does not take events now' : noApi;
  return `${words ?? others} (status ${status}).`;
}

const unanswered: ReadonlyMap<ErrorCode, string> = new Map([
  ['unreachable', 'The cloud cannot be reached.'],
  ['timed_out', 'The cloud did not answer in time.'],
  ['upstream_failed', 'The connection ended before the cloud had answered.'],
  ['unauthenticated', 'CLOUD_UPLOAD_API_KEY is missing, or no key can look like it.'],
]);

const noApi = 'There is no management API at CLOUD_UPLOAD_URL';

const passing = [
  { from: 200, until: 299, words: 'The cloud answers something else than its contract says' },
  { from: 300, until: 399, words: 'CLOUD_UPLOAD_URL leads elsewhere' },
  { from: 401, until: 401, words: 'The cloud does not know CLOUD_UPLOAD_API_KEY' },
  { from: 402, until: 402, words: 'The plan of the workspace does not allow more events' },
  { from: 403, until: 403, words: 'CLOUD_UPLOAD_API_KEY may not write vision events' },
  { from: 404, until: 405, words: noApi },
  { from: 410, until: 410, words: noApi },
  { from: 429, until: 429, words: 'The cloud asks to be asked less often' },
  { from: 500, until: 599, words: 'The cloud fails' },
] as const;
