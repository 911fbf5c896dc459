// Calls that meet at the same moment: whatever their order, the state is one that an order gives.

import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openEventStore } from '../../../src/event-store/store/sqlite-store.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { newEvent, newFile, sqliteStore } from './new-events.ts';

const calls = ['attach', 'finalize', 'sweep', 'remove', 'hold'] as const;

test('attach, finalize, sweep, hold and cleanup of one draft at the same moment', async () => {
  const clock = settableClock();
  const stores = [await sqliteStore(clock)];
  const [store] = stores;
  if (store === undefined) throw new Error('There is no store.');
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([...calls], { minLength: 2 }), async (order) => {
      const { id, arrival } = await store.create(newEvent({ draft: true }));
      const run = (call: (typeof calls)[number]): Promise<unknown> => {
        if (call === 'attach') return store.attach(id, newFile({ kind: 'video' }));
        if (call === 'finalize') return store.finalize(id);
        if (call === 'sweep') return store.finalizeDrafts(arrival + 1, [], 10);
        if (call === 'hold') return store.hold(id, 'evidence');
        const rule = { reason: 'age', before: arrival + 1, sparesUnsent: false } as const;
        return store.remove({ ...rule, limit: 1000 });
      };
      const answers = await Promise.allSettled(order.map(run));
      const done = (call: (typeof calls)[number]) =>
        order.includes(call) && answers[order.indexOf(call)]?.status === 'fulfilled';
      const isBefore = (first: (typeof calls)[number], second: (typeof calls)[number]) =>
        !order.includes(second) || order.indexOf(first) < order.indexOf(second);
      // All are in one batch, so they run in the order in which they were called.
      const isRemoved = order.includes('remove') && !(done('hold') && isBefore('hold', 'remove'));
      const event = await store.get(id);
      expect(event === undefined).toBe(isRemoved);
      if (!order.includes('remove')) {
        expect(event?.draft).toBe(!(order.includes('finalize') || order.includes('sweep')));
        expect(event?.videos).toHaveLength(done('attach') ? 1 : 0);
      }
      if (order.includes('attach')) {
        const isFirst = ['finalize', 'sweep', 'remove'] as const;
        const isStillDraft = isFirst.every((call) => isBefore('attach', call));
        const isRefusedRemoval = done('hold') && isBefore('hold', 'remove');
        const isLeft = (['finalize', 'sweep'] as const).every((call) => isBefore('attach', call));
        expect(done('attach')).toBe(isStillDraft || (isRefusedRemoval && isLeft));
      }
      await store.release(id).catch(() => {});
      await store.remove({
        reason: 'age',
        before: undefined,
        sparesUnsent: false,
        limit: 1000,
      });
      const leaving = await store.filesToUnlink(1000);
      const usage = await store.usage();
      expect(usage).toMatchObject({ records: 0, held: 0, drafts: 0, waiting: 0, videos: 0 });
      expect(usage.fileDiskBytes).toBe(leaving.length * 4096);
    }),
    { numRuns: 60 },
  );
});

test('the database is as large as it says, and shrinks when its events are gone', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  const text = 'x'.repeat(2000);
  await Promise.all(
    Array.from({ length: 1500 }, (_, number) =>
      store.create(newEvent({ eventData: { text }, customMetadata: { number, text } })),
    ),
  );
  const onDisk = async () => {
    const sizes = ['events.db', 'events.db-wal'].map((name) => stat(join(data, name)));
    return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
  };
  let full = 0;
  // The index goes on being written for a moment.
  await expect
    .poll(async () => {
      const usage = await store.usage();
      full = usage.databaseBytes + usage.logBytes;
      return full - (await onDisk());
    })
    .toBe(0);
  expect(full).toBeGreaterThan(3_000_000);
  await store.remove({ reason: 'age', before: undefined, sparesUnsent: false, limit: 2000 });
  while (await store.shrink()) {}
  await store.close();
  const left = (await stat(join(data, 'events.db'))).size;
  expect(left).toBeLessThan(full / 2);
});

test('the ledger is bounded, its totals are not', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  await store.create(newEvent());
  const rule = { reason: 'age', before: undefined, sparesUnsent: false, limit: 10 } as const;
  await store.remove(rule);
  const lines = new DatabaseSync(join(data, 'events.db'), { timeout: 5000 });
  lines.exec(`
    BEGIN IMMEDIATE;
    INSERT INTO ledger SELECT value, 1, 'age', 'id', value, 'custom', NULL, 'waiting', 0, 0
      FROM (WITH RECURSIVE counted(value) AS (
        SELECT 2 UNION ALL SELECT value + 1 FROM counted WHERE value < 1000)
      SELECT value FROM counted);
    UPDATE totals SET last_line = 1000, ledger_bytes = ${180 * 1024 * 1024};
    UPDATE removals SET events = 1000;
    COMMIT;`);
  lines.close();
  for (let count = 0; count < 3; count += 1) await store.create(newEvent());
  await store.remove(rule);
  const { lines: oldest } = await store.ledger({ limit: 9, before: 8 });
  expect(oldest.map(({ ordinal }) => ordinal)).toEqual([7, 6, 5, 4]);
  expect((await store.usage()).removed).toEqual({ age: 1_003 });
});

const open = (data: string) => openEventStore({ data, clock: systemClock });

test('a store opens again as it was left', async () => {
  const data = await temporaryFolder();
  const first = await open(data);
  const { id, arrival } = await first.create(newEvent({ customMetadata: { line: 5 } }));
  await first.close();
  const second = await sqliteStore(systemClock, data);
  expect(await second.get(id)).toMatchObject({ arrival, customMetadata: { line: 5 } });
  const { events } = await second.list({
    limit: 9,
    order: 'newest_first',
    metadata: [{ key: 'line', operator: 'eq', values: [5] }],
  });
  expect(events.map((event) => event.id)).toEqual([id]);
});

test('an event of an earlier version of the service is returned as it is', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  const { id } = await store.create(newEvent());
  const database = new DatabaseSync(join(data, 'events.db'), { timeout: 5000 });
  database.exec("UPDATE events SET api_version = 'v1'");
  database.close();
  expect(await store.get(id)).toMatchObject({ apiVersion: 'v1' });
});

test('a damaged file and a newer schema are refused, and left as they are', async () => {
  const data = await temporaryFolder();
  const path = join(data, 'events.db');
  const store = await open(data);
  await Promise.all(Array.from({ length: 50 }, () => store.create(newEvent())));
  await store.close();
  const whole = await readFile(path);
  await writeFile(path, Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(8192, 7)]));
  await expect(open(data)).rejects.toMatchObject({ code: 'internal' });
  await writeFile(path, whole);
  const newer = new DatabaseSync(path);
  newer.exec('PRAGMA user_version = 99');
  newer.close();
  const before = await readFile(path);
  await expect(open(data)).rejects.toThrow('The database is of version 99');
  expect((await readFile(path)).equals(before)).toBe(true);
});

test('a closed store takes nothing more, and closing it again does nothing', async () => {
  const store = await open(await temporaryFolder());
  await store.create(newEvent());
  await store.close();
  await store.close();
  await expect(store.create(newEvent())).rejects.toMatchObject({ code: 'internal' });
});
