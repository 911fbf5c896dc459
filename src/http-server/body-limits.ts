// Reads the body of a request within bounds of size and time.

import type { IncomingMessage } from 'node:http';
import { systemClock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { BodyReservation } from './body-memory-budget.ts';
import { isFragmented } from './lingering-close.ts';

/**
 * The whole body in memory; errors as those of `consumeBody`. With a reservation, it waits for
 * memory when its first bytes are there, and once more when it proves large, so that a body that
 * hardly comes holds up no other. `look` is given each chunk as it comes, and may throw.
 */
export async function readBytes(
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
  return consumeBody(request, { bytesMax, isBusy, isHeld }, consume);
}

/** A small body that came with its headers needs no waiting. */
function takeSmall(request: IncomingMessage, bytesMax: number): Buffer | undefined {
  const { headers, readableLength } = request;
  if (headers['transfer-encoding'] !== undefined || readableLength === 0) return undefined;
  if (Number(headers['content-length']) !== readableLength || request.destroyed) return undefined;
  if (readableLength > Math.min(bytesMax, limits.largeBodyBytesMin - 1)) return undefined;
  const whole: unknown = request.read();
  // Until the end event, which comes without more bytes.
  request.resume();
  return whole instanceof Buffer ? whole : undefined;
}

const noBytes = Buffer.alloc(0);

/**
 * Runs `consume`, which settles with what it made of the body. Rejects with `too_large` for a body
 * above its bound, `bad_request` for one that is too slow, stops, or is never consumed, and
 * `cancelled` if the client disconnects. What was not consumed is discarded. Time does not count
 * while `isBusy`.
 */
export async function consumeBody<T>(
  request: IncomingMessage,
  rules: BodyLimits,
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

export interface BodyLimits {
  readonly bytesMax: number;
  /** Milliseconds from the first byte to the last; unbounded unless given. */
  readonly msMax?: number;
  /** Whether we are busy with what the client sent: its time does not count then. */
  readonly isBusy?: () => boolean;
  /** Whether others wait for its memory: then it must come at a minimum rate. */
  readonly isHeld?: () => boolean;
}

export interface BodyWatch {
  /** Stops the clock: the whole body has come, and is being worked on. */
  relax(): void;
  /** Ends the watch, and discards what was not consumed. */
  discard(): void;
}

/**
 * Watches a body that the caller consumes; calls `stop`, perhaps more than once, with the errors of
 * `consumeBody`. Throws if the headers alone show the error.
 */
export function watchBody(
  request: IncomingMessage,
  stop: (reason: FoveaError) => void,
  rules: BodyLimits,
): BodyWatch {
  const { bytesMax, msMax = Number.POSITIVE_INFINITY, isBusy = never, isHeld = never } = rules;
  // Made when needed: recording its stack costs more than all else here.
  const gone = () => new FoveaError('cancelled', 'The client went away.');
  const tooLarge = () => bodyTooLarge(bytesMax);
  if (request.destroyed && !request.complete) throw gone();
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
  const onGone = () => {
    if (!request.complete) stop(gone());
  };
  // One timer for both bounds: a slow trickle is checked with each chunk.
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
    // Thousands of chunks may come before the body can be stopped, and making errors takes time.
    if (isTooMuch) return;
    deadline.refresh();
    received += chunk.length;
    pieces += 1;
    const isTooFine = isFragmented(pieces, received);
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

export function bodyTooLarge(bytesMax: number): FoveaError {
  return new FoveaError('too_large', `The body may have ${bytesMax} bytes.`);
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
