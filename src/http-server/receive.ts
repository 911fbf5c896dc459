// Taking in the body of a request within bounds of size and time.

import type { IncomingMessage } from 'node:http';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';

/** The whole body in memory. Throws `too_large`, or `cancelled` when the client goes away. */
export function collectBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  return receive(request, bytesMax, () => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
    return promise;
  });
}

/**
 * Runs `consume` while the body comes in, and ends as it ends. A body above `bytesMax` is
 * `too_large`, one that stops coming or never gets consumed `bad_request`, a client that goes
 * away `cancelled`. What was not consumed is thrown away.
 */
export async function receive<T>(
  request: IncomingMessage,
  bytesMax: number,
  consume: () => Promise<T>,
): Promise<T> {
  const watch = watchBody(request, bytesMax);
  try {
    return await Promise.race([consume(), watch.stopped]);
  } finally {
    watch.discard();
  }
}

export interface BodyWatch {
  /** Rejects with what is wrong with the body, or its client; never resolves. */
  readonly stopped: Promise<never>;
  /** Nothing more is expected of the client, however long its body is worked on. */
  relax(): void;
  /** Ends the watch, and throws away what was not consumed. */
  discard(): void;
}

/**
 * Watches over a body that somebody else consumes, with the errors of `receive`. Throws those that
 * are clear before its first byte. A client is not late while we are busy with what it sent.
 */
export function watchBody(
  request: IncomingMessage,
  bytesMax: number,
  isBusy: () => boolean = () => false,
): BodyWatch {
  // Made when needed: an error notes where it was made, which costs more than all else here.
  const gone = () => new FoveaError('cancelled', 'The client went away.');
  const tooLarge = () => new FoveaError('too_large', `The body may have ${bytesMax} bytes.`);
  if (request.destroyed && !request.complete) throw gone();
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>();
  stopped.catch(() => {});
  const onGone = () => {
    if (!request.complete) stop(gone());
  };
  const deadline = setTimeout(() => {
    if (isBusy()) deadline.refresh();
    else stop(new FoveaError('bad_request', 'The body did not come to its end in time.'));
  }, limits.bodyIdleMsMax);
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    deadline.refresh();
    received += chunk.length;
    if (received > bytesMax) stop(tooLarge());
  });
  request.on('error', onGone);
  request.on('close', onGone);
  return {
    stopped,
    relax: () => clearTimeout(deadline),
    discard: () => {
      clearTimeout(deadline);
      if (request.readableEnded) return;
      request.off('close', onGone);
      request.unpipe();
      request.removeAllListeners('data');
      request.resume();
    },
  };
}
