// Bodies in memory: how many bytes of them there may be at once, fair between callers.

import type { IncomingMessage } from 'node:http';
import { limits } from '../limits.ts';
import { type Caller, createTurns, type Turn, type Turns } from './turns.ts';

export interface BodyTurns {
  /** For one request. */
  next(): BodyTurn;
}

export function createBodyTurns(): BodyTurns {
  const first = createTurns({
    sharesMax: limits.firstBodyBytesAtOnceMax,
    callerSharesMax: limits.firstBodyBytesOfCallerMax,
    groupSharesMax: limits.firstBodyBytesOfGroupMax,
  });
  const large = createTurns({
    sharesMax: limits.largeBodyBytesAtOnceMax,
    callerSharesMax: limits.largeBodyBytesOfCallerMax,
    groupSharesMax: limits.largeBodyBytesOfGroupMax,
  });
  return { next: () => new BodyTurn(first, large) };
}

/**
 * The turn of one body, in two steps, which count apart: its first bytes, and all of it once so
 * much came that it is large. So a large body that hardly comes keeps no small one waiting, and no
 * large one either.
 */
export class BodyTurn {
  /** Set before the body is read. */
  caller: Caller = { name: '' };
  readonly #turns: { readonly first: Turns; readonly large: Turns };
  #first: Turn | undefined;
  #large: Turn | undefined;

  constructor(first: Turns, large: Turns) {
    this.#turns = { first, large };
  }

  /** To be awaited once the first bytes are there; undefined: there is room. */
  begin(request: IncomingMessage): Promise<void> | undefined {
    const bytes = announcedBytes(request) ?? limits.largeBodyBytesMin;
    const shares = Math.min(bytes, limits.largeBodyBytesMin);
    this.#first ??= this.#turns.first.next(this.caller, shares);
    return this.#first.begin();
  }

  /** Likewise once it is large. */
  beginLarge(request: IncomingMessage): Promise<void> | undefined {
    const shares = announcedBytes(request) ?? limits.unannouncedBodyBytes;
    this.#large ??= this.#turns.large.next(this.caller, shares);
    return this.#large.begin();
  }

  /** For a body that is taken apart as it comes: as large from the start, where it may be. */
  beginAtOnce(request: IncomingMessage): Promise<void> | undefined {
    const bytes = announcedBytes(request) ?? Number.POSITIVE_INFINITY;
    return bytes < limits.largeBodyBytesMin ? this.begin(request) : this.beginLarge(request);
  }

  /** Nothing of it is in memory any more. */
  end(): void {
    this.#first?.end();
    this.#large?.end();
  }
}

function announcedBytes({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
