// A store of a few megabytes takes events in for ever: what its removals leave behind is bounded.

import { expect, test } from 'vitest';
import { openTestStore } from './test-store.ts';

test.each(['100000', '1000000'])('of %s bytes takes in what it keeps many times', async (limit) => {
  const { create, store, retention } = await openTestStore({ settings: { MAX_BYTES: limit } });
  for (let made = 0; made < 9_600; made += 32) {
    await Promise.all(Array.from({ length: 32 }, () => create()));
  }
  expect(retention.health()).toEqual([]);
  const { bytesCounted, bytesUsed } = await retention.admission.state();
  expect(bytesCounted).toBeLessThan(1.2 * Number(limit));
  expect(bytesUsed).toBeGreaterThan(bytesCounted);
  const { records, removed, ledgerBytes, databaseBytes } = await store.usage();
  expect(records + (removed.byte_limit ?? 0)).toBe(9_600);
  expect(records).toBeGreaterThan(100);
  expect(ledgerBytes).toBeLessThanOrEqual(64 * 1024);
  // Beside the limit: the empty tables, the ledger, and what came at once.
  expect(databaseBytes).toBeLessThan(Number(limit) + 200 * 1024);
  const { lines } = await store.ledger({ limit: 1_000 });
  expect(lines.length).toBeGreaterThan(300);
});

test('a ledger that is above its bound, as that of an earlier release, comes below it', async () => {
  const { create, store } = await openTestStore();
  for (let made = 0; made < 2_400; made += 1) await create();
  const rule = { reason: 'age', before: undefined, sparesUnsent: false } as const;
  await store.remove({ ...rule, limit: 1_600 });
  expect((await store.ledger({ limit: 1_000 })).next).toBeDefined();
  await store.remove({ ...rule, limit: 800, ledgerBytesMax: 20_000 });
  const { lines, next } = await store.ledger({ limit: 1_000 });
  expect(next).toBe(undefined);
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.length).toBeLessThan(125);
  expect((await store.usage()).ledgerBytes).toBeLessThanOrEqual(20_000);
  expect((await store.usage()).removed).toEqual({ age: 2_400 });
});

test('long names of devices count with their bytes', async () => {
  const { store } = await openTestStore();
  const event = { eventSchema: 'custom', customMetadata: undefined, eventData: {}, images: [] };
  const nothing = { workflowId: undefined, externalId: undefined, relatedEventId: undefined };
  const unknown = { solution: undefined, workflowVersion: undefined, streamId: undefined };
  for (let made = 0; made < 64; made += 1) {
    await store.create({
      ...event,
      ...nothing,
      ...unknown,
      draft: false,
      deviceId: 'é'.repeat(10_000),
      imageId: undefined,
      inferenceTimestamp: '2026-11-20T10:00:00Z',
      displayImagePosition: undefined,
      files: [],
    });
  }
  const rule = { reason: 'age', before: undefined, sparesUnsent: false } as const;
  await store.remove({ ...rule, limit: 64, ledgerBytesMax: 100_000 });
  expect((await store.ledger({ limit: 100 })).lines).toHaveLength(4);
  expect((await store.usage()).ledgerBytes).toBe(80_664);
});
