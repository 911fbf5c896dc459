// Stores of Foveas that had the index in the tables of the events, and what counts are made of now.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { eventIdOf } from '../../../src/event-store/ids.ts';
import { migrations } from '../../../src/event-store/store/schema.ts';
import { limits } from '../../../src/limits.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { allPages, indexEvents, newEvent, sqliteStore } from './new-events.ts';

const eventCount = 1_500;
/** Of the others there are no rows but their own. */
const counted = 1_000;

/** A store as the Fovea before left it: five rows of its index for each counted event. */
async function oldStore(): Promise<string> {
  const data = await temporaryFolder();
  const database = openDatabase(join(data, 'events.db'), migrations.slice(0, 5), {
    canShrink: true,
  });
  const first = Date.UTC(2026, 10, 20) * 1_000;
  database.transaction(() => {
    for (let number = 1; number <= eventCount; number += 1) {
      database.run(
        `INSERT INTO events (arrival, number, id, device_id, event_schema, upload, api_version,
           original_files, current_files, attachments, disk_bytes, custom_metadata, body)
         VALUES (?, ?, ?, ?, 'custom', 'waiting', 'v2', 0, 0, 0, 0, ?, ?)`,
        [
          first + number,
          number,
          eventIdOf(first + number),
          `d${number % 2}`,
          JSON.stringify({ number }),
          JSON.stringify({
            inference_timestamp: '2026-11-20T00:00:00Z',
            event_data: {},
            images: [],
          }),
        ],
      );
    }
    for (const device of [0, 1]) {
      database.run(
        "INSERT INTO kinds (device_id, event_schema, workflow_id, events) VALUES (?, 'custom', NULL, ?)",
        [`d${device}`, counted / 2],
      );
    }
    const last = first + eventCount;
    database.run(
      `UPDATE totals SET last_arrival = ?, last_number = ?, waiting = ?, counted_arrival = ?,
         indexed_arrival = ?`,
      [last, eventCount, eventCount, first + counted, first + counted],
    );
    const numbers = `WITH RECURSIVE rows(n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < ${5 * counted})`;
    database.run(`INSERT INTO terms (key, bucket, value, arrival)
      ${numbers} SELECT n, 0, 'value', n FROM rows`);
    database.run(`INSERT INTO windows (until, since, events) ${numbers} SELECT n, n, 1 FROM rows`);
    database.run("INSERT INTO term_keys (name, events) VALUES ('number', 1)");
  });
  database.close();
  return data;
}

test('a store with its index inside has all its events and counts, and its old index goes', async () => {
  const data = await oldStore();
  const store = await sqliteStore(systemClock, data);
  expect(await store.count({ deviceId: 'd1' })).toMatchObject({
    total: eventCount,
    filtered: eventCount / 2,
  });
  const one = { metadata: [{ key: 'number', operator: 'eq', values: [700] }] } as const;
  const find = async () =>
    (await allPages(store, { ...one, limit: 9, order: 'newest_first' })).length;
  expect(await find()).toBe(1);
  await store.create(newEvent({ deviceId: 'd1', customMetadata: { number: 700 } }));
  expect(await find()).toBe(2);
  let steps = 0;
  while (await store.shrink()) steps += 1;
  expect(steps).toBeGreaterThan((2 * 5 * counted) / limits.oldIndexRowsAtOnceMax);
  const database = new DatabaseSync(join(data, 'events.db'), { readOnly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const events = Number(database.prepare('SELECT count(*) AS n FROM events').get()?.n);
  database.close();
  const left = ['events', 'files', 'kinds', 'leaving_files', 'ledger', 'removals', 'totals'];
  expect(names.map(({ name }) => name).sort()).toEqual(left);
  expect(events).toBe(eventCount + 1);
  indexEvents(data);
  expect(await store.indexLag()).toEqual({ behind: 0, records: eventCount + 1 });
  expect(await find()).toBe(2);
  expect(await store.count({ deviceId: 'd1' })).toMatchObject({ filtered: eventCount / 2 + 1 });
});

test('events of more kinds than are counted one by one are counted all the same', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  await store.create(newEvent({ deviceId: 'first' }));
  const database = new DatabaseSync(join(data, 'events.db'), { timeout: 5_000 });
  const others = limits.countedKindsMax - 1;
  database.exec(`INSERT INTO kinds (event_schema, events) WITH RECURSIVE rows(n) AS (
    SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < ${others}) SELECT 'schema ' || n, 1 FROM rows`);
  const otherKinds = () => database.prepare('SELECT other_kinds FROM totals').get()?.other_kinds;
  for (const deviceId of ['second', 'first', 'second', 'third']) {
    await store.create(newEvent({ deviceId }));
  }
  expect(otherKinds()).toBe(3);
  const countOf = async (deviceId: string) => (await store.count({ deviceId })).filtered;
  expect([await countOf('first'), await countOf('second'), await countOf('third')]).toEqual([
    2, 2, 1,
  ]);
  const rule = { reason: 'age', before: undefined, sparesUnsent: false } as const;
  await store.remove({ ...rule, limit: 4 });
  expect([await countOf('first'), await countOf('second'), await countOf('third')]).toEqual([
    0, 0, 1,
  ]);
  expect(otherKinds()).toBe(1);
  await store.remove({ ...rule, limit: 1 });
  // Now there is room again.
  await store.create(newEvent({ deviceId: 'fourth' }));
  expect(otherKinds()).toBe(0);
  expect(await countOf('fourth')).toBe(1);
  database.close();
});

test('once a newer Fovea has changed the tables, nothing is written', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  await store.create(newEvent());
  const newer = new DatabaseSync(join(data, 'events.db'));
  newer.exec(`PRAGMA user_version = ${migrations.length + 1}`);
  await expect(store.create(newEvent())).rejects.toThrow('A newer Fovea has changed the tables');
  newer.exec(`PRAGMA user_version = ${migrations.length}`);
  newer.close();
  await store.create(newEvent());
  expect((await store.list({ order: 'newest_first', limit: 10 })).events).toHaveLength(2);
});
