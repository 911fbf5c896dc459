// The index beside the events: what it finds while events come and go, and whatever happens to it.

import { deepStrictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { fileIdOf, indexPathOf, readParts } from '../../../src/event-store/index/index-file.ts';
import { Indexer } from '../../../src/event-store/index/indexer.ts';
import type {
  EventFilter,
  EventQuery,
  EventStore,
  MetadataCondition,
} from '../../../src/event-store/store/store.ts';
import { limits } from '../../../src/limits.ts';
import { openToRead } from '../../../src/storage/database.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { arbitraryEvent, arbitraryInside, arbitraryQuery } from '../store/arbitraries.ts';
import { allPages, indexEvents, newEvent, noImage, sqliteStore } from '../store/new-events.ts';
import { openBoth } from '../store/store-and-model.ts';

const { FUZZ_RUNS } = process.env;

/** What indexes a store when it is told to. */
function openIndexer(data: string): Indexer {
  const events = openToRead(join(data, 'events.db'));
  const indexer = new Indexer(events, indexPathOf(data));
  onTestFinished(() => {
    indexer.close();
    events.close();
  });
  return indexer;
}

async function seen(store: EventStore, wanted: EventQuery) {
  const { scanned: _, ...counts } = await store.countMatching(wanted);
  const all = await allPages(store, wanted);
  return { arrivals: all.map(({ arrival }) => arrival), counts };
}

const damages: Readonly<Record<string, (path: string) => void>> = {
  deleted: (path) => rmSync(path),
  'deleted with its log': (path) => {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
  },
  emptied: (path) => truncateSync(path, 0),
  truncated: (path) => truncateSync(path, Math.floor(readFileSync(path).length / 8192) * 4096),
  'filled with noise': (path) => writeFileSync(path, noise(readFileSync(path).length)),
  'filled with noise behind its first page': (path) => {
    const file = openSync(path, 'r+');
    writeSync(file, noise(Math.max(0, readFileSync(path).length - 4096)), 0, null, 4096);
    closeSync(file);
  },
  'replaced by a pipe': (path) => {
    rmSync(path);
    execFileSync('mkfifo', [path]);
  },
  'another file': (path) => writeFileSync(path, 'no database at all\n'.repeat(1_000)),
};

function noise(bytes: number): Uint8Array {
  const random = new Uint8Array(bytes);
  for (let start = 0; start < bytes; start += 65_536) {
    crypto.getRandomValues(random.subarray(start, start + 65_536));
  }
  return random;
}

type Happening = 'nothing' | 'step' | 'indexed' | keyof typeof damages;

const happening = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Happening>('nothing') },
  { weight: 6, arbitrary: fc.constant<Happening>('step') },
  { weight: 3, arbitrary: fc.constant<Happening>('indexed') },
  { weight: 1, arbitrary: fc.constantFrom<Happening>(...Object.keys(damages)) },
);

const query = fc
  .tuple(arbitraryQuery, arbitraryInside, fc.boolean())
  .map(([{ eventData: _, detections: __, ...others }, inside, isInside]): EventQuery => {
    return isInside ? { ...others, ...inside } : others;
  });

test(
  'any query finds what a look at all events finds, with writes and removals between, whatever the index is',
  async () => {
    const data = await temporaryFolder();
    const { sqlite, model, create, remove } = await openBoth(data);
    const indexer = openIndexer(data);
    await create(fc.sample(arbitraryEvent, 3_000));
    indexEvents(data);
    const steps = fc.tuple(happening, fc.array(arbitraryEvent, { maxLength: 4 }));
    const property = fc.asyncProperty(query, steps, async (wanted, [happened, events]) => {
      await create(events);
      await remove(2);
      happen(happened, indexPathOf(data), indexer);
      const [answer, expected] = [await seen(sqlite, wanted), await seen(model, wanted)];
      deepStrictEqual(answer, expected);
    });
    await fc.assert(property, { numRuns: Number(FUZZ_RUNS ?? 150), endOnFailure: true });
  },
  Number(FUZZ_RUNS ?? 600) * 200,
);

/** A step may fail, and the next ones make the index anew. */
function happen(happened: Happening, path: string, indexer: Indexer): void {
  if (happened === 'nothing') return;
  if (happened === 'step') step(indexer);
  else if (happened === 'indexed') for (let steps = 0; step(indexer) || steps < 3; steps += 1);
  else if (fileIdOf(path) !== undefined) damages[happened]?.(path);
}

function step(indexer: Indexer): boolean {
  try {
    return indexer.step() > 0;
  } catch {
    return true;
  }
}

const is = (key: string, value: string | number): MetadataCondition => ({
  key,
  operator: 'eq',
  values: [value],
});

/** More than a page looks through. */
const count = 2_000;

async function filled(data: string) {
  const store = await sqliteStore(settableClock(), data);
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      store.create(newEvent({ deviceId: `d${number % 2}`, customMetadata: { number } })),
    ),
  );
  return store;
}

const oldest = { metadata: [is('number', 700)], limit: 9, order: 'newest_first' } as const;

test.each(Object.entries(damages))(
  'an index that was %s is made anew, and no page is wrong',
  async (_, damage) => {
    const data = await temporaryFolder();
    const store = await filled(data);
    indexEvents(data);
    expect(await store.indexLag()).toEqual({ behind: 0, records: count });
    damage(indexPathOf(data));
    expect((await store.list(oldest)).events).toHaveLength(1);
    // At once, or after one step that fails.
    try {
      indexEvents(data);
    } catch {
      indexEvents(data);
    }
    expect(await store.indexLag()).toEqual({ behind: 0, records: count });
    expect((await store.list(oldest)).events).toHaveLength(1);
    expect(
      (await sqliteStore(settableClock(), data).then((other) => other.list(oldest))).events,
    ).toHaveLength(1);
  },
);

test('where the index cannot be made, events are stored and found', async () => {
  const data = await temporaryFolder();
  mkdirSync(join(indexPathOf(data), 'in the way'), { recursive: true });
  const store = await filled(data);
  expect(() => indexEvents(data)).toThrow(
    'The index of events is of no use, and cannot be removed.',
  );
  expect((await store.list(oldest)).events).toHaveLength(1);
  expect(await store.count({ deviceId: 'd1' })).toMatchObject({ filtered: count / 2 });
  expect(await store.indexLag()).toEqual({ behind: count, records: count });
});

test('who has locked the file keeps nobody waiting', async () => {
  const data = await temporaryFolder();
  const store = await filled(data);
  indexEvents(data);
  const foreign = join(data, 'foreign.db');
  const holder = new DatabaseSync(foreign);
  onTestFinished(() => holder.close());
  holder.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)');
  renameSync(foreign, indexPathOf(data));
  expect((await store.list(oldest)).events).toHaveLength(1);
  // Far less than SQLite waits where it may.
}, 10_000);

test('what was left of a file that was never whole is taken away', async () => {
  const data = await temporaryFolder();
  await filled(data);
  const left = `${indexPathOf(data)}.${crypto.randomUUID()}`;
  for (const end of ['', '-wal', '-shm']) writeFileSync(left + end, 'x');
  indexEvents(data);
  expect(readdirSync(data).filter((name) => name.startsWith('index.db.'))).toEqual([]);
});

test('the index of another store, or of another Fovea, is not used', async () => {
  const [data, other] = [await temporaryFolder(), await temporaryFolder()];
  await filled(data);
  indexEvents(data);
  const store = await filled(other);
  writeFileSync(indexPathOf(other), readFileSync(indexPathOf(data)));
  expect(await store.indexLag()).toEqual({ behind: count, records: count });
  indexEvents(other);
  expect(await store.indexLag()).toEqual({ behind: 0, records: count });
  const database = new DatabaseSync(indexPathOf(other));
  database.exec('UPDATE progress SET format = 0');
  database.close();
  expect(await store.indexLag()).toEqual({ behind: count, records: count });
  indexEvents(other);
  expect(await store.indexLag()).toEqual({ behind: 0, records: count });
});

test('a store that was put back to an earlier state is indexed anew', async () => {
  const data = await temporaryFolder();
  const store = await filled(data);
  const database = new DatabaseSync(join(data, 'events.db'), { timeout: 5_000 });
  indexEvents(data);
  database.exec(`DELETE FROM events WHERE number > 1900;
    UPDATE totals SET last_number = 1900, waiting = 1900,
      last_arrival = (SELECT max(arrival) FROM events)`);
  database.close();
  expect(await store.indexLag()).toEqual({ behind: 1_900, records: 1_900 });
  indexEvents(data);
  expect(await store.indexLag()).toEqual({ behind: 0, records: 1_900 });
});

test('a table of the index goes once all its events are gone', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  const database = new DatabaseSync(join(data, 'events.db'), { timeout: 5_000 });
  database.exec(`UPDATE totals SET last_number = ${limits.indexPartEvents - 1_000}`);
  database.close();
  await Promise.all(Array.from({ length: 1_500 }, () => store.create(newEvent())));
  const parts = () => {
    indexEvents(data);
    const index = openToRead(indexPathOf(data));
    const found = readParts(index).map(({ part }) => part);
    index.close();
    return found;
  };
  expect(parts()).toEqual([0, 1]);
  const rule = { reason: 'age', before: undefined, sparesUnsent: false } as const;
  await store.remove({ ...rule, limit: 998 });
  expect(parts()).toEqual([0, 1]);
  await store.remove({ ...rule, limit: 1 });
  expect(parts()).toEqual([1]);
});

test('a finished table is merged into one segment, and finds what it found', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  const database = new DatabaseSync(join(data, 'events.db'), { timeout: 5_000 });
  database.exec(`UPDATE totals SET last_number = ${limits.indexPartEvents - 3_000}`);
  database.close();
  const ofDevice = (nth: number) => newEvent({ deviceId: `camera-${nth % 7}` });
  await Promise.all(Array.from({ length: 3_500 }, (_, nth) => store.create(ofDevice(nth))));
  const indexer = openIndexer(data);
  while (indexer.step() > 0) {}
  const wanted: EventQuery = { deviceIds: ['camera-3'], order: 'newest_first', limit: 200 };
  const before = await seen(store, wanted);
  const segments = () => {
    const index = new DatabaseSync(indexPathOf(data), { readOnly: true });
    const found = [0, 1].map((part) =>
      index.prepare(`SELECT count(DISTINCT segid) AS n FROM terms_${part}_idx`).get(),
    );
    index.close();
    return found.map((row) => row?.n);
  };
  expect(segments()).toEqual([3, 2]);
  while (indexer.mergeSome()) {}
  expect(segments()).toEqual([1, 2]);
  expect(await seen(store, wanted)).toEqual(before);
  expect(before.arrivals.length).toBe(500);
  // Another process knows of no merge, and has nothing to do.
  const other = openIndexer(data);
  other.step();
  expect(other.mergeSome()).toBe(false);
  expect(segments()).toEqual([1, 2]);
});

test('of many keys and classes some are in the index, and all are found', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  const most = limits.indexedKeysMax * 2;
  const keys = Object.fromEntries(Array.from({ length: most }, (_, key) => [`key ${key}`, key]));
  const classes = Array.from({ length: most }, (_, number) => ({ class: `class ${number}` }));
  for (const event of [
    { customMetadata: keys },
    { eventData: { part: keys } },
    { images: [{ ...noImage, object_detections: classes }] },
  ]) {
    await store.create(newEvent(event));
  }
  await Promise.all(Array.from({ length: count }, () => store.create(newEvent())));
  indexEvents(data);
  const found = async (filter: EventFilter) =>
    (await store.list({ ...filter, limit: 9, order: 'newest_first' })).events.length;
  for (const number of [0, most - 1]) {
    for (const operator of ['eq', 'gte', 'lte'] as const) {
      const key = `key ${number}`;
      const condition = { operator, values: [number] };
      expect(await found({ metadata: [{ key, ...condition }] })).toBe(1);
      expect(await found({ eventData: [{ key: `part.${key}`, ...condition }] })).toBe(1);
    }
    const counts = [{ operator: 'eq', values: [1] }] as const;
    expect(await found({ detections: [{ terms: [is('class', `class ${number}`)], counts }] })).toBe(
      1,
    );
  }
});

test('what JSON has no words for is in no index, and no step fails for it', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  const odd = { length: Number.POSITIVE_INFINITY, half: 'half \ud83d', 'half \ud83d': 1 };
  await store.create(newEvent({ customMetadata: odd }));
  await store.create(newEvent({ customMetadata: { length: 63, whole: '\u{1f600}' } }));
  await Promise.all(Array.from({ length: count }, () => store.create(newEvent())));
  indexEvents(data);
  const found = async (condition: MetadataCondition) =>
    (await store.list({ metadata: [condition], limit: 9, order: 'newest_first' })).events.length;
  expect(await found({ key: 'length', operator: 'gte', values: [63] })).toBe(1);
  expect(await found(is('whole', '\u{1f600}'))).toBe(1);
  expect(await found(is('half', 'half \ud83d'))).toBe(0);
});

test('a row that cannot be read does not stop the index', async () => {
  const data = await temporaryFolder();
  const store = await filled(data);
  const database = new DatabaseSync(join(data, 'events.db'), { timeout: 5_000 });
  database.exec("UPDATE events SET custom_metadata = '{' WHERE number = 900");
  database.close();
  indexEvents(data);
  expect(await store.indexLag()).toEqual({ behind: 0, records: count });
  expect((await store.list(oldest)).events).toHaveLength(1);
});

test('large metadata goes in a few events at a time', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  const text = 'x'.repeat(limits.indexedCharactersAtOnceMax / 4);
  for (let number = 0; number < 9; number += 1) {
    await store.create(newEvent({ customMetadata: { text: `${text}${number}` } }));
  }
  const events = openToRead(join(data, 'events.db'));
  const indexer = new Indexer(events, indexPathOf(data));
  expect([indexer.step(), indexer.step(), indexer.step(), indexer.step()]).toEqual([4, 4, 1, 0]);
  indexer.close();
  events.close();
  const metadata = [is('text', `${text}3`)];
  expect((await store.list({ metadata, limit: 9, order: 'oldest_first' })).events).toHaveLength(1);
});
