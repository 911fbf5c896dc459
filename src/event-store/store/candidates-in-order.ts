// Where events that may match a query are looked for, in its order: some of the nearest one by one,
// since most pages are full then, more of them while many match, and those that are in no index
// yet; all others by the index.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { Bounds, IndexSearch, UsableIndex } from '../index/event-index.ts';
import { looksInside } from './matching.ts';
import { scanByTime, type TimeSlice } from './scan-by-time.ts';
import type { Arrival, EventQuery } from './store.ts';

/**
 * Each event that may match comes once. `index`: as it was before this is called; undefined: all
 * events are looked through. So are those that are left where it fails in the middle.
 */
export function allCandidates(
  database: Database,
  index: UsableIndex | undefined,
  query: EventQuery,
): Generator<TimeSlice> {
  const { order, limit } = query;
  const bounds = {
    from: Math.max(query.from ?? 0, 0),
    until: Math.min(query.until ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  };
  const search = index?.searchFor(query);
  if (search === undefined) return scanByTime(database, query, bounds, order, limit + 1);
  return order === 'newest_first'
    ? newestFirst(database, search, query, bounds)
    : oldestFirst(database, search, query, bounds);
}

function* newestFirst(database: Database, search: IndexSearch, query: EventQuery, bounds: Bounds) {
  const reached = yield* nearest(database, query, bounds, search.until);
  if (reached === undefined) return;
  yield* byIndex(database, search, query, { from: bounds.from, until: reached - 1 });
}

function* oldestFirst(database: Database, search: IndexSearch, query: EventQuery, bounds: Bounds) {
  const reached = yield* nearest(database, query, bounds, Number.MAX_SAFE_INTEGER);
  if (reached === undefined) return;
  const indexed = Math.min(search.until, bounds.until);
  yield* byIndex(database, search, query, { from: reached + 1, until: indexed });
  const from = Math.max(reached, indexed) + 1;
  yield* scanByTime(database, query, { from, until: bounds.until }, query.order, atOnceMin);
}

/** Ends at the event that it gives; undefined: all within bounds were seen. */
function* nearest(
  database: Database,
  query: EventQuery,
  bounds: Bounds,
  latestEnd: Arrival,
): Generator<TimeSlice, Arrival | undefined> {
  let seen = 0;
  let found = 0;
  for (const slice of scanByTime(database, query, bounds, query.order, atOnceMin)) {
    yield slice;
    if (slice.reached === undefined) return undefined;
    seen += slice.arrivals.length + slice.others;
    if (!looksInside(query)) found += slice.arrivals.length;
    // A page of these is full sooner than the index joins all that is in a wide range.
    const isFruitful = found <= query.limit && found * 4 > seen;
    if (seen < limits.eventsLookedAtFirst || isFruitful) continue;
    if (slice.reached <= latestEnd) return slice.reached;
  }
  return undefined;
}

const atOnceMin = limits.eventsLookedAtFirst / 4;

function* byIndex(
  database: Database,
  search: IndexSearch,
  query: EventQuery,
  { from, until }: Bounds,
): Generator<TimeSlice> {
  const { order } = query;
  // Some do not match: to look for the rest takes as long again.
  const atOnce = Math.ceil(1.25 * query.limit) + 16;
  let left: Bounds = { from, until };
  try {
    for (const arrivals of search.candidates(left, order, atOnce)) {
      const reached = arrivals.at(-1);
      yield { arrivals, others: 0, reached };
      if (reached === undefined) continue;
      left = order === 'newest_first' ? { from, until: reached - 1 } : { from: reached + 1, until };
    }
    return;
  } catch {
    // The index says what is wrong with it where somebody can do something about that.
  }
  yield* scanByTime(database, query, left, order, atOnceMin);
}
