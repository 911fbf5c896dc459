// Arrivals in their order, out of several runs of an index that each are in that order.

import type { Database, SqlValue } from '../../storage/database.ts';
import type { Arrival, EventQuery } from './store.ts';
import { arrivalsOfRow } from './term-lists.ts';
import { readSteps } from './window-columns.ts';

export type Order = EventQuery['order'];

/** Both included. */
export interface Bounds {
  readonly from: Arrival;
  readonly until: Arrival;
}

/** Rows with a column `arrival`: `FROM … WHERE …` with its parameters. */
export interface Run {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
  /**
   * Rows of `terms`. `of one value`: lists among them, none of which reaches over another row; `of
   * many values`: nothing but lists. Undefined: each row is one event.
   */
  readonly lists?: 'of one value' | 'of many values';
}

/**
 * The arrivals of all runs within bounds, each once, batch after batch; no more of a run is read
 * than is needed. `atOnce`: how many of one run to read at a time. Of events in lists some may be
 * gone.
 */
export function* mergedRuns(
  database: Database,
  runs: readonly Run[],
  bounds: Bounds,
  order: Order,
  atOnce: number,
): Generator<readonly Arrival[]> {
  let { from, until } = bounds;
  let limit = atOnce;
  const isNewestFirst = order === 'newest_first';
  const byOrder = isNewestFirst ? descending : ascending;
  const isMixed = runs.length > 1 || runs[0]?.lists === 'of many values';
  const whole = new Map<Run, readonly Arrival[]>();
  while (from <= until) {
    // Beyond the edge a run that was cut off may have more.
    let edge: Arrival | undefined;
    const found: Arrival[] = [];
    for (const run of runs) {
      if (run.lists === 'of many values') {
        const all = whole.get(run) ?? readLists(database, run, bounds);
        whole.set(run, all);
        for (const arrival of all) if (arrival >= from && arrival <= until) found.push(arrival);
        continue;
      }
      const read = run.lists === undefined ? readRun : readValue;
      const arrivals = read(database, run, { from, until }, isNewestFirst, limit);
      const last = arrivals.length >= limit ? arrivals.at(-1) : undefined;
      if (last !== undefined && (edge === undefined || byOrder(last, edge) < 0)) edge = last;
      for (const arrival of arrivals) found.push(arrival);
    }
    const sorted = isMixed ? onceEach(found.sort(byOrder)) : found;
    if (edge === undefined) {
      yield sorted;
      return;
    }
    const reached = edge;
    yield isMixed ? sorted.filter((arrival) => byOrder(arrival, reached) <= 0) : sorted;
    if (isNewestFirst) until = reached - 1;
    else from = reached + 1;
    limit = Math.min(limit * 4, atOnceMax);
  }
}

/** Runs may overlap, as those of two ranges do. */
function onceEach(sorted: readonly Arrival[]): readonly Arrival[] {
  return sorted.filter((arrival, place) => arrival !== sorted[place - 1]);
}

/** Few at first: most pages are full soon. */
const atOnceMax = 2_000;

function readRun(
  database: Database,
  run: Run,
  { from, until }: Bounds,
  isNewestFirst: boolean,
  limit: number,
): Arrival[] {
  return database.all(
    `SELECT arrival ${run.sql} AND arrival BETWEEN ? AND ?
     ORDER BY arrival ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT ?`,
    [...run.parameters, from, until, limit],
    (row) => row.integer('arrival'),
  );
}

/** The same for a run with lists of one value; it ends with a list, so it may be a few more. */
function readValue(
  database: Database,
  { sql, parameters }: Run,
  { from, until }: Bounds,
  isNewestFirst: boolean,
  limit: number,
): Arrival[] {
  const found: Arrival[] = [];
  // The row behind the bound may be a list that begins within it; else it is one too many.
  database.each(
    `SELECT arrival, arrivals ${sql} AND arrival BETWEEN ? AND coalesce(
       (SELECT arrival ${sql} AND arrival >= ? ORDER BY arrival LIMIT 1), ?)
     ORDER BY arrival ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT ?`,
    [...parameters, from, ...parameters, until, until, limit + 1],
    (row) => {
      const arrivals = arrivalsOfRow(row.integer('arrival'), row.optionalText('arrivals'));
      const within = arrivals.filter((arrival) => arrival >= from && arrival <= until);
      found.push(...(isNewestFirst ? within.reverse() : within));
      return found.length < limit;
    },
  );
  return found;
}

/** All that the lists of a run have within bounds: no more than a bucket has events. */
function readLists(
  database: Database,
  { sql, parameters }: Run,
  { from, until }: Bounds,
): readonly Arrival[] {
  const lists = database.all(
    `SELECT arrivals ${sql} AND arrival >= ?`,
    [...parameters, from],
    (row) => readSteps(row.text('arrivals')),
  );
  return lists.flat().filter((arrival) => arrival >= from && arrival <= until);
}

/** Those of these arrivals, in their order, that a run over `events` has: one look for all. */
export function eventsAmong(
  database: Database,
  arrivals: readonly Arrival[],
  { sql, parameters }: Run,
): Arrival[] {
  return database.all(
    `SELECT value AS arrival FROM json_each(?)
     WHERE EXISTS (SELECT 1 ${sql} AND events.arrival = json_each.value)`,
    [JSON.stringify(arrivals), ...parameters],
    (row) => row.integer('arrival'),
  );
}

function ascending(first: number, second: number): number {
  return first - second;
}

function descending(first: number, second: number): number {
  return second - first;
}
