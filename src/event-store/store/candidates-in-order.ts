// Where events that may match a query are looked for, in its order: the newest events, which are
// in no index, the windows of the index, and `terms`.

import type { Database } from '../../storage/database.ts';
import { newestEvents } from './newest-events.ts';
import { candidates, conditionsOf, hasConditions, partWithin, runsThroughTime } from './plan.ts';
import { roughRun } from './rough-run.ts';
import { type Bounds, mergedRuns, type Order, type Run } from './runs.ts';
import type { Arrival, EventQuery } from './store.ts';
import type { TermCondition } from './term-runs.ts';
import { arrivalsInWindow } from './window-search.ts';
import { type Window, windowsWithin } from './windows.ts';

/**
 * The newest events are in no index, those behind them in its windows, and all others in `terms`.
 * While this goes on, events may come from one to the next, so each looks where the other ended.
 */
export function allCandidates(
  database: Database,
  query: EventQuery,
): Generator<readonly Arrival[]> {
  const bounds = {
    from: Math.max(query.from ?? 0, 0),
    until: Math.min(query.until ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  };
  // Where nothing is looked for under a key, the events themselves are as near as any index.
  if (!hasConditions(query)) return throughTime(database, query, runsThroughTime(query), bounds);
  return query.order === 'newest_first'
    ? newestFirst(database, query, bounds)
    : oldestFirst(database, query, bounds);
}

function* newestFirst(database: Database, query: EventQuery, { from, until }: Bounds) {
  const windows = windowsWithin(database, allTime).reverse();
  const covered = windows[0]?.until ?? indexedUntil(database);
  // Looked up last, so that all keys are known that came into the index meanwhile.
  const conditions = conditionsOf(database, query);
  yield* notIndexed(database, query, { from: Math.max(from, covered + 1), until });
  let left = Math.min(until, covered);
  for (const window of windows) {
    if (window.until < from) break;
    if (window.since > until) continue;
    const found = inWindow(database, window, conditions, { from, until: left }, query.order);
    if (found === undefined && indexedUntil(database) >= window.until) break;
    if (found) yield found;
    left = Math.min(left, window.since - 1);
  }
  yield* indexed(database, query, conditions, { from, until: left });
}

function* oldestFirst(database: Database, query: EventQuery, { from, until }: Bounds) {
  let next = from;
  for (let isMerged = true; isMerged; ) {
    isMerged = false;
    // In this order, so that what leaves a window meanwhile is met in `terms`.
    const windows = windowsWithin(database, { since: next, until });
    const last = Math.min(until, indexedUntil(database));
    const conditions = conditionsOf(database, query);
    yield* indexed(database, query, conditions, { from: next, until: last });
    next = Math.max(next, last + 1);
    for (const window of windows) {
      if (window.until < next) continue;
      const found = inWindow(database, window, conditions, { from: next, until }, query.order);
      isMerged = found === undefined;
      if (found === undefined) break;
      yield found;
      next = Math.max(next, window.until + 1);
    }
  }
  yield* notIndexed(database, query, { from: next, until });
}

const allTime: Window = { since: 0, until: Number.MAX_SAFE_INTEGER };

function indexedUntil(database: Database): Arrival {
  const sql = 'SELECT indexed_arrival FROM totals';
  return database.get(sql, [], (row) => row.integer('indexed_arrival')) ?? 0;
}

/** Those that are kept; in the rest SQLite looks, without reading JSON. */
function* notIndexed(database: Database, query: EventQuery, { from, until }: Bounds) {
  if (from > until) return;
  const { arrivals, rest } = newestEvents(database).find(query, { from, until });
  if (query.order === 'oldest_first') yield arrivals;
  if (rest) yield* throughTime(database, query, [roughRun(query)], rest);
  if (query.order === 'newest_first') yield arrivals.reverse();
}

function throughTime(
  database: Database,
  query: EventQuery,
  runs: readonly Run[],
  bounds: Bounds,
): Generator<readonly Arrival[]> {
  return mergedRuns(database, runs, bounds, query.order, query.limit + 1);
}

/** What is found in a window; undefined where there is none any more. */
function inWindow(
  database: Database,
  { until }: Window,
  conditions: readonly TermCondition[],
  bounds: Bounds,
  order: Order,
): Arrival[] | undefined {
  return arrivalsInWindow(database, until, conditions, { bounds, order });
}

function* indexed(
  database: Database,
  query: EventQuery,
  conditions: readonly TermCondition[],
  bounds: Bounds,
) {
  const part = partWithin(database, bounds);
  if (part !== undefined) yield* candidates(database, query, conditions, part);
}
