// Counts of events that any filter finds, by a look at them.

import type { Database, Row } from '../../storage/database.ts';
import { countEvents } from './figures.ts';
import { lookThrough, type Taker } from './look.ts';
import type { FilteredEvent } from './matching.ts';
import type { Arrival, EventFilter, MatchingCounts } from './store.ts';

/** Throws `cancelled` when nobody waits for it any more. */
export async function countMatching(
  database: Database,
  filter: EventFilter,
  signal?: AbortSignal,
): Promise<MatchingCounts> {
  const tally = new Tally();
  const query = { ...filter, order: 'newest_first', limit: tally.missing - 1 } as const;
  const { next, scanned } = await lookThrough(database, query, tally, { isBounded: true, signal });
  const { filtered, oldest, newest } = tally;
  return { total: countEvents(database, {}).total, filtered, oldest, newest, scanned, next };
}

/** It is never full. */
class Tally implements Taker {
  readonly missing = 250;
  filtered = 0;
  oldest: Arrival | undefined;
  newest: Arrival | undefined;

  take(_row: Row, { arrival }: FilteredEvent): boolean {
    this.filtered += 1;
    this.newest ??= arrival;
    this.oldest = arrival;
    return true;
  }
}
