// Taking in the body of a request within bounds of size and time.

import type { IncomingMessage } from 'node:http';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Turn } from './turns.ts';

/**
 * The whole body in memory; errors as those of `receive`. A large one waits for its turn when its
 * first part is there, so that one that hardly comes keeps nobody else waiting.
 */
export function collectBytes(
  request: IncomingMessage,
  turn: Turn,
  bytesMax: number,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let waited: Promise<void> | undefined;
  let isWaiting = false;
  const wait = async () => {
    isWaiting = true;
    request.pause();
    await turn.begin();
    isWaiting = false;
    request.resume();
  };
  const consume = () => {
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= limits.largeBodyBytesMin) waited ??= wait();
    });
    request.on('end', async () => {
      await waited;
      resolve(Buffer.concat(chunks));
    });
    request.on('error', reject);
    return promise;
  };
  return receive(request, bytesMax, consume, () => isWaiting);
}

/**
 * Runs `consume` while the body comes in, and ends as it ends. A body above `bytesMax` is
 * `too_large`, one that stops coming or never gets consumed `bad_request`, a client that goes
 * away `cancelled`. One that takes longer than a body in memory may, however long its service
 * lets videos take, is `bad_request` too. What was not consumed is thrown away. Time does not count
 * while `isBusy`.
 */
export async function receive<T>(
  request: IncomingMessage,
  bytesMax: number,
  consume: () => Promise<T>,
  isBusy?: () => boolean,
): Promise<T> {
  const watch = watchBody(request, bytesMax, isBusy);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const deadline = setTimeout(() => {
    if (isBusy?.()) deadline.refresh();
    else reject(tooSlow());
  }, limits.requestMsMax);
  try {
    return await Promise.race([consume(), watch.stopped, late]);
  } finally {
    clearTimeout(deadline);
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
    else stop(tooSlow());
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

function tooSlow(): FoveaError {
  return new FoveaError('bad_request', 'The body did not come to its end in time.');
}
