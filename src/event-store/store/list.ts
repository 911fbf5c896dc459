// Pages of events.

import { setImmediate as others } from 'node:timers/promises';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
import { matches } from './matching.ts';
import { newestEvents } from './newest-events.ts';
import { candidates, conditionsOf, hasConditions, partWithin, runsThroughTime } from './plan.ts';
import { roughRun } from './rough-run.ts';
import { type Bounds, mergedRuns, type Order, type Run } from './runs.ts';
import type { Arrival, EventPage, EventQuery, StoredEvent } from './store.ts';
import { eventsAt, readEvent, readFiltered } from './stored-event.ts';
import type { TermCondition } from './term-runs.ts';
import { arrivalsInWindow } from './window-search.ts';
import { type Window, windowsWithin } from './windows.ts';

/**
 * A page, bounded in its text too; it lets others work when it takes long. Throws `cancelled` when
 * nobody waits for it any more.
 */
export async function listEvents(
  database: Database,
  query: EventQuery,
  signal?: AbortSignal,
): Promise<EventPage> {
  const page = new GrowingPage(database, query, () => letOthersWork(signal));
  let waiting: Arrival[] = [];
  let steps = 0;
  for (const arrivals of allCandidates(database, query)) {
    waiting.push(...arrivals);
    if (waiting.length >= page.missing) {
      await page.grow(waiting);
      if (page.next !== undefined) break;
      waiting = [];
    }
    steps += 1 + arrivals.length;
    if (steps < stepsAtOnceMax) continue;
    steps = 0;
    await letOthersWork(signal);
  }
  await page.grow(waiting);
  return { events: page.events, next: page.next };
}

async function letOthersWork(signal: AbortSignal | undefined): Promise<void> {
  await others();
  if (signal?.aborted) throw new FoveaError('cancelled', 'The client went away.');
}

/** A page while it is read. */
class GrowingPage {
  readonly events: StoredEvent[] = [];
  next: Arrival | undefined;
  readonly #database: Database;
  readonly #query: EventQuery;
  readonly #pause: () => Promise<void>;
  #characters = 0;

  constructor(database: Database, query: EventQuery, pause: () => Promise<void>) {
    this.#database = database;
    this.#query = query;
    this.#pause = pause;
  }

  /** So many more, and it is known where the next page begins. */
  get missing(): number {
    return this.#query.limit + 1 - this.events.length;
  }

  /** Adds those of these events that match, until there is a next page. */
  async grow(arrivals: readonly Arrival[]): Promise<void> {
    for (let start = 0; start < arrivals.length && this.next === undefined; ) {
      if (start > 0) await this.#pause();
      // Most of them match.
      const atOnce = Math.min(Math.max(eventsAtOnceMin, this.missing), eventsAtOnceMax);
      start += this.#read(arrivals.slice(start, start + atOnce));
    }
  }

  /** How many of these events it came to: it ends early after much text. */
  #read(arrivals: readonly Arrival[]): number {
    let characters = 0;
    let last: Arrival | undefined;
    this.#database.each(eventsAt, [JSON.stringify(arrivals)], (row) => {
      characters += charactersOf(row);
      const isLast = !this.#add(row) || characters > charactersAtOnceMax;
      if (isLast) last = row.integer('arrival');
      return !isLast;
    });
    return last === undefined ? arrivals.length : arrivals.indexOf(last) + 1;
  }

  /** False: the page is full. */
  #add(row: Row): boolean {
    const filtered = readFiltered(row);
    if (!matches(filtered, this.#query)) return true;
    this.#characters += charactersOf(row);
    const isTooMuch = this.events.length > 0 && this.#characters > limits.eventsPageCharactersMax;
    if (this.events.length === this.#query.limit || isTooMuch) {
      this.next = filtered.arrival;
      return false;
    }
    this.events.push(readEvent(row, filtered));
    return true;
  }
}

/** What may be large in an event. */
export function charactersOf(row: Row): number {
  return row.text('body').length + (row.optionalText('custom_metadata')?.length ?? 0);
}

/** Fewer take as long as these. */
const eventsAtOnceMin = 16;

/** Some milliseconds, and likewise so much text. */
const eventsAtOnceMax = 250;
const charactersAtOnceMax = 1024 * 1024;

/** Some milliseconds. */
const stepsAtOnceMax = 1_000;

/**
 * The newest events are in no index, those behind them in its windows, and all others in `terms`.
 * While this goes on, events may come from one to the next, so each looks where the other ended.
 */
function allCandidates(database: Database, query: EventQuery): Generator<readonly Arrival[]> {
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
