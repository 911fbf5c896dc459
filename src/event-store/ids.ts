// Ids of events and files. Both are UUIDs of version 7 (RFC 9562), so they sort by time.

import { randomInt } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { isUuidv7, timeOfUuidv7, uuidv7 } from '../uuid.ts';
import type { Arrival } from './store/store.ts';

/**
 * A new event id. It holds the microseconds of the arrival, so that the row is found by its id
 * without an index; the rest is random, so that ids cannot be guessed.
 */
export function eventIdOf(arrival: Arrival): string {
  const milliseconds = Math.floor(arrival / 1000);
  const microseconds = arrival - milliseconds * 1000;
  const fraction = (microseconds << 2) | randomInt(4);
  return uuidv7(milliseconds, fraction);
}

/** The arrival in an event id; undefined for another text. */
export function arrivalOf(eventId: string): Arrival | undefined {
  if (!isUuidv7(eventId)) return undefined;
  const milliseconds = timeOfUuidv7(eventId);
  const microseconds = Number.parseInt(eventId.slice(15, 18), 16) >> 2;
  if (microseconds > 999) return undefined;
  const arrival = milliseconds * 1000 + microseconds;
  return Number.isSafeInteger(arrival) ? arrival : undefined;
}

/** A new id for a file. */
export function newFileId(clock: Clock): string {
  return uuidv7(clock.now());
}
