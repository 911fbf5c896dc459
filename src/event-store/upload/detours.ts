// Ways around events on which the cloud itself fails, each time anew: they wait, others do not.

import type { Clock } from '../../clock.ts';
import type { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';

/**
 * An event on which the cloud fails again and again, although it is sent alone, is passed over.
 * Where the next ones fare no better it was not the event: then all of them wait.
 */
export interface Detours {
  /** Whether others are to be sent before it. */
  isResting(eventId: string): boolean;
  /** One whose rest is over: it is to be sent alone. */
  due(): string | undefined;
  /** How many are known: so many more must be asked for to find others. */
  count(): number;
  /** The cloud failed while it was sent these; says whether to go on with others now. */
  failed(eventIds: readonly string[], error: FoveaError): boolean;
  /** The cloud has taken or refused these, or they are gone. */
  passed(eventIds: readonly string[]): void;
}

export function createDetours(clock: Clock, log: Log): Detours {
  return new KnownTroubles(clock, log);
}

interface Trouble {
  readonly failures: number;
  /** In monotonic time; undefined: it is not passed over. */
  readonly restUntil: number | undefined;
}

class KnownTroubles implements Detours {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #troubles = new Map<string, Trouble>();
  /** Passed over, and the cloud has taken nothing since. */
  #suspects: string[] = [];

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  isResting(eventId: string): boolean {
    return this.#troubles.get(eventId)?.restUntil !== undefined;
  }

  due(): string | undefined {
    const now = this.#clock.monotonic();
    for (const [id, { restUntil }] of this.#troubles) {
      if (restUntil !== undefined && restUntil <= now) return id;
    }
    return undefined;
  }

  count(): number {
    return this.#troubles.size;
  }

  failed(eventIds: readonly string[], error: FoveaError): boolean {
    const [id, ...others] = eventIds;
    if (id === undefined || others.length > 0 || !mayBeItsFault(error)) return this.#acquit();
    const failures = (this.#troubles.get(id)?.failures ?? 0) + 1;
    if (this.isResting(id)) {
      this.#log.warn('The cloud fails on an event; others go first.', { event: id });
      return this.#rest(id, failures);
    }
    this.#troubles.set(id, { failures, restUntil: undefined });
    const isFirst = this.#suspects.length === 0;
    if (isFirst && failures < limits.cloudDetourFailuresMin) return false;
    if (this.#suspects.length >= limits.cloudDetourSuspectsMax) return this.#acquit();
    if (this.#troubles.size > limits.cloudDetoursMax) return this.#acquit();
    this.#suspects.push(id);
    return this.#rest(id, failures);
  }

  passed(eventIds: readonly string[]): void {
    if (eventIds.length === 0) return;
    for (const id of eventIds) this.#troubles.delete(id);
    // The cloud may just have come back: once more at once, before they are blamed.
    const restUntil = this.#clock.monotonic();
    for (const id of this.#suspects) {
      const trouble = this.#troubles.get(id);
      if (trouble !== undefined) this.#troubles.set(id, { ...trouble, restUntil });
    }
    this.#suspects = [];
  }

  /** It was not them: they have their turn again. */
  #acquit(): false {
    for (const id of this.#suspects) this.#troubles.delete(id);
    this.#suspects = [];
    return false;
  }

  #rest(id: string, failures: number): true {
    const doublings = Math.max(0, failures - limits.cloudDetourFailuresMin - 1);
    const restMs = Math.min(limits.cloudRetryMsMax * 2 ** doublings, limits.cloudRetryAfterMsMax);
    this.#troubles.set(id, { failures, restUntil: this.#clock.monotonic() + restMs });
    return true;
  }
}

/** A failure in the middle of its work, not one that says that the cloud is away or wants rest. */
function mayBeItsFault({ code, upstream, retryAfterSeconds }: FoveaError): boolean {
  if (retryAfterSeconds !== undefined) return false;
  if (upstream === undefined) return code === 'upstream_failed' || code === 'timed_out';
  return [500, 502, 504].includes(upstream.status);
}
