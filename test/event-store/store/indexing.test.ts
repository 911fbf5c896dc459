// The index while it is being written: by two processes' writers, with removals in between.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { migrations } from '../../../src/event-store/store/schema.ts';
import type { EventQuery, EventStore } from '../../../src/event-store/store/store.ts';
import { limits } from '../../../src/limits.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { newEvent, sqliteStore } from './new-events.ts';

type Step =
  | { readonly kind: 'create'; readonly count: number; readonly writer: 0 | 1 }
  | { readonly kind: 'remove'; readonly count: number; readonly writer: 0 | 1 };

const writer = fc.constantFrom(0 as const, 1 as const);
/** Mostly many: nearly every run is to come to a merge. */
const createdCount = fc.oneof(
  { weight: 1, arbitrary: fc.integer({ min: 1, max: limits.unindexedEventsMax * 6 }) },
  {
    weight: 2,
    arbitrary: fc.integer({
      min: limits.unindexedEventsMax * 4,
      max: limits.unindexedEventsMax * 6,
    }),
  },
);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      count: createdCount,
      writer,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      count: fc.integer({ min: 1, max: limits.unindexedEventsMax * 2 }),
      writer,
    }),
  },
);

async function take(store: EventStore, { kind, count }: Step): Promise<void> {
  if (kind === 'remove') {
    await store.remove({ reason: 'age', before: undefined, sparesUnsent: false, limit: count });
    return;
  }
  const events = Array.from({ length: count }, (_, number) =>
    store.create(newEvent({ customMetadata: { number }, deviceId: `d${number % 3}` })),
  );
  await Promise.all(events);
}

/** Every event that a row of `terms` stands for, there or gone. */
const places = `(SELECT terms.key AS key, terms.bucket AS bucket, terms.value AS value,
    terms.arrival AS row_arrival, arrivals IS NOT NULL AS is_listed, sum(step.value) OVER (
      PARTITION BY terms.key, terms.bucket, terms.value, terms.arrival ORDER BY step.key) AS at
  FROM terms, json_each(coalesce(arrivals, json_array(arrival))) AS step)`;

/** As Foveas before lists had it. */
const withoutLists = [
  'ALTER TABLE totals DROP COLUMN ledger_bytes',
  `INSERT INTO terms (key, bucket, value, arrival) SELECT key, bucket, value, at FROM ${places}
     WHERE is_listed AND at <> row_arrival`,
  'DROP INDEX terms_lists',
  ...['arrivals', 'gone', 'events'].map((name) => `ALTER TABLE terms DROP COLUMN ${name}`),
];

const isGone = 'at NOT IN (SELECT arrival FROM events)';

/** For what is looked up of every event and of every list. */
const keptPlaces = [
  // Only of a column of whole numbers is the index of use: those of JSON have no type.
  'CREATE TEMP TABLE places (key, bucket, value, row_arrival INTEGER, is_listed, at INTEGER)',
  `INSERT INTO places SELECT * FROM ${places}`,
  'CREATE INDEX temp.places_by_event ON places (at)',
  `CREATE TEMP TABLE lists AS SELECT key AS its_key, bucket AS its_bucket, value AS its_value,
     row_arrival, count(*) AS all_events, sum(${isGone}) AS all_gone, max(at) AS last
   FROM places WHERE is_listed GROUP BY key, bucket, value, row_arrival`,
  'CREATE INDEX temp.lists_by_row ON lists (row_arrival, its_key, its_bucket, its_value)',
];

/** What the index says against the events themselves. */
function inspect(data: string) {
  const database = openDatabase(join(data, 'events.db'), migrations);
  const numberOf = (sql: string) =>
    database.get(`SELECT (${sql}) AS number`, [], (row) => row.integer('number'));
  for (const sql of keptPlaces) database.run(sql);
  const covered = 'max(indexed_arrival, coalesce((SELECT max(until) FROM windows), 0))';
  const found = {
    orphans: numberOf(`SELECT count(*) FROM places WHERE is_listed = 0 AND ${isGone}`),
    // How many are gone of a list, and that it stays for those that are not.
    wrongLists: numberOf(
      `SELECT count(*) FROM terms LEFT JOIN lists
         ON key = its_key AND bucket = its_bucket AND value = its_value AND arrival = row_arrival
       WHERE arrivals IS NOT NULL
         AND (all_events <> events OR all_gone <> gone OR gone = events OR last <> arrival)`,
    ),
    lists: numberOf('SELECT count(*) FROM terms WHERE arrivals IS NOT NULL'),
    // A number, a device, a schema, and the kind.
    incomplete: numberOf(
      `SELECT count(*) FROM totals, events WHERE arrival <= indexed_arrival
         AND (SELECT count(*) FROM places WHERE at = arrival) <> 4`,
    ),
    tooEarly: numberOf(
      'SELECT count(*) FROM terms, totals WHERE arrival > max(indexed_arrival, merge_until)',
    ),
    uncounted: numberOf(
      `SELECT (SELECT count(*) FROM events, totals WHERE arrival <= counted_arrival)
         - (SELECT coalesce(sum(events), 0) FROM kinds)`,
    ),
    inNoWindow: numberOf(
      `SELECT (SELECT count(*) FROM events, totals WHERE arrival > indexed_arrival
           AND arrival <= ${covered})
         - (SELECT coalesce(sum(events - removed), 0) FROM windows)`,
    ),
    leftWindows: numberOf('SELECT count(*) FROM windows, totals WHERE until <= indexed_arrival'),
    leftColumns: numberOf(
      'SELECT count(*) FROM window_columns WHERE until NOT IN (SELECT until FROM windows)',
    ),
    late: numberOf(`SELECT count(*) FROM events, totals WHERE arrival > ${covered}`),
  };
  const devices = database.all(
    'SELECT arrival, device_id FROM events ORDER BY arrival',
    [],
    (row) => ({
      arrival: row.integer('arrival'),
      deviceId: row.text('device_id'),
    }),
  );
  database.close();
  return { found, devices };
}

/** Goes on, and pauses, in which the index does so too, until a merge is all in it. */
async function untilMerged(data: string, goOn: () => Promise<void>): Promise<void> {
  const database = new DatabaseSync(join(data, 'events.db'), { readOnly: true });
  onTestFinished(() => database.close());
  const indexed = database.prepare(
    'SELECT count(*) AS events FROM totals, events WHERE arrival <= indexed_arrival',
  );
  while (Number(indexed.get()?.events) < limits.mergedEventsMin) await goOn();
}

/** The index goes on when nothing comes for a moment after a command. */
async function pause(store: EventStore): Promise<void> {
  await store.unlinked([]);
  await sleep(limits.groupCommitIdleMs * 1.5);
}

/** All arrivals that the pages of a query have. */
async function pagesOf(store: EventStore, query: EventQuery): Promise<number[]> {
  const arrivals: number[] = [];
  for (let next = query; ; ) {
    const page = await store.list(next);
    arrivals.push(...page.events.map(({ arrival }) => arrival));
    if (page.next === undefined) return arrivals;
    next =
      query.order === 'newest_first' ? { ...next, until: page.next } : { ...next, from: page.next };
  }
}

test('whatever is stored and removed, by whom ever: all rows of all events, and no others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 10 }), async (steps) => {
      const data = await temporaryFolder();
      const stores = [await sqliteStore(systemClock, data), await sqliteStore(systemClock, data)];
      for (const next of steps) {
        const store = stores[next.writer];
        if (store) await take(store, next);
      }
      const [first] = stores;
      const all = { limit: 1_000, deviceIds: ['d1'] };
      const newest = await first?.list({ ...all, order: 'newest_first' });
      const oldest = await first?.list({ ...all, order: 'oldest_first' });
      const count = await first?.count({ deviceId: 'd1' });
      await Promise.all(stores.map((store) => store.close()));
      const { found, devices } = inspect(data);
      const { late, lists: _, ...wrong } = found;
      expect(wrong).toEqual({
        orphans: 0,
        wrongLists: 0,
        incomplete: 0,
        tooEarly: 0,
        uncounted: 0,
        inNoWindow: 0,
        leftWindows: 0,
        leftColumns: 0,
      });
      expect(late).toBeLessThanOrEqual(limits.unindexedEventsMax * 4);
      const right = devices
        .filter(({ deviceId }) => deviceId === 'd1')
        .map(({ arrival }) => arrival);
      expect(oldest?.events.map(({ arrival }) => arrival)).toEqual(right.slice(0, 1_000));
      const last = right.toReversed().slice(0, 1_000);
      expect(newest?.events.map(({ arrival }) => arrival)).toEqual(last);
      expect(count).toMatchObject({ filtered: right.length, oldest: right[0], newest: last[0] });
    }),
    { numRuns: 3, endOnFailure: true },
  );
}, 120_000);

test('while events come and go from windows to the index, pages lose and repeat none', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  let isOver = false;
  const write = async () => {
    for (let round = 0; round < 32; round += 1) {
      await take(store, { kind: 'create', count: limits.unindexedEventsMax, writer: 0 });
    }
    isOver = true;
  };
  const writing = write();
  const metadata = [{ key: 'number', operator: 'eq', values: [7] }] as const;
  const query = { limit: 20, metadata };
  while (!isOver) {
    // Reading is synchronous, and answers of the writing thread have to come in.
    await sleep(20);
    const until = (await store.count({})).newest ?? 0;
    const [newest, oldest] = [
      await pagesOf(store, { ...query, until, order: 'newest_first' }),
      await pagesOf(store, { ...query, until, order: 'oldest_first' }),
    ];
    expect(newest.toReversed()).toEqual(oldest);
    expect(new Set(oldest).size).toBe(oldest.length);
  }
  await writing;
  await store.close();
  const { found } = inspect(data);
  expect(found).toMatchObject({ orphans: 0, wrongLists: 0, incomplete: 0 });
  expect(found.lists).toBeGreaterThan(100);
}, 120_000);

test('a merge whose events all go meanwhile ends, and the next one begins', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  await take(store, { kind: 'create', count: limits.mergedEventsMin + 1_500, writer: 0 });
  await take(store, { kind: 'remove', count: limits.mergedEventsMin + 1_500, writer: 0 });
  const { newest = 0 } = await store.count({});
  expect(newest).toBe(0);
  // What is left of the first merge ends with the first of them.
  await untilMerged(data, () =>
    take(store, { kind: 'create', count: limits.unindexedEventsMax, writer: 0 }),
  );
  const { total } = await store.count({});
  expect(total).toBeLessThan(limits.mergedEventsMin * 4);
});

test('a store of the Fovea before windows goes on where it was', async () => {
  const data = await temporaryFolder();
  const old = await sqliteStore(systemClock, data);
  await take(old, { kind: 'create', count: 600, writer: 0 });
  await old.close();
  // As it was then: events were counted, and a part of their rows was in.
  const database = openDatabase(join(data, 'events.db'), migrations);
  const device = 'SELECT -3, 0, device_id, arrival FROM events ORDER BY arrival LIMIT 100';
  for (const sql of [
    ...withoutLists,
    `INSERT INTO terms (key, bucket, value, arrival) ${device}`,
    'UPDATE totals SET indexed_rows = 100',
    'DROP TABLE windows',
    'DROP TABLE window_columns',
    ...['until', 'key', 'removals'].map((name) => `ALTER TABLE totals DROP COLUMN merge_${name}`),
    'PRAGMA user_version = 1',
  ]) {
    database.run(sql);
  }
  database.close();
  const store = await sqliteStore(systemClock, data);
  const d1 = { deviceIds: ['d1'], limit: 1_000, order: 'oldest_first' } as const;
  expect((await store.list(d1)).events).toHaveLength(200);
  await take(store, { kind: 'remove', count: 50, writer: 0 });
  await take(store, { kind: 'create', count: 600, writer: 0 });
  expect((await store.list(d1)).events).toHaveLength(383);
  expect((await store.list({ ...d1, order: 'newest_first' })).events).toHaveLength(383);
  expect(await store.count({ deviceId: 'd1' })).toMatchObject({ total: 1_150, filtered: 383 });
  await store.close();
  expect(inspect(data).found).toMatchObject({ orphans: 0, wrongLists: 0, uncounted: 0 });
});

test('a store of the Fovea before large buckets finds all it has', async () => {
  const data = await temporaryFolder();
  const old = await sqliteStore(systemClock, data);
  const firstNumber = 2 ** 18 - 4_000;
  const path = join(data, 'events.db');
  const begun = openDatabase(path, migrations);
  begun.run('UPDATE totals SET last_number = ?', [firstNumber - 1]);
  begun.close();
  await take(old, { kind: 'create', count: 10_000, writer: 0 });
  await untilMerged(data, () => pause(old));
  await old.close();
  const database = openDatabase(path, migrations);
  const bucketsOf = () =>
    database.all(
      'SELECT DISTINCT bucket FROM terms WHERE key BETWEEN -6 AND -3 ORDER BY bucket',
      [],
      (row) => row.integer('bucket'),
    );
  expect(bucketsOf()).toEqual([0, 1]);
  for (const sql of [
    ...withoutLists,
    'UPDATE terms SET bucket = 0 WHERE key BETWEEN -6 AND -3',
    'PRAGMA user_version = 2',
  ]) {
    database.run(sql);
  }
  database.close();
  const store = await sqliteStore(systemClock, data);
  const d1 = { deviceIds: ['d1'], limit: 1_000 } as const;
  const oldest = await pagesOf(store, { ...d1, order: 'oldest_first' });
  const newest = await pagesOf(store, { ...d1, order: 'newest_first' });
  expect(oldest).toHaveLength(3_333);
  expect(newest.toReversed()).toEqual(oldest);
  await take(store, { kind: 'remove', count: 6_000, writer: 0 });
  expect(await store.count({ deviceId: 'd1' })).toMatchObject({ total: 4_000, filtered: 1_333 });
  await store.close();
  expect(inspect(data).found).toMatchObject({ orphans: 0, wrongLists: 0, incomplete: 0 });
});

test('a number too large for JSON is in no index, and no write fails for it', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  // A few at a time: the index takes them from the transactions that stored them.
  const count = limits.mergedEventsMin + limits.unindexedEventsMax;
  for (let first = 0; first < count; first += 64) {
    await Promise.all(
      Array.from({ length: 64 }, (_, place) => {
        const length = first + place === 700 ? Number.POSITIVE_INFINITY : place;
        return store.create(newEvent({ deviceId: 'd0', customMetadata: { length } }));
      }),
    );
  }
  await untilMerged(data, () => pause(store));
  const metadata = [{ key: 'length', operator: 'gte', values: [63] }] as const;
  const pages = await pagesOf(store, { metadata, order: 'oldest_first', limit: 1_000 });
  expect(pages).toHaveLength(count / 64);
  expect(inspect(data).found).toMatchObject({ orphans: 0, wrongLists: 0 });
});

test('of large metadata only what is looked for is kept in memory, and all of that is found', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  const [long, deep] = ['long '.repeat(2_000), { list: Array.from({ length: 500 }, () => 'deep') }];
  const count = limits.unindexedEventsMax * 3;
  for (let first = 0; first < count; first += 64) {
    const events = Array.from({ length: 64 }, (_, place) =>
      store.create(
        newEvent({ customMetadata: { number: first + place, long: `${long}${place}`, deep } }),
      ),
    );
    await Promise.all(events);
  }
  const metadata = [{ key: 'long', operator: 'eq', values: [`${long}7`] }] as const;
  const pages = await pagesOf(store, { metadata, order: 'newest_first', limit: 10 });
  expect(pages).toHaveLength(count / 64);
  const { events } = await store.list({ order: 'newest_first', limit: 1 });
  expect(events[0]?.customMetadata).toMatchObject({ long: `${long}63`, deep });
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
