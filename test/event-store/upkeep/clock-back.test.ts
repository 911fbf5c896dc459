// A clock that leapt ahead and is set back only part of the way: nothing goes before its time.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LivedTime } from '../../../src/event-store/upkeep/lived-time.ts';
import { readLife, writeLife } from '../../../src/event-store/upkeep/lived-time-file.ts';
import {
  dayMs,
  hourMs,
  openTestStore,
  patiently,
  secondMs,
  type TestClock,
  type TestStore,
  temporaryFolder,
  testClock,
} from './kit.ts';

const start = 1_000_000_000;

describe('a store whose clock is set back part of the way', () => {
  test('removes and finalizes nothing, then goes on as usual', async () => {
    const { create, clock, upkeep, ids, store } = await openTestStore();
    const kept = await createSix({ create });
    const draft = kept[5] ?? '';
    clock.advance(secondMs);
    await upkeep.cleanNow();
    clock.leap(365 * dayMs);
    await upkeep.cleanNow();
    clock.leap(-360 * dayMs);
    await upkeep.cleanNow();
    expect(await ids()).toEqual(kept);
    expect((await store.get(draft))?.draft).toBe(true);
    expect(upkeep.health()).toEqual([
      'The clock is ahead by 5.0 days that this store did not live through, so no event is taken for so much older.',
    ]);
    clock.advance(hourMs);
    await upkeep.cleanNow();
    expect((await store.get(draft))?.draft).toBe(false);
    clock.advance(23 * hourMs - 2 * secondMs);
    await upkeep.cleanNow();
    expect(await ids()).toEqual(kept);
    clock.advance(2 * secondMs);
    await upkeep.cleanNow();
    expect(await ids()).toEqual([]);
    expect(upkeep.health()).toEqual([]);
  });

  test('removes nothing where it was set back between two processes', async () => {
    const first = await openTestStore();
    const kept = await createSix(first);
    await first.upkeep.cleanNow();
    first.clock.leap(365 * dayMs);
    await first.upkeep.cleanNow();
    await first.close();
    const clock = testClock(first.clock.now() - 360 * dayMs);
    const second = await openTestStore({ data: first.data, clock });
    await second.upkeep.cleanNow();
    expect(await second.ids()).toEqual(kept);
    await second.close();
    const third = await openTestStore({ data: first.data, clock });
    clock.leap(360 * dayMs);
    await third.upkeep.cleanNow();
    expect(await third.ids()).toEqual(kept);
    clock.advance(dayMs + secondMs);
    await third.upkeep.cleanNow();
    expect(await third.ids()).toEqual([]);
  });

  test('removes nothing where the next leader never saw the time ahead', async () => {
    const first = await openTestStore();
    const second = await openTestStore({ data: first.data, clock: first.clock });
    const kept = await createSix(first);
    await first.upkeep.cleanNow();
    first.clock.leap(365 * dayMs);
    await first.upkeep.cleanNow();
    first.clock.leap(-360 * dayMs);
    await first.close();
    await expect
      .poll(async () => {
        await second.upkeep.cleanNow();
        return second.upkeep.health();
      }, patiently)
      .toEqual([
        'The clock is ahead by 5.0 days that this store did not live through, so no event is taken for so much older.',
      ]);
    expect(await second.ids()).toEqual(kept);
  });

  test('removes nothing where only an event of the time ahead says when it was alive', async () => {
    const first = await openTestStore();
    const kept = await createSix(first);
    first.clock.leap(365 * dayMs);
    const ahead = await first.create();
    await first.close();
    await rm(join(first.data, 'clock.json'), { force: true });
    const clock = testClock(first.clock.now() - 360 * dayMs);
    const second = await openTestStore({ data: first.data, clock });
    await second.upkeep.cleanNow();
    expect(await second.ids()).toEqual([...kept, ahead]);
  });
});

describe('lived time after a clock was set back', () => {
  test('counts nothing of a leap that it still lies in, and all that comes after', () => {
    const { clock, lived } = leapt(365 * dayMs);
    clock.leap(-360 * dayMs);
    expect(lived.olderThan(hourMs)).toBe(start - hourMs);
    expect(lived.life.leaps).toEqual([{ from: start, to: start + 5 * dayMs }]);
    clock.advance(10 * hourMs);
    expect(lived.olderThan(hourMs)).toBe(start + 5 * dayMs + 9 * hourMs);
    expect(lived.olderThan(11 * hourMs)).toBe(start - hourMs);
  });

  test('counts no leap again that it lies before', () => {
    const { clock, lived } = leapt(365 * dayMs);
    clock.leap(-366 * dayMs);
    expect(lived.olderThan(hourMs)).toBe(start - dayMs - hourMs);
    expect(lived.life.leaps).toEqual([]);
    clock.leap(366 * dayMs);
    expect(lived.olderThan(hourMs)).toBe(start - dayMs - hourMs);
  });

  test('cuts the one of several leaps that it lies in, and drops the later ones', () => {
    const { clock, lived } = leapt(10 * dayMs);
    clock.advance(hourMs);
    lived.look();
    clock.leap(10 * dayMs);
    lived.look();
    clock.advance(hourMs);
    lived.look();
    clock.leap(10 * dayMs);
    lived.look();
    clock.leap(-15 * dayMs);
    lived.look();
    const second = start + 10 * dayMs + hourMs;
    expect(lived.life.leaps).toEqual([
      { from: start, to: start + 10 * dayMs },
      { from: second, to: start + 15 * dayMs + 2 * hourMs },
    ]);
    clock.advance(hourMs);
    expect(lived.olderThan(3 * hourMs)).toBe(start - hourMs);
  });

  test('ages nothing by a clock that goes to and fro', () => {
    const { clock, lived } = leapt(365 * dayMs);
    for (const leapMs of [-360 * dayMs, 100 * dayMs, -50 * dayMs, 400 * dayMs, -450 * dayMs]) {
      clock.leap(leapMs);
      expect(lived.olderThan(hourMs)).toBeLessThan(start);
      clock.advance(secondMs);
    }
    expect(lived.olderThan(hourMs)).toBeLessThan(start);
    clock.advance(hourMs);
    expect(lived.olderThan(hourMs)).toBeGreaterThanOrEqual(start);
  });

  test('is kept on the disk, and cut by the next process where its clock is behind', async () => {
    const data = await temporaryFolder();
    const { lived } = leapt(365 * dayMs);
    await writeLife(data, lived.life);
    const next = new LivedTime(testClock(start + 5 * dayMs), await readLife(data));
    await writeLife(data, next.life);
    expect(await readLife(data)).toEqual({
      seenAt: start + 5 * dayMs,
      leaps: [{ from: start, to: start + 5 * dayMs }],
    });
    const ahead = new LivedTime(testClock(start + 366 * dayMs), await readLife(data));
    expect(ahead.olderThan(hourMs)).toBe(start - hourMs);
  });

  test('takes leaps of a file that lie across one another or not in order', async () => {
    const data = await temporaryFolder();
    const leaps = [
      { from: start + 20 * dayMs, to: start + 30 * dayMs },
      { from: start, to: start + 365 * dayMs },
      { from: start + 5 * dayMs, to: start + 10 * dayMs },
    ];
    await writeLife(data, { seenAt: start + 40 * dayMs, leaps });
    const clock = testClock(start + 40 * dayMs);
    const lived = new LivedTime(clock, await readLife(data));
    clock.advance(hourMs);
    expect(lived.olderThan(2 * hourMs)).toBe(start - hourMs);
  });
});

/** Five events, then a draft. */
async function createSix({ create }: Pick<TestStore, 'create'>): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push(await create());
  return [...ids, await create({ draft: true })];
}

function leapt(milliseconds: number): { clock: TestClock; lived: LivedTime } {
  const clock = testClock(start);
  const lived = new LivedTime(clock, undefined);
  clock.leap(milliseconds);
  lived.look();
  return { clock, lived };
}
