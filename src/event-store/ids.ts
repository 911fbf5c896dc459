// Ids of events and files. Both are UUIDs of version 7 (RFC 9562), so they sort by time.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Arrival } from './store/store.ts';

/**
 * A new id for the event of that arrival. The microseconds stand behind the milliseconds, so that
 * the row is found by its id without an index; the rest is random, so that nobody guesses it.
 */
export function eventIdOf(arrival: Arrival): string {
  const milliseconds = Math.floor(arrival / 1000);
  const microseconds = arrival - milliseconds * 1000;
  const random = randomUUID();
  const lowBits = Number.parseInt(random.charAt(0), 16) & 3;
  return joined(milliseconds, hex((microseconds << 2) | lowBits, 3), random);
}

/**
 * Milliseconds since 1970 of an id of this file; not a number, or a wrong one, for another text:
 * file ids may be names that somebody else gave.
 */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** The arrival that an event id carries; undefined for a text that is no such id. */
export function arrivalOf(eventId: string): Arrival | undefined {
  if (!eventIdPattern.test(eventId)) return undefined;
  const milliseconds = timeOfId(eventId);
  const microseconds = Number.parseInt(eventId.slice(15, 18), 16) >> 2;
  if (microseconds > 999) return undefined;
  const arrival = milliseconds * 1000 + microseconds;
  return Number.isSafeInteger(arrival) ? arrival : undefined;
}

/** A new id for a file. */
export function newFileId(clock: Clock): string {
  const random = randomUUID();
  return joined(clock.now(), random.slice(15, 18), random);
}

const eventIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The end of a random UUID of version 4 has the variant and the random bits of version 7. */
function joined(milliseconds: number, behindVersion: string, random: string): string {
  const time = hex(Math.floor(milliseconds), 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${behindVersion}${random.slice(18)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
