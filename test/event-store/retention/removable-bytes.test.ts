// What removals can free: which events count, and for how much.

import { expect, test } from 'vitest';
import {
  type CapacityReading,
  removableBytes,
} from '../../../src/event-store/retention/capacity.ts';
import { openTestStore } from './test-store.ts';

const image = new Uint8Array(8192);

test('held events stay always, drafts and waiting ones while they are spared', async () => {
  const { store, create, attach } = await openTestStore();
  await create();
  const waiting = await create({ images: [image] });
  const sent = await create({ images: [image, image] });
  const refused = await create({ images: [image] });
  const draft = await create({ draft: true });
  await attach(draft, new Uint8Array(20_480));
  await store.uploaded([sent]);
  await store.uploadRefused(refused, 'No.');
  const expectRemovable = async (all: object, spared: object) => {
    const { removable } = await store.usage();
    expect(removable(false)).toEqual(all);
    expect(removable(true)).toEqual(spared);
  };
  await expectRemovable({ events: 5, diskBytes: 53_248 }, { events: 2, diskBytes: 24_576 });
  await store.hold(sent, 'Evidence.');
  await expectRemovable({ events: 4, diskBytes: 36_864 }, { events: 1, diskBytes: 8192 });
  await store.hold(draft, 'Evidence.');
  await store.hold(waiting, 'Evidence.');
  await expectRemovable({ events: 2, diskBytes: 8192 }, { events: 1, diskBytes: 8192 });
  const rule = { reason: 'age', before: undefined, sparesUnsent: false, limit: 9 } as const;
  expect(await store.remove(rule)).toEqual({ events: 2, diskBytes: 8192 });
  // Their files are still on the disk, but no removal frees them any more.
  await expectRemovable({ events: 0, diskBytes: 0 }, { events: 0, diskBytes: 0 });
});

test('the empty tables and the ledger stay, and each removal adds a line', async () => {
  const { store } = await openTestStore();
  const usage = await store.usage();
  const bytesOf = (databaseBytes: number, events: number, removed: number) => {
    const removable = () => ({ events, diskBytes: 4096 });
    const changed = { records: 1_000, databaseBytes, removed: { age: removed }, removable };
    const figures: CapacityReading = {
      usage: { ...usage, ...changed },
      freeBytes: 0,
      ballastBytes: 0,
      incomingBytes: 0,
    };
    return removableBytes(figures, false);
  };
  expect(bytesOf(102_400, 1_000, 0)).toBe(4096);
  expect(bytesOf(1_102_400, 0, 0)).toBe(0);
  expect(bytesOf(1_102_400, 1_000, 0)).toBe(4096 + 880_000);
  expect(bytesOf(1_102_400, 500, 0)).toBe(4096 + 440_000);
  expect(bytesOf(1_102_400, 1_000, 5_000)).toBe(4096 + 280_000);
  expect(bytesOf(302_400, 1_000, 0)).toBe(4096 + 100_000);
  expect(bytesOf(200_102_400, 1_000, 1_000_000)).toBe(4096 + 80_000_000);
  expect(bytesOf(200_102_400, 1_000, 2_000_000)).toBe(4096 + 80_000_000);
});
