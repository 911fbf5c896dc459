// Taking in the body of a request within bounds of size and time.

import type { IncomingMessage } from 'node:http';
import { systemClock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { BodyReservation } from './body-memory.ts';
import { isCutSmall } from './linger.ts';

/**
 * The whole body in memory; errors as those of `receive`. With a turn, it waits for that when its
 * first bytes are there, and once more when it proves large, so that one that hardly comes keeps
 * nobody else waiting. `look` is given each piece as it comes, and ends all by what it throws.
 */
export async function collectBytes(
  request: IncomingMessage,
  bytesMax: number,
  reservation?: BodyReservation,
  look: (piece: Buffer) => void = () => {},
): Promise<Buffer> {
  const whole = takeSmall(request, bytesMax);
  if (whole) {
    look(whole);
    return whole;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  let step: 'none' | 'first' | 'large' = 'none';
  let waiting: Promise<void> | undefined;
  const wait = (begun: Promise<void> | undefined) => {
    if (begun === undefined) return;
    request.pause();
    waiting = begun.then(() => {
      waiting = undefined;
      request.resume();
    });
  };
  const consume = (resolve: (whole: Buffer) => void, reject: (reason: unknown) => void) => {
    request.on('data', (chunk: Buffer) => {
      try {
        look(chunk);
      } catch (thrown) {
        return reject(thrown);
      }
      chunks.push(chunk);
      bytes += chunk.length;
      if (step === 'none') {
        step = 'first';
        wait(reservation?.acquireFirst(request));
      }
      if (step === 'first' && bytes >= limits.largeBodyBytesMin && waiting === undefined) {
        step = 'large';
        wait(reservation?.acquireLarge(request));
      }
    });
    const finish = () => {
      const [only = noBytes] = chunks;
      resolve(chunks.length > 1 ? Buffer.concat(chunks) : only);
    };
    request.on('end', () => {
      if (waiting) waiting.then(finish);
      else finish();
    });
  };
  const isBusy = () => waiting !== undefined;
  const isHeld = () => reservation !== undefined && step === 'large';
  return receive(request, { bytesMax, isBusy, isHeld }, consume);
}

/** A small body that came with its headers is there already: there is nothing to wait for. */
function takeSmall(request: IncomingMessage, bytesMax: number): Buffer | undefined {
  const { headers, readableLength } = request;
  if (headers['transfer-encoding'] !== undefined || readableLength === 0) return undefined;
  if (Number(headers['content-length']) !== readableLength || request.destroyed) return undefined;
  if (readableLength > Math.min(bytesMax, limits.largeBodyBytesMin - 1)) return undefined;
  const whole: unknown = request.read();
  // To its end, which comes with no more bytes.
  request.resume();
  return whole instanceof Buffer ? whole : undefined;
}

const noBytes = Buffer.alloc(0);

/**
 * Runs `consume`, which settles with what it made of the body as it comes in. A body above its
 * bound is `too_large`, one that stops coming or never gets consumed `bad_request`, a client
 * that goes away `cancelled`. One that takes longer than a body in memory may, however long its
 * service lets videos take, is `bad_request` too. What was not consumed is thrown away. Time does
 * not count while `isBusy`.
 */
export async function receive<T>(
  request: IncomingMessage,
  rules: BodyRules,
  consume: (resolve: (result: T) => void, reject: (reason: unknown) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const watch = watchBody(request, reject, { msMax: limits.requestMsMax, ...rules });
  try {
    consume(resolve, reject);
    return await promise;
  } finally {
    watch.discard();
  }
}

export interface BodyRules {
  readonly bytesMax: number;
  /** Milliseconds from the first byte to the last; as long as it takes unless given. */
  readonly msMax?: number;
  /** A client is not late while we are busy with what it sent. */
  readonly isBusy?: () => boolean;
  /** Whether others wait for its end: then it has to come on. */
  readonly isHeld?: () => boolean;
}

export interface BodyWatch {
  /** Nothing more is expected of the client, however long its body is worked on. */
  relax(): void;
  /** Ends the watch, and throws away what was not consumed. */
  discard(): void;
}

/**
 * Watches over a body that somebody else consumes; calls `stop`, perhaps more than once, with what
 * is wrong with it or with its client, as `receive` says. Throws what is clear before its first
 * byte.
 */
export function watchBody(
  request: IncomingMessage,
  stop: (reason: FoveaError) => void,
  rules: BodyRules,
): BodyWatch {
  const { bytesMax, msMax = Number.POSITIVE_INFINITY, isBusy = never, isHeld = never } = rules;
  // Made when needed: an error notes where it was made, which costs more than all else here.
  const gone = () => new FoveaError('cancelled', 'The client went away.');
  const tooLarge = () => new FoveaError('too_large', `The body may have ${bytesMax} bytes.`);
  if (request.destroyed && !request.complete) throw gone();
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const onGone = () => {
    if (!request.complete) stop(gone());
  };
  // One timer for both bounds: who sends a little now and then is looked at with each piece.
  let startMs = systemClock.monotonic();
  let step = { startMs, bytes: 0 };
  const deadline = setTimeout(() => {
    if (!isBusy()) return stop(tooSlow());
    deadline.refresh();
    startMs = systemClock.monotonic();
    step = { startMs, bytes: 0 };
  }, limits.bodyIdleMsMax);
  let received = 0;
  let pieces = 0;
  let isTooMuch = false;
  request.on('data', (chunk: Buffer) => {
    // Thousands of pieces may come before the body can be stopped, and each error takes its time.
    if (isTooMuch) return;
    deadline.refresh();
    received += chunk.length;
    pieces += 1;
    const isTooFine = isCutSmall(pieces, received);
    isTooMuch = isTooFine || received > bytesMax;
    if (isTooMuch) return stop(isTooFine ? tooManyPieces() : tooLarge());
    const nowMs = systemClock.monotonic();
    step.bytes += chunk.length;
    if (nowMs - startMs > msMax) stop(tooSlow());
    if (nowMs - step.startMs < limits.bodyIdleMsMax) return;
    if (isHeld() && step.bytes < heldBytesMin) stop(tooSlow());
    step = { startMs: nowMs, bytes: 0 };
  });
  request.on('error', onGone);
  request.on('close', onGone);
  return {
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

const never = () => false;

/** In one step. */
const heldBytesMin = (limits.heldBodyBytesPerSecondMin * limits.bodyIdleMsMax) / 1_000;

function tooManyPieces(): FoveaError {
  return new FoveaError('bad_request', 'The body comes in too many small pieces.', {
    hint: 'Send it with a Content-Length, or in chunks of some kilobytes.',
  });
}

function tooSlow(): FoveaError {
  return new FoveaError('bad_request', 'The body did not come to its end in time.');
}
