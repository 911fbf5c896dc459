// The suite of every Event Store, on SQLite and on the model that property tests compare it with.

import { eventStoreSuite } from './event-store-suite.ts';
import { memoryStore } from './memory-store.ts';
import { sqliteStore } from './new-events.ts';

eventStoreSuite('SQLite', (clock) => sqliteStore(clock));
eventStoreSuite('the model', async (clock) => memoryStore(clock));
