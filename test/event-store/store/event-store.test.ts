// The suite of every Event Store, on SQLite and on the model that property tests compare it with.

import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { eventStoreSuite } from './event-store-suite.ts';
import { memoryStore } from './memory-store.ts';
import { newEvent, newFile, sqliteStore } from './new-events.ts';

eventStoreSuite('SQLite', (clock) => sqliteStore(clock));
eventStoreSuite('the model', async (clock) => memoryStore(clock));

test('the database refuses a file of a kind that there is not', async () => {
  const store = await sqliteStore(systemClock);
  const { id } = await store.create(newEvent({ draft: true }));
  const film = newFile({ kind: JSON.parse('"film"') });
  await expect(store.attach(id, film)).rejects.toMatchObject({ code: 'internal' });
  expect(await store.get(id)).toMatchObject({ currentFileCount: 0 });
});
