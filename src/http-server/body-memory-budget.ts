// Memory for request bodies: how many bytes of them are held at once, fair between callers.

import type { IncomingMessage } from 'node:http';
import { limits } from '../limits.ts';
import { type Caller, type Permit, Semaphore } from '../semaphore.ts';

/** One for each service: a permit stands for one byte. */
export class BodyMemory {
  readonly #first = new Semaphore({
    permitsMax: limits.firstBodyBytesAtOnceMax,
    callerPermitsMax: limits.firstBodyBytesOfCallerMax,
    groupPermitsMax: limits.firstBodyBytesOfGroupMax,
  });
  readonly #large = new Semaphore({
    permitsMax: limits.largeBodyBytesAtOnceMax,
    callerPermitsMax: limits.largeBodyBytesOfCallerMax,
    groupPermitsMax: limits.largeBodyBytesOfGroupMax,
  });

  /** For one request. */
  reservation(): BodyReservation {
    return new BodyReservation(this.#first, this.#large);
  }
}

/**
 * Memory of one body, reserved in two steps that are counted apart: for its first bytes, and for
 * all of it once so much has come that it is large. So a large body that hardly comes holds up
 * neither small bodies nor large ones.
 */
export class BodyReservation {
  /** Set before the body is read. */
  caller: Caller = { name: '' };
  /** To be called when it is released. */
  leave: (() => void) | undefined;
  readonly #semaphores: { readonly first: Semaphore; readonly large: Semaphore };
  #first: Permit | undefined;
  #large: Permit | undefined;

  constructor(first: Semaphore, large: Semaphore) {
    this.#semaphores = { first, large };
  }

  /** To be awaited once the first bytes are there; undefined: the memory is reserved. */
  acquireFirst(request: IncomingMessage): Promise<void> | undefined {
    const bytes = announcedBytes(request) ?? limits.largeBodyBytesMin;
    const permits = Math.min(bytes, limits.largeBodyBytesMin);
    this.#first ??= this.#semaphores.first.permit(this.caller, permits);
    return this.#first.acquire();
  }

  /** Likewise once the body is large. */
  acquireLarge(request: IncomingMessage): Promise<void> | undefined {
    const permits = announcedBytes(request) ?? limits.unannouncedBodyBytes;
    this.#large ??= this.#semaphores.large.permit(this.caller, permits);
    return this.#large.acquire();
  }

  /** For a body that is parsed as it comes: counted as large from the start if it may be large. */
  acquireWhole(request: IncomingMessage): Promise<void> | undefined {
    const bytes = announcedBytes(request) ?? Number.POSITIVE_INFINITY;
    return bytes < limits.largeBodyBytesMin
      ? this.acquireFirst(request)
      : this.acquireLarge(request);
  }

  /** To be called when nothing of the body is in memory any more. */
  release(): void {
    this.#first?.release();
    this.#large?.release();
    this.leave?.();
    this.leave = undefined;
  }
}

/** Undefined: it comes in chunks. */
export function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
