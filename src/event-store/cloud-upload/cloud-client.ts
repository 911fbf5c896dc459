// Sends images and events to the cloud, and tells permanent refusals from temporary failures.

import { visionEvents } from '../../contract/vision-events.ts';
import { asFoveaError, type ErrorCode, FoveaError } from '../../errors.ts';
import type { CallOptions, Client } from '../../http-client/client.ts';
import { StatusError } from '../../http-client/service-error.ts';
import { limits } from '../../limits.ts';
import type { StoredFile } from '../store/store.ts';
import type { CloudEvent } from './cloud-event.ts';

/** `refused`: why the cloud will never accept it. */
export type UploadOutcome<T> = { readonly accepted: T } | { readonly refused: string };

/**
 * Methods throw a FoveaError for temporary failures, with `retryAfterSeconds` where the cloud asked
 * for a wait.
 */
export interface CloudClient {
  /**
   * Returns the source id by which events refer to the image. `bytes`: of all concurrent uploads,
   * which share the bandwidth.
   */
  sendImage(file: StoredFile, content: Uint8Array, bytes: number): Promise<UploadOutcome<string>>;
  /** The cloud accepts or refuses a batch as a whole. Returns the ids it stored. */
  sendEvents(
    events: readonly CloudEvent[],
    bytes: number,
  ): Promise<UploadOutcome<readonly string[]>>;
}

export interface CloudClientOptions {
  readonly client: Client;
  /** Aborts all calls. */
  readonly signal: AbortSignal;
  /** Timeout of a small request; large ones get more by their size. */
  readonly timeoutMs: number;
}

export function createCloudClient({ client, signal, timeoutMs }: CloudClientOptions): CloudClient {
  const optionsFor = (bytes: number) => ({
    signal,
    timeoutMs: timeoutMs + Math.ceil((bytes / limits.cloudBytesPerSecondMin) * 1000),
  });
  const hasBatchEndpoint = async () => {
    const none = visionEvents.vision_events_create_batch;
    return client.call(none, { events: [] }, optionsFor(0)).then(
      () => true,
      (thrown) => isInvalid(asFoveaError(thrown)),
    );
  };
  const sendImage: CloudClient['sendImage'] = ({ id, contentType }, content, bytes) => {
    const name = `${id}.${contentType.replace(/^.*\//, '')}`;
    const input = { file: { name, contentType, content } };
    const send = async () => {
      const { vision_events_upload_image: upload } = visionEvents;
      const { body } = await client.call(upload, input, optionsFor(bytes));
      return isSourceId(body.sourceId)
        ? body.sourceId
        : malformedAnswer('a sourceId that events may name');
    };
    return outcomeOf(send, 'an image of it', isRefusal);
  };
  // A 404 means an unknown use case, or no such API at this address. An empty batch tells them
  // apart: the API calls it invalid, and then the next 404 is about the event.
  const sendEvents: CloudClient['sendEvents'] = async (events, bytes) => {
    const send = () => createEvents(client, events, optionsFor(bytes));
    try {
      return await outcomeOf(send, 'the event', isRefusal);
    } catch (thrown) {
      if (!isMissing(asFoveaError(asFoveaError(thrown).cause)) || !(await hasBatchEndpoint()))
        throw thrown;
    }
    return outcomeOf(send, 'the event', (error) => isRefusal(error) || isMissing(error));
  };
  return { sendImage, sendEvents };
}

async function outcomeOf<T>(
  send: () => Promise<T>,
  what: string,
  isRefused: (error: FoveaError) => boolean,
): Promise<UploadOutcome<T>> {
  try {
    return { accepted: await send() };
  } catch (thrown) {
    const error = asFoveaError(thrown);
    if (isRefused(error)) return { refused: refusalMessage(error, what) };
    throw temporaryFailure(error);
  }
}

async function createEvents(
  client: Client,
  events: readonly CloudEvent[],
  options: CallOptions,
): Promise<readonly string[]> {
  const [first] = events;
  if (events.length === 1 && first !== undefined) {
    const { body } = await client.call(visionEvents.vision_events_create, first, options);
    return body.eventId === first.eventId ? [first.eventId] : malformedAnswer('the eventId');
  }
  const input = { events: [...events] };
  const { body } = await client.call(visionEvents.vision_events_create_batch, input, options);
  return body.eventIds ?? [];
}

/** Whether events may refer to it; an event with an invalid source id could never be sent. */
function isSourceId(sourceId: string | undefined): sourceId is string {
  const { images } = visionEvents.vision_events_create.body.shape;
  return sourceId !== undefined && images.safeParse([{ sourceId }]).success;
}

/** A success without the stored ids is treated as a failure. */
function malformedAnswer(missing: string): never {
  const upstream = { status: 200, message: '' };
  throw new FoveaError('upstream_failed', `The answer lacks ${missing}.`, { upstream });
}

/** Statuses about the key, plan, address or load, never about the event. */
const temporaryStatuses: ReadonlySet<number> = new Set([
  401, 402, 403, 404, 405, 407, 408, 410, 421, 423, 425, 426, 429,
]);

/** Whether the request content was refused. */
function isRefusal(error: FoveaError): boolean {
  const { status = 0 } = error.upstream ?? {};
  if (status < 400 || status > 499 || temporaryStatuses.has(status)) return false;
  // Proxies may answer 413 as well; every other status counts only when it comes from the API.
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

/** The API answers with JSON objects; proxies, captive portals and HTTPS ports do not. */
function isOfApi(error: FoveaError): boolean {
  return error instanceof StatusError && error.isObject;
}

function refusalMessage({ upstream }: FoveaError, what: string): string {
  const { status = 0, message = '' } = upstream ?? {};
  const meaning = refusalMessages.get(status) ?? `the cloud refuses ${what}`;
  const named = memberNames.filter((name) => message.includes(name));
  const names = named.length > 0 ? `; its answer names ${named.join(', ')}` : '';
  return `${meaning} (status ${status}${names})`;
}

const refusalMessages: ReadonlyMap<number, string> = new Map([
  [404, 'the cloud does not find what it refers to'],
  [409, 'the cloud has another event under its id'],
  [410, 'the cloud does not find what it refers to'],
  [413, 'it is too large for the cloud'],
  [415, 'the cloud does not take images of this type'],
]);

/** Member names that may be repeated from an answer; its other text is not ours to repeat. */
const memberNames = Object.keys(visionEvents.vision_events_create.body.shape);

function temporaryFailure(error: FoveaError): FoveaError {
  const { code, retryAfterSeconds, upstream } = error;
  if (code === 'cancelled') return error;
  return new FoveaError(code, temporaryFailureMessage(error), {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(upstream && { upstream }),
    cause: error,
  });
}

function temporaryFailureMessage(error: FoveaError): string {
  const { code, upstream } = error;
  if (upstream === undefined) return noAnswerMessages.get(code) ?? 'Sending failed inside Fovea.';
  const { status } = upstream;
  const message = statusMessages.find(
    ({ from, until }) => status >= from && status <= until,
  )?.message;
  const isTemporary = temporaryStatuses.has(status) || status >= 500;
  const others = isTemporary ? 'The cloud does not take events now' : noApiMessage;
  return `${message ?? others} (status ${status}).`;
}

const noAnswerMessages: ReadonlyMap<ErrorCode, string> = new Map([
  ['unreachable', 'The cloud cannot be reached.'],
  ['timed_out', 'The cloud did not answer in time.'],
  ['upstream_failed', 'The connection ended before the cloud had answered.'],
  ['unauthenticated', 'CLOUD_UPLOAD_API_KEY is missing, or no key can look like it.'],
]);

const noApiMessage = 'There is no management API at CLOUD_UPLOAD_URL';

const statusMessages = [
  { from: 200, until: 299, message: 'The cloud answers something else than its contract says' },
  { from: 300, until: 399, message: 'CLOUD_UPLOAD_URL leads elsewhere' },
  { from: 401, until: 401, message: 'The cloud does not know CLOUD_UPLOAD_API_KEY' },
  { from: 402, until: 402, message: 'The plan of the workspace does not allow more events' },
  { from: 403, until: 403, message: 'CLOUD_UPLOAD_API_KEY may not write vision events' },
  { from: 404, until: 405, message: noApiMessage },
  { from: 410, until: 410, message: noApiMessage },
  { from: 429, until: 429, message: 'The cloud asks to be asked less often' },
  { from: 500, until: 599, message: 'The cloud fails' },
] as const;
