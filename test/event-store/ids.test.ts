// Ids carry the arrival, sort by it, and what is no id is told apart.

import { expect, test } from 'vitest';
import { arrivalOf, eventIdOf, newFileId } from '../../src/event-store/ids.ts';

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('an event id gives its arrival back', () => {
  for (const arrival of [0, 1, 999, 1000, 1_795_242_590_123_456, 8_999_999_999_999_999]) {
    const id = eventIdOf(arrival);
    expect(id).toMatch(uuid7);
    expect(arrivalOf(id)).toBe(arrival);
  }
});

test('the time stands in front, as in every UUID of version 7', () => {
  expect(eventIdOf(1_795_242_590_123_456)).toMatch(/^01a1fccb-ffab-77/);
});

test('later events sort behind earlier ones', () => {
  const arrivals = [999, 1000, 1001, 1999, 2000, 1_795_242_590_123_456, 1_795_242_590_123_457];
  const ids = arrivals.map(eventIdOf);
  expect([...ids].sort()).toEqual(ids);
});

test('ids of one arrival differ', () => {
  expect(new Set(Array.from({ length: 1000 }, () => eventIdOf(5))).size).toBe(1000);
});

test('what is no event id carries no arrival', () => {
  const id = eventIdOf(1_795_242_590_123_456);
  const wrong = [
    '',
    'latest',
    '../../etc/passwd',
    `${id} `,
    id.toUpperCase(),
    id.replaceAll('-', ''),
    // Version 4, another variant, and 1000 microseconds.
    '01a1fccb-ffab-4720-8000-000000000000',
    '01a1fccb-ffab-7720-c000-000000000000',
    '01a1fccb-ffab-7fa0-8000-000000000000',
    // Later than 2255: no number of JavaScript is that exact.
    'ffffffff-ffff-7000-8000-000000000000',
  ];
  for (const text of wrong) expect(arrivalOf(text)).toBe(undefined);
});

test('file ids are UUIDs of version 7, each another one', () => {
  const clock = { now: () => 1_795_242_590_123, monotonic: () => 0 };
  const ids = Array.from({ length: 1000 }, () => newFileId(clock));
  for (const id of ids) expect(id).toMatch(/^01a1fccb-ffab-7[0-9a-f]{3}-[89ab]/);
  expect(new Set(ids).size).toBe(1000);
});
