// Scans the events by time, in slices. Of most of them SQLite tells whether they match, without
// reading JSON; of the others what they contain is not read.

import type { Database } from '../../storage/database.ts';
import type { Bounds, Order } from '../index/event-index.ts';
import { matches } from './matching.ts';
import type { Arrival, EventFilter, EventQuery } from './store.ts';
import { filteredColumns, readFiltered } from './stored-event.ts';

/** Events one after the other in the order of a query. */
export interface TimeSlice {
  /** Those that meet the filter, as far as `matches` tells. */
  readonly arrivals: readonly Arrival[];
  /** How many the others are. */
  readonly others: number;
  /** The last one; undefined: there was none. */
  readonly reached: Arrival | undefined;
}

/** All events within bounds: `atOnce` at first and more later, until a page of them match. */
export function* scanByTime(
  database: Database,
  query: EventQuery,
  bounds: Bounds,
  order: Order,
  atOnce: number,
): Generator<TimeSlice> {
  const { condition, parameters } = conditionInSql(query);
  const isNewestFirst = order === 'newest_first';
  // Of all but metadata the condition tells as much as `matches`.
  const needsMatch = (query.metadata ?? []).length > 0;
  const columns = needsMatch ? filteredColumns : 'arrival';
  const sql = `SELECT ${columns}, ${condition} AS may_match FROM events
    WHERE arrival BETWEEN ? AND ?
    ORDER BY arrival ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
  let { from, until } = bounds;
  let missing = query.limit + 1;
  for (let limit = atOnce; from <= until; limit = Math.min(limit * 4, atOnceMax)) {
    const arrivals: Arrival[] = [];
    let reached: Arrival | undefined;
    let seen = 0;
    if (missing === 0) missing = query.limit + 1;
    database.each(sql, [...parameters, from, until, limit], (row) => {
      seen += 1;
      reached = row.integer('arrival');
      const mayMatch = row.optionalInteger('may_match') === 1;
      if (!mayMatch || (needsMatch && !matches(readFiltered(row), query))) return true;
      arrivals.push(reached);
      missing -= 1;
      return missing > 0;
    });
    yield { arrivals, others: seen - arrivals.length, reached };
    if (reached === undefined || (seen < limit && missing > 0)) return;
    if (isNewestFirst) until = reached - 1;
    else from = reached + 1;
  }
}

/** Some milliseconds. */
const atOnceMax = 1_000;

function conditionInSql(query: EventFilter): {
  readonly condition: string;
  readonly parameters: readonly string[];
} {
  const conditions = query.includeDrafts === false ? ["upload <> 'draft'"] : ['true'];
  const parameters: string[] = [];
  const add = (condition: string, values: readonly string[] | undefined) => {
    if (values === undefined) return;
    conditions.push(condition);
    parameters.push(JSON.stringify(values));
  };
  add('device_id IN (SELECT value FROM json_each(?))', query.deviceIds);
  add('event_schema IN (SELECT value FROM json_each(?))', query.eventSchemas);
  add('workflow_id IN (SELECT value FROM json_each(?))', query.workflowIds);
  add('external_id IN (SELECT value FROM json_each(?))', query.externalIds);
  if (query.relatedEventId !== undefined) {
    conditions.push('related_event_id = ?');
    parameters.push(query.relatedEventId);
  }
  for (const { key, operator, values } of query.metadata ?? []) {
    // As JSON.stringify writes it.
    const value = operator === 'eq' && values.length === 1 ? JSON.stringify(values[0]) : '';
    conditions.push('instr(custom_metadata, ?) > 0');
    parameters.push(`${JSON.stringify(key)}:${value}`);
  }
  return { condition: conditions.join(' AND '), parameters };
}
