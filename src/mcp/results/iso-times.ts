// Writes the times of a result in one way. Services send ISO 8601, seconds or milliseconds since
// 1970, and seconds with nanoseconds.

import { isoTime } from '../../clock.ts';
import { isPlainObject } from '../../json-object.ts';

/** The value with its times in ISO 8601. What callers stored themselves stays as it is. */
export function withIsoTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIsoTimes);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, memberOf(name, member)]);
  return Object.fromEntries(entries);
}

function memberOf(name: string, member: unknown): unknown {
  if (ownedByCallers.has(name)) return member;
  if (times.has(name)) {
    if (typeof member === 'number') return timeOf(member);
    if (typeof member === 'object' && member !== null && '_seconds' in member) {
      const { _seconds: seconds } = member;
      return typeof seconds === 'number' ? timeOf(seconds) : member;
    }
  }
  return withIsoTimes(member);
}

/** As the number is, where it can be no time of our days. */
function timeOf(figure: number): number | string {
  if (figure >= secondsMin && figure < secondsMax) return isoTime(Math.round(figure * 1_000));
  const isMilliseconds = figure >= secondsMin * 1_000 && figure < secondsMax * 1_000;
  return isMilliseconds ? isoTime(Math.round(figure)) : figure;
}

/** From 2001 to 2128. */
const [secondsMin, secondsMax] = [1_000_000_000, 5_000_000_000];

const times: ReadonlySet<string> = new Set([
  'created',
  'updated',
  'uploaded',
  'createdAt',
  'updatedAt',
  'deletedAt',
]);

/** Their members may have any name. */
const ownedByCallers: ReadonlySet<string> = new Set([
  'metadata',
  'user_metadata',
  'custom_metadata',
  'customMetadata',
  'event_data',
  'eventData',
]);
