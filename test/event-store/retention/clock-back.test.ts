// A clock that leapt ahead and is set back only part of the way: nothing goes before its time.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  MonotonicAge,
  readClockHistory,
  writeClockHistory,
} from '../../../src/event-store/retention/monotonic-age.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import {
  dayMs,
  hourMs,
  openTestStore,
  patiently,
  secondMs,
  type TestClock,
  type TestStore,
  testClock,
} from './test-store.ts';

const start = 1_000_000_000;

describe('a store whose clock is set back part of the way', () => {
  test('removes and finalizes nothing, then goes on as usual', async () => {
    const { create, clock, retention, ids, store } = await openTestStore();
    const kept = await createSix({ create });
    const draft = kept[5] ?? '';
    clock.advance(secondMs);
    await retention.cleanNow();
    clock.jump(365 * dayMs);
    await retention.cleanNow();
    clock.jump(-360 * dayMs);
    await retention.cleanNow();
    expect(await ids()).toEqual(kept);
    expect((await store.get(draft))?.draft).toBe(true);
    expect(retention.health()).toEqual([
      'The clock skipped 5.0 days: removal by age is suspended for as long.',
    ]);
    clock.advance(hourMs);
    await retention.cleanNow();
    expect((await store.get(draft))?.draft).toBe(false);
    clock.advance(23 * hourMs - 2 * secondMs);
    await retention.cleanNow();
    expect(await ids()).toEqual(kept);
    clock.advance(2 * secondMs);
    await retention.cleanNow();
    expect(await ids()).toEqual([]);
    expect(retention.health()).toEqual([]);
  });

  test('removes nothing where it was set back between two processes', async () => {
    const first = await openTestStore();
    const kept = await createSix(first);
    await first.retention.cleanNow();
    first.clock.jump(365 * dayMs);
    await first.retention.cleanNow();
    await first.close();
    const clock = testClock(first.clock.now() - 360 * dayMs);
    const second = await openTestStore({ data: first.data, clock });
    await second.retention.cleanNow();
    expect(await second.ids()).toEqual(kept);
    await second.close();
    const third = await openTestStore({ data: first.data, clock });
    clock.jump(360 * dayMs);
    await third.retention.cleanNow();
    expect(await third.ids()).toEqual(kept);
    clock.advance(dayMs + secondMs);
    await third.retention.cleanNow();
    expect(await third.ids()).toEqual([]);
  });

  test('removes nothing where the next leader never saw the time ahead', async () => {
    const first = await openTestStore();
    const second = await openTestStore({ data: first.data, clock: first.clock });
    const kept = await createSix(first);
    await first.retention.cleanNow();
    first.clock.jump(365 * dayMs);
    await first.retention.cleanNow();
    first.clock.jump(-360 * dayMs);
    await first.close();
    await expect
      .poll(async () => {
        await second.retention.cleanNow();
        return second.retention.health();
      }, patiently)
      .toEqual(['The clock skipped 5.0 days: removal by age is suspended for as long.']);
    expect(await second.ids()).toEqual(kept);
  });

  test('removes nothing where only an event of the time ahead says when it was alive', async () => {
    const first = await openTestStore();
    const kept = await createSix(first);
    first.clock.jump(365 * dayMs);
    const ahead = await first.create();
    await first.close();
    await rm(join(first.data, 'clock.json'), { force: true });
    const clock = testClock(first.clock.now() - 360 * dayMs);
    const second = await openTestStore({ data: first.data, clock });
    await second.retention.cleanNow();
    expect(await second.ids()).toEqual([...kept, ahead]);
  });
});

describe('lived time after a clock was set back', () => {
  test('counts nothing of a leap that it still lies in, and all that comes after', () => {
    const { clock, monotonicAge } = leapt(365 * dayMs);
    clock.jump(-360 * dayMs);
    expect(monotonicAge.olderThan(hourMs)).toBe(start - hourMs);
    expect(monotonicAge.history.jumps).toEqual([{ from: start, to: start + 5 * dayMs }]);
    clock.advance(10 * hourMs);
    expect(monotonicAge.olderThan(hourMs)).toBe(start + 5 * dayMs + 9 * hourMs);
    expect(monotonicAge.olderThan(11 * hourMs)).toBe(start - hourMs);
  });

  test('counts no leap again that it lies before', () => {
    const { clock, monotonicAge } = leapt(365 * dayMs);
    clock.jump(-366 * dayMs);
    expect(monotonicAge.olderThan(hourMs)).toBe(start - dayMs - hourMs);
    expect(monotonicAge.history.jumps).toEqual([]);
    clock.jump(366 * dayMs);
    expect(monotonicAge.olderThan(hourMs)).toBe(start - dayMs - hourMs);
  });

  test('cuts the one of several leaps that it lies in, and drops the later ones', () => {
    const { clock, monotonicAge } = leapt(10 * dayMs);
    clock.advance(hourMs);
    monotonicAge.readClocks();
    clock.jump(10 * dayMs);
    monotonicAge.readClocks();
    clock.advance(hourMs);
    monotonicAge.readClocks();
    clock.jump(10 * dayMs);
    monotonicAge.readClocks();
    clock.jump(-15 * dayMs);
    monotonicAge.readClocks();
    const second = start + 10 * dayMs + hourMs;
    expect(monotonicAge.history.jumps).toEqual([
      { from: start, to: start + 10 * dayMs },
      { from: second, to: start + 15 * dayMs + 2 * hourMs },
    ]);
    clock.advance(hourMs);
    expect(monotonicAge.olderThan(3 * hourMs)).toBe(start - hourMs);
  });

  test('ages nothing by a clock that goes to and fro', () => {
    const { clock, monotonicAge } = leapt(365 * dayMs);
    for (const leapMs of [-360 * dayMs, 100 * dayMs, -50 * dayMs, 400 * dayMs, -450 * dayMs]) {
      clock.jump(leapMs);
      expect(monotonicAge.olderThan(hourMs)).toBeLessThan(start);
      clock.advance(secondMs);
    }
    expect(monotonicAge.olderThan(hourMs)).toBeLessThan(start);
    clock.advance(hourMs);
    expect(monotonicAge.olderThan(hourMs)).toBeGreaterThanOrEqual(start);
  });

  test('is kept on the disk, and cut by the next process where its clock is behind', async () => {
    const data = await temporaryFolder();
    const { monotonicAge } = leapt(365 * dayMs);
    await writeClockHistory(data, monotonicAge.history);
    const next = new MonotonicAge(testClock(start + 5 * dayMs), await readClockHistory(data));
    await writeClockHistory(data, next.history);
    expect(await readClockHistory(data)).toEqual({
      seenAt: start + 5 * dayMs,
      jumps: [{ from: start, to: start + 5 * dayMs }],
    });
    const ahead = new MonotonicAge(testClock(start + 366 * dayMs), await readClockHistory(data));
    expect(ahead.olderThan(hourMs)).toBe(start - hourMs);
  });

  test('takes leaps of a file that lie across one another or not in order', async () => {
    const data = await temporaryFolder();
    const jumps = [
      { from: start + 20 * dayMs, to: start + 30 * dayMs },
      { from: start, to: start + 365 * dayMs },
      { from: start + 5 * dayMs, to: start + 10 * dayMs },
    ];
    await writeClockHistory(data, { seenAt: start + 40 * dayMs, jumps });
    const clock = testClock(start + 40 * dayMs);
    const monotonicAge = new MonotonicAge(clock, await readClockHistory(data));
    clock.advance(hourMs);
    expect(monotonicAge.olderThan(2 * hourMs)).toBe(start - hourMs);
  });
});

/** Five events, then a draft. */
async function createSix({ create }: Pick<TestStore, 'create'>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(await create());
  return [...ids, await create({ draft: true })];
}

function leapt(milliseconds: number): { clock: TestClock; monotonicAge: MonotonicAge } {
  const clock = testClock(start);
  const monotonicAge = new MonotonicAge(clock, undefined);
  clock.jump(milliseconds);
  monotonicAge.readClocks();
  return { clock, monotonicAge };
}
