// The index while it is being written: by two processes' writers, with removals in between.

import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { migrations } from '../../../src/event-store/store/schema.ts';
import type { EventStore } from '../../../src/event-store/store/store.ts';
import { limits } from '../../../src/limits.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { newEvent, sqliteStore, temporaryFolder } from './kit.ts';

type Step =
  | { readonly kind: 'create'; readonly count: number; readonly writer: 0 | 1 }
  | { readonly kind: 'remove'; readonly count: number; readonly writer: 0 | 1 };

const writer = fc.constantFrom(0 as const, 1 as const);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      count: fc.integer({ min: 1, max: limits.unindexedEventsMax }),
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

/** What the index says against the events themselves. */
function inspect(data: string) {
  const database = openDatabase(join(data, 'events.db'), migrations);
  const numberOf = (sql: string) =>
    database.get(`SELECT (${sql}) AS number`, [], (row) => row.integer('number'));
  const rows = '(SELECT count(*) FROM terms WHERE terms.arrival = events.arrival)';
  const found = {
    orphans: numberOf(
      'SELECT count(*) FROM terms WHERE arrival NOT IN (SELECT arrival FROM events)',
    ),
    // A number, a device, a schema, and the kind.
    incomplete: numberOf(
      `SELECT count(*) FROM events, totals WHERE arrival <= indexed_arrival AND ${rows} <> 4`,
    ),
    tooEarly: numberOf(
      `SELECT count(*) FROM events, totals WHERE arrival > counted_arrival AND ${rows} > 0`,
    ),
    uncounted: numberOf(
      `SELECT (SELECT count(*) FROM events, totals WHERE arrival <= counted_arrival)
         - (SELECT coalesce(sum(events), 0) FROM kinds)`,
    ),
    late: numberOf('SELECT count(*) FROM events, totals WHERE arrival > indexed_arrival'),
  };
  database.close();
  return found;
}

test('whatever is stored and removed, by whom ever: all rows of all events, and no others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const data = await temporaryFolder();
      const stores = [await sqliteStore(systemClock, data), await sqliteStore(systemClock, data)];
      for (const next of steps) {
        const store = stores[next.writer];
        if (store) await take(store, next);
      }
      await Promise.all(stores.map((store) => store.close()));
      const { late, ...wrong } = inspect(data);
      expect(wrong).toEqual({ orphans: 0, incomplete: 0, tooEarly: 0, uncounted: 0 });
      expect(late).toBeLessThanOrEqual(limits.unindexedEventsMax * 4);
    }),
    { numRuns: 6, endOnFailure: true },
  );
}, 60_000);
