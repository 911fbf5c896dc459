// Queries over tens of thousands of events: what they find, and how much they look at.

import { deepStrictEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EventIndex } from '../../../src/event-store/index/event-index.ts';
import { indexPathOf, readParts } from '../../../src/event-store/index/index-file.ts';
import { listEvents } from '../../../src/event-store/store/list-events.ts';
import { migrations } from '../../../src/event-store/store/schema.ts';
import { openEventStore } from '../../../src/event-store/store/sqlite-store.ts';
import type {
  EventPage,
  EventQuery,
  EventStore,
  MetadataCondition,
  NewEvent,
} from '../../../src/event-store/store/store.ts';
import { limits } from '../../../src/limits.ts';
import { type Database, openDatabase, openToRead } from '../../../src/storage/database.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { arbitraryQuery } from './arbitraries.ts';
import { memoryStore } from './memory-store.ts';
import { indexEvents, newEvent } from './new-events.ts';

/** The last of them are in no index yet. */
const total = 33_000;
const indexed = 30_000;

/** So that a table of the index ends among them. */
const firstNumber = 2 ** 20 - 20_000;

let folder: string;
let store: EventStore;
let model: EventStore;
let database: Database;
let index: EventIndex;

/** Some values are in all events, some in few, and some in the oldest or the newest alone. */
function eventNumber(index: number): NewEvent {
  return newEvent({
    draft: index % 1000 === 999,
    deviceId: ['camera-1', 'camera-2', 'ä'][index % 3],
    eventSchema: index < 400 ? 'quality_check' : 'custom',
    workflowId: index % 7 === 0 ? 'flow' : undefined,
    externalId: index % 11_000 === 5 ? `x${1 + Math.floor(index / 11_000)}` : undefined,
    relatedEventId: index % 5000 === 4 ? 'r1' : undefined,
    eventData: { result: index % 100 === 7 ? 'fail' : 'pass', serial: index },
    customMetadata: {
      line: [0, 1, 5, '5', 'a', true][index % 6],
      ok: index % 2 === 0,
      serial: index,
      ...(index < 50 ? { old: 1 } : {}),
      ...(index > total - 50 ? { new: 1 } : {}),
    },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-events-'));
  const clock = settableClock();
  database = openDatabase(join(folder, 'events.db'), migrations);
  database.run('UPDATE totals SET last_number = ?', [firstNumber - 1]);
  store = await openEventStore({ data: folder, clock });
  model = memoryStore(clock);
  const events = Array.from({ length: total }, (_, index) => eventNumber(index));
  const create = (some: NewEvent[]) => Promise.all(some.map((event) => store.create(event)));
  await create(events.slice(0, indexed));
  indexEvents(folder);
  await create(events.slice(indexed));
  index = new EventIndex(indexPathOf(folder));
  for (const event of events) await model.create(event);
}, 60_000);

afterAll(async () => {
  index.close();
  database.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function compare(query: EventQuery): Promise<void> {
  const found = async (of: EventStore) => {
    const { events, next } = await firstFound(of, query);
    return { arrivals: events.map(({ arrival }) => arrival), next };
  };
  deepStrictEqual(await found(store), await found(model));
}

/** A page; where so many events were looked at that it ended, with what follows. */
async function firstFound(of: EventStore, query: EventQuery): Promise<EventPage> {
  const page = await of.list(query);
  const limit = query.limit - page.events.length;
  if (page.scanned !== limits.eventsLookedAtMax || page.next === undefined) return page;
  const isFull = limit === 0;
  const bound = query.order === 'newest_first' ? { until: page.next } : { from: page.next };
  // One more than none, to see whether there is a next one.
  const rest = await firstFound(of, { ...query, ...bound, limit: isFull ? 1 : limit });
  if (!isFull) return { events: [...page.events, ...rest.events], next: rest.next };
  return { events: page.events, next: rest.events[0]?.arrival };
}

test('any query finds what a look at every event finds', async () => {
  await fc.assert(fc.asyncProperty(arbitraryQuery, compare), { numRuns: 40 });
}, 60_000);

test('the index has two tables, and not all events', async () => {
  const tables = openToRead(indexPathOf(folder));
  expect(readParts(tables).map(({ part }) => part)).toEqual([0, 1]);
  tables.close();
  expect(await store.indexLag()).toEqual({ behind: total - indexed, records: total });
});

test.each([
  ['a device', { deviceId: 'camera-1' }],
  ['a schema of the oldest', { eventSchema: 'quality_check' }],
  ['a device and a schema', { deviceId: 'ä', eventSchema: 'custom' }],
  ['a device that there is not', { deviceId: 'unknown' }],
])('counts of %s: as a look at every event counts', async (_, filter) => {
  expect(await store.count(filter)).toEqual(await model.count(filter));
});

const is = (key: string, value: string | number): MetadataCondition => ({
  key,
  operator: 'eq',
  values: [value],
});
const devices = { deviceIds: ['camera-1'] };

/** Each finds its events at another place: everywhere, at one end, or nowhere. */
const queries: readonly (readonly [string, Partial<EventQuery>])[] = [
  ['everything', {}],
  ['finalized ones', { includeDrafts: false }],
  ['one device', devices],
  ['several devices', { deviceIds: ['camera-1', 'ä', 'unknown'] }],
  ['no device', { deviceIds: ['unknown'] }],
  ['a schema of the oldest', { eventSchemas: ['quality_check'] }],
  ['a workflow', { workflowIds: ['flow'] }],
  ['a device and a schema', { ...devices, eventSchemas: ['quality_check'] }],
  ['a device and a workflow', { ...devices, workflowIds: ['flow', 'other'] }],
  ['external ids', { externalIds: ['x1', 'x3'] }],
  ['a related event', { relatedEventId: 'r1' }],
  ['common metadata', { metadata: [is('line', 5)] }],
  ['rare metadata', { metadata: [is('serial', 7)] }],
  ['old metadata', { metadata: [is('old', 1)] }],
  ['new metadata', { metadata: [is('new', 1)] }],
  ['unknown metadata', { metadata: [is('never', 1)] }],
  ['a range', { metadata: [{ key: 'serial', operator: 'lt', values: [20] }] }],
  ['another value', { metadata: [{ key: 'line', operator: 'ne', values: [5, '5'] }] }],
  ['several conditions', { metadata: [is('line', 'a'), is('serial', 10)] }],
  ['conditions that nothing meets', { metadata: [is('old', 1), is('new', 1)] }],
  ['metadata of a device', { ...devices, metadata: [is('line', 0)] }],
];

test.each(queries)('%s: the right events, and few steps', async (_, filter) => {
  for (const order of ['newest_first', 'oldest_first'] as const) {
    const query: EventQuery = { ...filter, limit: 20, order };
    await compare(query);
    const seen = recording(database);
    await listEvents({ database: seen.database, index: usableIndex() }, query);
    // Those of the page, and some that the index or SQLite cannot tell from these.
    expect(seen.eventsRead).toBeLessThan(100);
    expect(seen.plans().filter((plan) => !isBounded(plan))).toEqual([]);
  }
});

describe('what no index knows is looked at event by event, and so many at most', () => {
  /** How sure a detection is, without its class, and that there is one at all. */
  const sure: MetadataCondition = { key: 'confidence', operator: 'gte', values: [0.5] };
  const atLeast = (count: number) => ({ operator: 'gte', values: [count] }) as const;
  const nothing = { detections: [{ terms: [sure], counts: [atLeast(1)] }] };

  test.each(['newest_first', 'oldest_first'] as const)('%s', async (order) => {
    const first = await store.list({ ...nothing, limit: 20, order });
    expect(first).toMatchObject({ events: [], scanned: 20_000, next: expect.any(Number) });
    const next = first.next ?? 0;
    const rest = order === 'newest_first' ? { until: next } : { from: next };
    const second = await store.list({ ...nothing, ...rest, limit: 20, order });
    expect(second).toEqual({ events: [], scanned: 13_000, next: undefined });
  });

  test('counts of two looks add up', async () => {
    const none = { detections: [{ terms: [sure], counts: [atLeast(0)] }] };
    const first = await store.countMatching(none);
    expect(first).toMatchObject({ total, filtered: 20_000, scanned: 20_000 });
    const second = await store.countMatching({ ...none, until: first.next ?? 0 });
    expect(second).toMatchObject({ filtered: 13_000, scanned: 13_000, next: undefined });
  });

  test('what the index narrows is not looked at', async () => {
    const narrowed = { ...nothing, limit: 20, order: 'newest_first' } as const;
    const ofDevice = await store.list({ ...narrowed, ...devices });
    expect(ofDevice).toEqual({ events: [], scanned: expect.any(Number), next: undefined });
    // The nearest are all looked at, and of the others those of the device.
    const nearest = ofDevice.scanned ?? 0;
    expect(nearest).toBeLessThan(11_000 + total - indexed);
    const few: MetadataCondition = { key: 'serial', operator: 'lt', values: [500] };
    const ofFew = await store.list({ ...narrowed, metadata: [few] });
    expect(ofFew.events).toEqual([]);
    expect(ofFew.scanned).toBeLessThan(500 + total - indexed + 1_000);
  });

  test('the index knows event_data, and classes of detections', async () => {
    const oldest = { eventData: [is('serial', 3)], limit: 20, order: 'newest_first' } as const;
    const found = await store.list(oldest);
    expect(found.events).toHaveLength(1);
    expect(found.scanned).toBeLessThan(total - indexed + 1_000);
    const few = await store.countMatching({ eventData: [is('result', 'fail')] });
    expect(few).toMatchObject({ filtered: 330, next: undefined });
    const bolts = [{ terms: [is('class', 'bolt'), sure], counts: [atLeast(1)] }];
    const ofBolts = await store.list({ detections: bolts, limit: 20, order: 'oldest_first' });
    expect(ofBolts).toEqual({ events: [], scanned: expect.any(Number), next: undefined });
    expect(ofBolts.scanned).toBeLessThan(total - indexed + 1_000);
  });

  test('others have their turns', async () => {
    let turns = 0;
    let isLooking = true;
    const count = () => {
      turns += 1;
      if (isLooking) setImmediate(count);
    };
    setImmediate(count);
    const look = () => store.list({ ...nothing, limit: 20, order: 'newest_first' });
    await Promise.all([look(), look(), look()]);
    isLooking = false;
    // Looks at once take turns with each other, too.
    expect(turns).toBeGreaterThanOrEqual((3 * 20_000) / 250);
  });

  test('who went away stops it', async () => {
    const gone = AbortSignal.abort();
    const query = { ...nothing, limit: 20, order: 'newest_first' } as const;
    await expect(store.list(query, gone)).rejects.toMatchObject({ code: 'cancelled' });
    await expect(store.countMatching(nothing, gone)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

function usableIndex() {
  return database.get('SELECT store_id, last_arrival FROM totals', [], (row) =>
    index.usable(row.text('store_id'), row.integer('last_arrival')),
  );
}

/** A database that notes what it is asked. */
function recording(real: Database) {
  const asked = new Set<string>();
  let eventsRead = 0;
  const seen: Database = {
    ...real,
    all: (sql, parameters, read) => {
      asked.add(sql);
      return real.all(sql, parameters, read);
    },
    each: (sql, parameters, read) => {
      asked.add(sql);
      real.each(sql, parameters, (row) => {
        if (sql.includes('events.*')) eventsRead += 1;
        return read(row);
      });
    },
    get: (sql, parameters, read) => {
      asked.add(sql);
      return real.get(sql, parameters, read);
    },
  };
  const plans = () =>
    [...asked].flatMap((sql) => {
      const count = sql.split('?').length - 1;
      const parameters = Array.from({ length: count }, () => 1);
      return real.all(`EXPLAIN QUERY PLAN ${sql}`, parameters, (row) => row.text('detail'));
    });
  return {
    database: seen,
    plans,
    get eventsRead() {
      return eventsRead;
    },
  };
}

/** A seek, or a sort of what one event holds. */
function isBounded(detail: string): boolean {
  if (detail === 'USE TEMP B-TREE FOR json_group_array(ORDER BY)') return true;
  // The one row of totals, and the lists of a filter.
  return !/^(USE TEMP B-TREE|SCAN (?!totals|json_each|wanted VIRTUAL TABLE))/.test(detail);
}
