// Timestamps with microseconds.

import { isoTime } from '../clock.ts';
import { LruCache } from '../lru-cache.ts';
import type { Arrival } from './store/store.ts';

/** ISO 8601 in UTC with six digits, for example `2026-11-21T06:29:50.123456Z`. */
export function isoMicroseconds(arrival: Arrival): string {
  const second = Math.floor(arrival / 1_000_000);
  return `${upToPoint(second)}${String(arrival - second * 1_000_000).padStart(6, '0')}Z`;
}

function upToPoint(second: number): string {
  const known = recent.peek(second);
  if (known !== undefined) return known;
  const text = isoTime(second * 1000).slice(0, -4);
  recent.set(second, text);
  return text;
}

/** The times of an event are often up to there those of the event before. */
const recent = new LruCache<number, string>({ weightMax: 8 });

/**
 * Microseconds since 1970 of an ISO 8601 time: a date, or date and time separated by `T` or a
 * blank; with `Z`, `+hh:mm`, `+hhmm`, or no zone for UTC. A `+` that URL decoding turned into a
 * blank is accepted. Digits beyond microseconds are cut off. Undefined for invalid times.
 */
export function parseMicroseconds(text: string): number | undefined {
  const { date, minutes, seconds = '00', fraction = '', zone } = pattern.exec(text)?.groups ?? {};
  if (date === undefined) return undefined;
  const shown = `${date}T${minutes ?? '00:00'}:${seconds}.000Z`;
  const milliseconds = Date.parse(shown);
  // Date.parse rolls days such as February 30 over into the next month.
  if (Number.isNaN(milliseconds) || isoTime(milliseconds) !== shown) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const microseconds = Number(fraction.padEnd(6, '0').slice(0, 6));
  return (milliseconds - offset * 60_000) * 1000 + microseconds;
}

const pattern =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<minutes>\d\d:\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?<zone>[Zz]|[+\- ]\d\d:?\d\d)?)?$/;

/** Minutes east of Greenwich; undefined for an invalid zone. */
function offsetMinutes(zone = 'Z'): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
