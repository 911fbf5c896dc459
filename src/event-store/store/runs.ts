// Arrivals in their order, out of several runs of a table that each are in that order.

import type { Database, SqlValue } from '../../storage/database.ts';
import type { Bounds, Order } from '../index/event-index.ts';
import type { Arrival } from './store.ts';

/** Rows with a column `arrival`: `FROM … WHERE …` with its parameters. */
export interface Run {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * The arrivals of all runs within bounds, batch after batch; no more of a run is read than is
 * needed. `atOnce`: how many of one run to read at a time. No two runs have the same event.
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
  while (from <= until) {
    // Beyond the edge a run that was cut off may have more.
    let edge: Arrival | undefined;
    const found: Arrival[] = [];
    for (const run of runs) {
      const arrivals = readRun(database, run, { from, until }, isNewestFirst, limit);
      const last = arrivals.length >= limit ? arrivals.at(-1) : undefined;
      if (last !== undefined && (edge === undefined || byOrder(last, edge) < 0)) edge = last;
      for (const arrival of arrivals) found.push(arrival);
    }
    found.sort(byOrder);
    if (edge === undefined) {
      yield found;
      return;
    }
    const reached = edge;
    yield found.filter((arrival) => byOrder(arrival, reached) <= 0);
    if (isNewestFirst) until = reached - 1;
    else from = reached + 1;
    limit = Math.min(limit * 4, atOnceMax);
  }
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

function ascending(first: number, second: number): number {
  return first - second;
}

function descending(first: number, second: number): number {
  return second - first;
}
