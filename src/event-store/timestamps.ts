// Times with microseconds, as the Event Store reads and shows them.

import { isoTime } from '../clock.ts';
import type { Arrival } from './store/store.ts';

/** ISO 8601 in UTC with six digits, for example `2026-11-21T06:29:50.123456Z`. */
export function isoMicroseconds(arrival: Arrival): string {
  const second = Math.floor(arrival / 1_000_000);
  if (second !== shown.second) shown = { second, text: isoTime(second * 1000).slice(0, -4) };
  return `${shown.text}${String(arrival - second * 1_000_000).padStart(6, '0')}Z`;
}

/** Up to its dot: the times of an event are often of the same second. */
let shown = { second: 0, text: isoTime(0).slice(0, -4) };

/**
 * Microseconds since 1970 of an ISO 8601 time: a date alone (its first moment) or with a time,
 * behind `T` or a blank; with `Z`, `+hh:mm`, `+hhmm`, or no zone for UTC. A `+` that a URL made a
 * blank is understood. Digits beyond microseconds are cut off. Undefined for what is no such time.
 */
export function parseMicroseconds(text: string): number | undefined {
  const { date, minutes, seconds = '00', fraction = '', zone } = pattern.exec(text)?.groups ?? {};
  if (date === undefined) return undefined;
  const shown = `${date}T${minutes ?? '00:00'}:${seconds}.000Z`;
  const milliseconds = Date.parse(shown);
  // Days that a month does not have would be taken for days of the next one.
  if (Number.isNaN(milliseconds) || isoTime(milliseconds) !== shown) return undefined;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const microseconds = Number(fraction.padEnd(6, '0').slice(0, 6));
  return (milliseconds - offset * 60_000) * 1000 + microseconds;
}

const pattern =
  /^(?<date>\d{4}-\d\d-\d\d)(?:[Tt ](?<minutes>\d\d:\d\d)(?::(?<seconds>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?<zone>[Zz]|[+\- ]\d\d:?\d\d)?)?$/;

/** East of Greenwich; undefined for hours and minutes that no clock has. */
function offsetMinutes(zone = 'Z'): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
