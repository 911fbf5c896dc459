// Downloads a link that a service gave into a new file: whole, or not at all.

import { FoveaError, invalidArgument, systemErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { asProxyError } from '../network/proxy-error.ts';
import { type Attempt, mayRepeat, retryAfterMs, withRetries } from '../network/retry.ts';
import { createAtomicFile } from './atomic-file.ts';
import type {
  CallOptions,
  ClientOptions,
  Downloaded,
  DownloadOptions,
  FetchedImage,
} from './client.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import {
  asRefusedLink,
  type ChooseAgent,
  discard,
  fetchLink,
  parseLink,
  type Response,
} from './fetch-link.ts';
import { createLinkPolicy } from './link-policy.ts';
import { deviceHeader } from './request.ts';
import { isCompressed } from './service-error.ts';

export interface Downloader {
  /**
   * Fetches a link: https to a public address, or a link to one of our own services. The Event
   * Store alone is sent a credential. Throws `invalid_input` for a link or a path that cannot be
   * used, `not_found` for a link that has ended, `too_large`, `upstream_failed`, `unreachable`,
   * `timed_out`, `cancelled`; no file is left behind then. Without a deadline in `options`, only
   * silence ends the download.
   */
  download(link: string, path: string, options?: DownloadOptions): Promise<Downloaded>;
  /** Fetches an image of at most `resultImageBytesMax` into memory. Throws as `download`. */
  fetchImage(link: string, options?: CallOptions): Promise<FetchedImage>;
  close(): Promise<void>;
}

export function createDownloader(options: ClientOptions): Downloader {
  const links = createLinkPolicy(options);
  const follow = async <T>(
    { link, headers, agentFor = links.agentFor }: Wanted,
    own: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> => {
    const deadline = patient(options, own);
    const once = async (): Promise<Attempt<T>> => {
      let response: Response | undefined;
      try {
        const fetching = { signal: deadline.signal, idleMs: options.timeoutMs, headers };
        response = await fetchLink(parseLink(link), agentFor, fetching);
        if (response.statusCode !== 200) return statusFailure(response, options.clock.now());
        return { done: await read(response) };
      } catch (error) {
        return brokenOff(error, deadline, response !== undefined);
      } finally {
        if (response) discard(response);
      }
    };
    return withRetries(options, deadline, once, () => ended(deadline)).finally(deadline.clear);
  };
  const into =
    (path: string, { onProgress }: DownloadOptions) =>
    (response: Response) =>
      save(response, path, onProgress, options.downloadBytesMax);
  const wantedOf = async (link: string, { fromDevice = false }: DownloadOptions) => {
    if (!fromDevice) return { link };
    const { url, credential } = await options.upstreams.device();
    const headers = deviceHeader(credential);
    // Where it leads elsewhere, that is a link like any other.
    const agentFor: ChooseAgent = (to, from) =>
      from === undefined ? links.agentForNamed(to) : links.agentFor(to, from);
    return { link: `${url}${link}`, headers, agentFor };
  };
  return {
    download: async (link, path, own = {}) =>
      follow(await wantedOf(link, own), own, into(path, own)),
    fetchImage: (link, own = {}) => follow({ link }, own, readImage),
    close: links.close,
  };
}

interface Wanted {
  readonly link: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agentFor?: ChooseAgent;
}

/** A large file may take long, but a Retry-After is honoured only within the timeout of a call. */
function patient({ clock, timeoutMs }: ClientOptions, own: CallOptions): Deadline {
  const deadline = startDeadline(clock, own.timeoutMs ?? Number.POSITIVE_INFINITY, own.signal);
  return { ...deadline, remainingMs: () => Math.min(timeoutMs, deadline.remainingMs()) };
}

async function save(
  response: Response,
  path: string,
  onProgress: DownloadOptions['onProgress'],
  bytesMax = limits.downloadBytesMax,
): Promise<Downloaded> {
  const { body } = response;
  const total = lengthOf(response, bytesMax);
  const file = await createAtomicFile(path);
  try {
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      await file.write(chunk);
      onProgress?.(bytes, total);
    }
    await file.commit();
    return { bytes, contentType: typeOf(response) };
  } finally {
    await file.discard();
  }
}

async function readImage(response: Response): Promise<FetchedImage> {
  const bytesMax = limits.resultImageBytesMax;
  lengthOf(response, bytesMax);
  const mimeType = typeOf(response) ?? '';
  if (!mimeType.startsWith('image/')) throw failed('it is not an image');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return { data: Buffer.concat(chunks), mimeType };
}

/** How many bytes come, where the host says so. */
function lengthOf(response: Response, bytesMax: number): number | undefined {
  const length = response.headers['content-length'];
  const total = length === undefined ? undefined : Number(length);
  if (isCompressed(response)) throw failed('it came compressed, which was not asked for');
  if (total !== undefined && total > bytesMax) throw tooLarge(bytesMax);
  return total;
}

function typeOf({ headers }: Response): string | undefined {
  const type = headers['content-type'];
  return Array.isArray(type) ? type[0] : type;
}

function tooLarge(bytesMax: number): FoveaError {
  return new FoveaError('too_large', `The download has more than ${bytesMax} bytes.`);
}

function failed(reason: string): FoveaError {
  return new FoveaError('upstream_failed', `The download failed: ${reason}.`, { retry: 'never' });
}

const read = { isRead: true } as const;

function statusFailure({ statusCode: status, headers }: Response, now: number): Attempt<never> {
  const upstream = { status, message: '' };
  const told = `The download failed: the host answered with status ${status}`;
  if ([401, 403, 404, 410].includes(status)) {
    const hint = 'Links end after a while: ask the service for a new one.';
    const error = new FoveaError('not_found', `${told}.`, { hint, upstream });
    return { failure: { error, mayRepeat: false } };
  }
  const repeats = mayRepeat(read, { kind: 'status', status, retryable: false });
  const waitMs = retryAfterMs(headers, now);
  const seconds = waitMs === undefined ? undefined : Math.ceil(waitMs / 1000);
  const wait = seconds === undefined ? '' : `, and asks to wait ${seconds} s`;
  const code = status === 429 ? 'rate_limited' : 'upstream_failed';
  const error = new FoveaError(code, `${told}${wait}.`, {
    retry: seconds !== undefined || status === 429 ? 'after' : repeats ? 'safe' : 'never',
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
    upstream,
  });
  return { failure: { error, mayRepeat: repeats, retryAfterMs: waitMs } };
}

/** The outcome of a download that threw. */
function brokenOff(thrown: unknown, deadline: Deadline, isAnswered: boolean): Attempt<never> {
  if (thrown instanceof FoveaError) throw thrown;
  if (deadline.signal.aborted) throw ended(deadline);
  const refused = asRefusedLink(thrown);
  if (refused) throw invalidArgument('link', `cannot be fetched: ${refused.message}`);
  const repeats = mayRepeat(
    read,
    isAnswered ? { kind: 'lost' } : { kind: 'not_sent', cause: thrown },
  );
  const ofProxy = asProxyError(thrown);
  if (ofProxy) {
    const { message, hint, isTemporary } = ofProxy;
    const details = { hint, retry: isTemporary ? 'safe' : 'never', cause: thrown } as const;
    const error = new FoveaError('unreachable', `The download failed: ${message}.`, details);
    return { failure: { error, mayRepeat: repeats } };
  }
  const code = systemErrorCode(thrown);
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    const message = 'The download stopped: its host sent nothing for too long.';
    throw new FoveaError('timed_out', message, { retry: 'safe', cause: thrown });
  }
  const error = isAnswered
    ? new FoveaError('upstream_failed', 'The connection ended in the middle of the download.', {
        cause: thrown,
      })
    : new FoveaError('unreachable', 'The host of the download could not be reached.', {
        cause: thrown,
      });
  return { failure: { error, mayRepeat: repeats } };
}

function ended(deadline: Deadline): FoveaError {
  if (deadline.isCancelled()) return new FoveaError('cancelled', 'The download was cancelled.');
  const message = `The download had not ended within ${deadline.timeoutMs} ms.`;
  return new FoveaError('timed_out', message, { retry: 'safe' });
}
