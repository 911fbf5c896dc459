// Uploads a file to a link that a service gave, as a stream.

import { Readable } from 'node:stream';
import { request } from 'undici';
import { untilAborted } from '../abort.ts';
import { type ErrorCode, FoveaError, invalidArgument, systemErrorCode } from '../errors.ts';
import { asProxyError } from '../network/proxy-error.ts';
import type { ClientOptions, UploadOptions, UploadSource } from './client.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { asRefusedLink, discard, parseLink, type Response } from './fetch-link.ts';
import { createLinkPolicy } from './link-policy.ts';
import { commonHeaders } from './request.ts';

export interface Uploader {
  upload(link: string, source: UploadSource, options: UploadOptions): Promise<void>;
  close(): Promise<void>;
}

/**
 * PUTs once, without retries and redirects: the file may be too large to be sent twice. Without a
 * deadline in the options only silence ends it.
 */
export function createUploader(options: ClientOptions): Uploader {
  const policy = createLinkPolicy(options);
  const upload = async (link: string, source: UploadSource, own: UploadOptions) => {
    const timeoutMs = own.timeoutMs ?? Number.POSITIVE_INFINITY;
    const deadline = startDeadline(options.clock, timeoutMs, own.signal);
    const reading: { failure?: { readonly reason: unknown } } = {};
    try {
      const url = parseLink(link);
      const asking = request(url, {
        method: 'PUT',
        dispatcher: await policy.agentFor(url, undefined),
        signal: deadline.signal,
        headers: {
          ...commonHeaders,
          'content-type': own.contentType,
          'content-length': String(source.bytes),
        },
        body: Readable.from(counted(source, own.onSent, reading), { objectMode: false }),
        headersTimeout: options.timeoutMs,
        bodyTimeout: options.timeoutMs,
      });
      const response = await untilAborted(asking, deadline.signal);
      discard(response);
      checkStatus(response);
    } catch (thrown) {
      throw reading.failure ? reading.failure.reason : failureOf(thrown, deadline);
    } finally {
      deadline.clear();
    }
  };
  return { upload, close: policy.close };
}

/** The chunks of a source; remembers failures of the source, to tell them from those of HTTP. */
async function* counted(
  source: UploadSource,
  onSent: UploadOptions['onSent'],
  reading: { failure?: { readonly reason: unknown } },
): AsyncGenerator<Uint8Array> {
  const pieces = source.open()[Symbol.asyncIterator]();
  let sent = 0;
  try {
    for (;;) {
      const next = await pieces.next().catch((reason: unknown) => {
        reading.failure = { reason };
        throw reason;
      });
      if (next.done) return;
      yield next.value;
      sent += next.value.length;
      onSent?.(sent, source.bytes);
    }
  } finally {
    await pieces.return?.();
  }
}

const ended: readonly number[] = [401, 403, 404, 410];

const statusCodes = new Map<number, ErrorCode>([
  ...ended.map((status): [number, ErrorCode] => [status, 'not_found']),
  [409, 'conflict'],
  [413, 'too_large'],
  [429, 'rate_limited'],
]);

function checkStatus({ statusCode: status }: Response): void {
  if (status >= 200 && status <= 299) return;
  const message = `The upload failed: the host answered with status ${status}.`;
  const hint = 'Links end after a while, and take one file: ask the service for a new one.';
  throw new FoveaError(statusCodes.get(status) ?? 'upstream_failed', message, {
    retry: status >= 500 ? 'safe' : 'never',
    upstream: { status, message: '' },
    ...((ended.includes(status) || status === 409) && { hint }),
  });
}

function failureOf(thrown: unknown, deadline: Deadline): unknown {
  if (thrown instanceof FoveaError) return thrown;
  if (deadline.isCancelled()) return new FoveaError('cancelled', 'The upload was cancelled.');
  if (deadline.signal.aborted) {
    const message = `The upload had not ended within ${deadline.timeoutMs} ms.`;
    return new FoveaError('timed_out', message, { retry: 'safe' });
  }
  const refused = asRefusedLink(thrown);
  if (refused) return invalidArgument('link', `cannot be used: ${refused.message}`);
  const ofProxy = asProxyError(thrown);
  if (ofProxy) {
    const { message, hint, isTemporary } = ofProxy;
    const details = { hint, retry: isTemporary ? 'safe' : 'never', cause: thrown } as const;
    return new FoveaError('unreachable', `The upload failed: ${message}.`, details);
  }
  const code = systemErrorCode(thrown);
  if (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') {
    return new FoveaError('conflict', 'What was sent changed its size meanwhile.', {
      cause: thrown,
    });
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    const message = 'The upload stopped: its host said nothing for too long.';
    return new FoveaError('timed_out', message, { retry: 'safe', cause: thrown });
  }
  return new FoveaError('unreachable', 'The host of the upload could not be reached.', {
    cause: thrown,
  });
}
