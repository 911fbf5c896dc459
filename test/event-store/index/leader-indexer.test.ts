// The index of a running service: one process writes it, and health says when it is not there.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { indexPathOf } from '../../../src/event-store/index/index-file.ts';
import { startLeaderIndexer } from '../../../src/event-store/index/leader-indexer.ts';
import type { EventStore } from '../../../src/event-store/store/store.ts';
import { limits } from '../../../src/limits.ts';
import { createLog } from '../../../src/log.ts';
import { openTestEventStore } from '../../fixtures/event-store.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { newEvent, sqliteStore } from '../store/new-events.ts';

const patiently = { timeout: 20_000, interval: 25 };

function start(store: EventStore, data: string) {
  const log = createLog('error', () => {});
  const indexer = startLeaderIndexer({ store, data, log });
  onTestFinished(() => indexer.stop());
  return indexer;
}

async function createMany(store: EventStore, count = 2 * limits.indexedAtOnceMin) {
  await Promise.all(Array.from({ length: count }, () => store.create(newEvent())));
}

const behind = async (store: EventStore) => (await store.indexLag()).behind;

test('it follows the events, is made anew when it is gone, and passes to the next process', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  const first = start(store, data);
  const second = start(store, data);
  await createMany(store);
  await expect.poll(() => behind(store), patiently).toBe(0);
  rmSync(indexPathOf(data));
  expect(await behind(store)).toBe(2 * limits.indexedAtOnceMin);
  await expect.poll(() => behind(store), patiently).toBe(0);
  await first.stop();
  await createMany(store);
  await expect.poll(() => behind(store), patiently).toBe(0);
  expect([first.health(), second.health()]).toEqual([[], []]);
});

test('a small store has none', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  const indexer = start(store, data);
  await createMany(store, limits.indexedAtOnceMin - 1);
  await indexer.stop();
  expect(await behind(store)).toBe(limits.indexedAtOnceMin - 1);
});

test('as long as much is not in it, health says how far it is', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(settableClock(), data);
  await store.create(newEvent());
  const database = new DatabaseSync(join(data, 'events.db'), { timeout: 5_000 });
  // As if most of them had come since; and somebody else leads.
  database.exec('UPDATE totals SET last_number = 30000, waiting = 40000');
  database.close();
  const lock = new DatabaseSync(join(data, 'index.lock'));
  lock.exec('BEGIN EXCLUSIVE');
  const indexer = start(store, data);
  const words =
    'The index of events is being made (25 %): until then filters look at events one by one.';
  await expect.poll(() => indexer.health(), patiently).toEqual([words]);
  lock.close();
});

test('where it cannot be made, health says so, and events are taken and found', async () => {
  const data = await temporaryFolder();
  const path = indexPathOf(data);
  mkdirSync(join(path, 'in the way'), { recursive: true });
  const store = await sqliteStore(systemClock, data);
  await createMany(store);
  const service = await openTestEventStore({ data, inSources: true });
  onTestFinished(() => service.close());
  const problem =
    'The index of events is made anew, and until then filters look at events one by one: The index of events is of no use, and cannot be removed.';
  await expect
    .poll(async () => (await service.get('/health')).body, patiently)
    .toMatchObject({ status: 'degraded', ready: true, problems: [problem] });
  expect((await service.get('/health?ready=1')).status).toBe(200);
  const body = {
    event_schema: 'custom',
    event_data: { value: 'one' },
    inference_timestamp: '2026-11-20T00:00:00Z',
    device_id: 'after',
  };
  expect((await service.post('/v2/events', body)).status).toBe(201);
  const found = await service.get('/v2/events?device_id=after');
  expect(found.body).toMatchObject({ count: 1, next_timestamp: null });
  rmSync(path, { recursive: true });
  await expect
    .poll(async () => (await service.get('/health')).body, patiently)
    .toMatchObject({ status: 'ok', problems: [] });
  expect(await behind(store)).toBeLessThan(limits.indexedAtOnceMin);
});
