// What runs now and then writes nothing where there is nothing to do: it wakes no thread.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { RemovalRule } from '../../../src/event-store/store/store.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { newEvent, sqliteStore } from './new-events.ts';

test('a cleanup of a store with nothing to clean up needs no write lock', async () => {
  const data = await temporaryFolder();
  const store = await sqliteStore(systemClock, data);
  const { arrival } = await store.create(newEvent({ draft: true }));
  await store.create(newEvent({}));
  const other = new DatabaseSync(join(data, 'events.db'));
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const rule: RemovalRule = { reason: 'age', before: arrival, sparesUnsent: false, limit: 10 };
  expect(await store.finalizeDrafts(arrival, [], 10)).toBe(0);
  expect(await store.remove(rule)).toEqual({ events: 0, diskBytes: 0 });
  expect(await store.shrink()).toBe(false);
  other.exec('ROLLBACK');
  // And each does what it should where there is something.
  expect(await store.finalizeDrafts(arrival + 1, [], 10)).toBe(1);
  expect(await store.remove({ ...rule, before: arrival + 1 })).toMatchObject({ events: 1 });
});
