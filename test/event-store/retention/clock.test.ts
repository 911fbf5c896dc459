// Clocks that are wrong: nothing is removed, and no draft finalized, before its time was lived.

import { describe, expect, test } from 'vitest';
import { MonotonicAge } from '../../../src/event-store/retention/monotonic-age.ts';
import { dayMs, hourMs, openTestStore, patiently, secondMs, testClock } from './test-store.ts';

test('a clock that was ahead for one event: said until time has caught up', async () => {
  const { create, clock, retention } = await openTestStore();
  clock.jump(hourMs);
  await create();
  clock.jump(-hourMs);
  const words = [
    'The clock was ahead: until 2026-11-20T01:00:00.000000Z new events get times just after that, and do not age.',
  ];
  await expect.poll(() => retention.health(), patiently).toEqual(words);
  clock.advance(hourMs);
  await expect.poll(() => retention.health(), patiently).toEqual([]);
});

describe('a clock that leaps far ahead', () => {
  test('removes nothing by age until the store has lived through it', async () => {
    const { create, clock, retention, ids, logLines } = await openTestStore();
    const event = await create();
    await retention.cleanNow();
    clock.jump(3_650 * dayMs);
    await retention.cleanNow();
    clock.advance(dayMs - secondMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([event]);
    expect(retention.health()).toEqual([
      'The clock skipped 3650.0 days: removal by age is suspended for as long.',
    ]);
    expect(logLines.filter((line) => line.includes('The clock jumped ahead'))).toHaveLength(1);
    clock.advance(2 * secondMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
    expect(retention.health()).toEqual([]);
  });

  test('removes nothing by age when it happened before the start', async () => {
    const first = await openTestStore();
    const event = await first.create();
    await first.retention.cleanNow();
    await first.close();
    const clock = testClock(first.clock.now() + 400 * dayMs);
    const second = await openTestStore({ data: first.data, clock });
    await second.retention.cleanNow();
    expect(await second.ids()).toEqual([event]);
    await second.close();
    const third = await openTestStore({ data: first.data, clock });
    await third.retention.cleanNow();
    expect(await third.ids()).toEqual([event]);
    clock.advance(dayMs + secondMs);
    await third.retention.cleanNow();
    expect(await third.ids()).toEqual([]);
  });

  test('a night without power counts', async () => {
    const first = await openTestStore();
    await first.create();
    await first.retention.cleanNow();
    first.clock.advance(6 * hourMs);
    await first.retention.cleanNow();
    await first.close();
    const clock = testClock(first.clock.now() + 20 * hourMs);
    const second = await openTestStore({ data: first.data, clock });
    await second.retention.cleanNow();
    expect(await second.ids()).toEqual([]);
  });

  test('finalizes no draft early', async () => {
    const { store, create, clock, retention } = await openTestStore();
    const draft = await create({ draft: true });
    await retention.cleanNow();
    clock.jump(5 * hourMs);
    clock.advance(hourMs - secondMs);
    await retention.cleanNow();
    expect((await store.get(draft))?.draft).toBe(true);
    clock.advance(2 * secondMs);
    await retention.cleanNow();
    expect((await store.get(draft))?.draft).toBe(false);
  });
});

describe('a clock that is set back', () => {
  test('removes nothing, finalizes nothing, and the store goes on', async () => {
    const { store, create, clock, retention, ids } = await openTestStore();
    const old = await create();
    const draft = await create({ draft: true });
    clock.jump(-2 * dayMs);
    await retention.cleanNow();
    const young = await create();
    expect(await ids()).toEqual([old, draft, young]);
    expect((await store.get(draft))?.draft).toBe(true);
    clock.jump(2 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([old, draft, young]);
  });
});

describe('lived time', () => {
  test('is wall time where the clock is right', () => {
    const clock = testClock(1_000_000_000);
    const monotonicAge = new MonotonicAge(clock, undefined);
    clock.advance(50_000);
    expect(monotonicAge.olderThan(20_000)).toBe(1_000_030_000);
  });

  test('goes back over several leaps', () => {
    const clock = testClock(1_000_000_000);
    const monotonicAge = new MonotonicAge(clock, undefined);
    for (let count = 0; count < 3; count += 1) {
      clock.advance(10_000);
      monotonicAge.readClocks();
      clock.jump(5_000_000);
      monotonicAge.readClocks();
    }
    clock.advance(10_000);
    expect(monotonicAge.olderThan(9_000)).toBe(1_015_031_000);
    expect(monotonicAge.olderThan(15_000)).toBe(1_010_025_000);
    expect(monotonicAge.olderThan(40_000)).toBe(1_000_000_000);
    expect(monotonicAge.jumpedWithin(40_000)).toBe(15_000_000);
    expect(monotonicAge.history.jumps).toHaveLength(3);
    monotonicAge.forget(15_000);
    expect(monotonicAge.history.jumps).toHaveLength(1);
  });

  test('takes small corrections for what they are', () => {
    const clock = testClock(1_000_000_000);
    const monotonicAge = new MonotonicAge(clock, undefined);
    clock.jump(900);
    expect(monotonicAge.readClocks()).toBe(0);
    expect(monotonicAge.history.jumps).toEqual([]);
  });

  test('remembers a bounded number of leaps, and errs towards younger', () => {
    const clock = testClock(1_000_000_000);
    const monotonicAge = new MonotonicAge(clock, undefined);
    for (let count = 0; count < 500; count += 1) {
      clock.advance(1_000);
      monotonicAge.readClocks();
      clock.jump(2_000);
      monotonicAge.readClocks();
    }
    expect(monotonicAge.history.jumps.length).toBeLessThanOrEqual(101);
    expect(monotonicAge.olderThan(500_000)).toBeLessThanOrEqual(1_000_000_000);
  });
});
