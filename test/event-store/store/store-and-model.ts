// A store beside a list of the same events, for properties that hold the one against the other.

import type { NewEvent } from '../../../src/event-store/store/store.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { memoryStore } from './memory-store.ts';
import { newFile, sqliteStore } from './new-events.ts';

/** On a folder, a new one when none is given; closed after the test. */
export async function openBoth(data?: string) {
  const clock = settableClock();
  const sqlite = await sqliteStore(clock, data);
  const model = memoryStore(clock);
  return {
    sqlite,
    model,
    create: async (given: readonly NewEvent[]): Promise<void> => {
      // Tried again in smaller cases, an event would bring the same files.
      const fresh = given.map((event) => ({ ...event, files: event.files.map(() => newFile()) }));
      await Promise.all(fresh.map((event) => sqlite.create(event)));
      for (const event of fresh) await model.create(event);
    },
    /** So many of the oldest events. */
    remove: async (limit: number): Promise<void> => {
      const rule = { reason: 'record_limit', before: undefined, sparesUnsent: false } as const;
      for (const store of [sqlite, model]) await store.remove({ ...rule, limit });
    },
  };
}
