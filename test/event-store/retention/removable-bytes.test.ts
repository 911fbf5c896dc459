// What removals can free: which events count, and for how much.

import { expect, test } from 'vitest';
import {
  type CapacityReading,
  countedBytes,
  ledgerBytesMax,
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

test('the empty tables and the ledger stay, and count towards no limit', async () => {
  const { store } = await openTestStore();
  const usage = await store.usage();
  const bytesOf = (databaseBytes: number, events: number, ledgerBytes: number) => {
    const removable = () => ({ events, diskBytes: 4096 });
    const changed = { records: 1_000, databaseBytes, ledgerBytes, fileDiskBytes: 8192, removable };
    const figures: CapacityReading = {
      usage: { ...usage, ...changed },
      freeBytes: 0,
      ballastBytes: 0,
      incomingBytes: 0,
    };
    return [removableBytes(figures, false), countedBytes(figures)];
  };
  expect(bytesOf(102_400, 1_000, 0)).toEqual([4096, 8192]);
  expect(bytesOf(1_102_400, 0, 0)).toEqual([0, 1_008_192]);
  expect(bytesOf(1_102_400, 1_000, 0)).toEqual([1_004_096, 1_008_192]);
  expect(bytesOf(1_102_400, 500, 0)).toEqual([504_096, 1_008_192]);
  expect(bytesOf(1_102_400, 1_000, 600_000)).toEqual([404_096, 408_192]);
  expect(bytesOf(202_400, 1_000, 600_000)).toEqual([4096, 8192]);
});

test.each([
  ['of a small store: 64 KB', 1_000_000, 65_536],
  ['a hundredth of the limit', 1_000_000_000, 10_000_000],
  ['of a large store: that of a million lines', 100_000_000_000, 188_743_680],
])('the bound of the ledger: %s', (_name, bytesMax, expected) => {
  expect(ledgerBytesMax({ bytesMax })).toBe(expected);
});
