// Ways around events on which the cloud itself fails, each time anew: they wait, others do not.

import type { Clock } from '../../clock.ts';
import type { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';

/**
 * An event on which the cloud fails again and again, although it is sent alone, is passed over.
 * Where the next ones fare no better it was not the event: then all of them wait.
 */
export interface PoisonEventQuarantine {
  /** Whether others are to be sent before it. */
  isQuarantined(eventId: string): boolean;
  /** One whose rest is over: it is to be sent alone. */
  dueForRetry(): string | undefined;
  /** How many are known: so many more must be asked for to find others. */
  size(): number;
  /** The cloud failed while it was sent these; says whether to go on with others now. */
  recordFailure(eventIds: readonly string[], error: FoveaError): boolean;
  /** The cloud has taken or refused these, or they are gone. */
  release(eventIds: readonly string[]): void;
}

export function createQuarantine(clock: Clock, log: Log): PoisonEventQuarantine {
  return new KnownTroubles(clock, log);
}

interface FailureRecord {
  readonly failures: number;
  /** In monotonic time; undefined: it is not passed over. */
  readonly retryAt: number | undefined;
}

class KnownTroubles implements PoisonEventQuarantine {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #failures = new Map<string, FailureRecord>();
  /** Passed over, and the cloud has taken nothing since. */
  #suspects: string[] = [];

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  isQuarantined(eventId: string): boolean {
    return this.#failures.get(eventId)?.retryAt !== undefined;
  }

  dueForRetry(): string | undefined {
    const now = this.#clock.monotonic();
    for (const [id, { retryAt }] of this.#failures) {
      if (retryAt !== undefined && retryAt <= now) return id;
    }
    return undefined;
  }

  size(): number {
    return this.#failures.size;
  }

  recordFailure(eventIds: readonly string[], error: FoveaError): boolean {
    const [id, ...others] = eventIds;
    if (id === undefined || others.length > 0 || !mayBeCausedByEvent(error))
      return this.#clearSuspects();
    const failures = (this.#failures.get(id)?.failures ?? 0) + 1;
    if (this.isQuarantined(id)) {
      this.#log.warn('The cloud fails on an event; others go first.', { event: id });
      return this.#quarantine(id, failures);
    }
    this.#failures.set(id, { failures, retryAt: undefined });
    const isFirst = this.#suspects.length === 0;
    if (isFirst && failures < limits.quarantineFailuresMin) return false;
    if (this.#suspects.length >= limits.quarantineSuspectsMax) return this.#clearSuspects();
    if (this.#failures.size > limits.quarantinedEventsMax) return this.#clearSuspects();
    this.#suspects.push(id);
    return this.#quarantine(id, failures);
  }

  release(eventIds: readonly string[]): void {
    if (eventIds.length === 0) return;
    for (const id of eventIds) this.#failures.delete(id);
    // The cloud may just have come back: once more at once, before they are blamed.
    const retryAt = this.#clock.monotonic();
    for (const id of this.#suspects) {
      const record = this.#failures.get(id);
      if (record !== undefined) this.#failures.set(id, { ...record, retryAt });
    }
    this.#suspects = [];
  }

  /** It was not them: they have their turn again. */
  #clearSuspects(): false {
    for (const id of this.#suspects) this.#failures.delete(id);
    this.#suspects = [];
    return false;
  }

  #quarantine(id: string, failures: number): true {
    const doublings = Math.max(0, failures - limits.quarantineFailuresMin - 1);
    const waitMs = Math.min(limits.cloudRetryMsMax * 2 ** doublings, limits.cloudRetryAfterMsMax);
    this.#failures.set(id, { failures, retryAt: this.#clock.monotonic() + waitMs });
    return true;
  }
}

/** A failure in the middle of its work, not one that says that the cloud is away or wants rest. */
function mayBeCausedByEvent({ code, upstream, retryAfterSeconds }: FoveaError): boolean {
  if (retryAfterSeconds !== undefined) return false;
  if (upstream === undefined) return code === 'upstream_failed' || code === 'timed_out';
  return [500, 502, 504].includes(upstream.status);
}
