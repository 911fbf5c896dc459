// Chooses where the events of a page are looked for: where the fewest have to be looked at.

import type { Database } from '../../storage/database.ts';
import { roughRun } from './rough-run.ts';
import { type Bounds, eventsAmong, mergedRuns, type Run } from './runs.ts';
import { stateRuns } from './states.ts';
import type { Arrival, EventFilter, EventQuery } from './store.ts';
import { findTermKey } from './term-keys.ts';
import { eventsIn, runsInThose, type TermCondition } from './term-runs.ts';
import { bucketsBetween, hasFewValues, reservedKeys } from './terms.ts';

/** Indexed events between two arrivals, and the numbers of the first and the last of them. */
export interface Part extends Bounds {
  readonly firstNumber: number;
  readonly lastNumber: number;
  /** Of all events, in this part or not. */
  readonly records: number;
}

/** All in one statement, since it is a part of every page. */
export function partWithin(database: Database, { from, until }: Bounds): Part | undefined {
  const numberAt = (order: string) =>
    `(SELECT number FROM events WHERE arrival BETWEEN ? AND ? ORDER BY arrival ${order} LIMIT 1)`;
  return database.get(
    `SELECT ${numberAt('ASC')} AS first, ${numberAt('DESC')} AS last,
       draft + waiting + uploaded + refused AS records FROM totals`,
    [from, until, from, until],
    (row) => {
      const firstNumber = row.optionalInteger('first');
      const lastNumber = row.optionalInteger('last');
      if (firstNumber === undefined || lastNumber === undefined) return undefined;
      return { from, until, firstNumber, lastNumber, records: row.integer('records') };
    },
  );
}

/** A way to all events that may match. */
interface Way {
  /** About how many steps it takes to see all of them. */
  readonly cost: number;
  arrivals(): Generator<readonly Arrival[]>;
}

/** What the ways of one query have in common. */
interface Search {
  readonly database: Database;
  readonly query: EventQuery;
  readonly part: Part;
  /** Of all events, which are in the part: 1 is all of them. */
  readonly share: number;
}

/**
 * The arrivals of events of that part that may match, in the order of the query, batch after batch;
 * a batch may be empty. What comes is to be held against the filter.
 */
export function candidates(
  database: Database,
  query: EventQuery,
  conditions: readonly TermCondition[],
  part: Part,
): Generator<readonly Arrival[]> {
  const search = { database, query, part, share: shareOf(part) };
  const ways = [
    wayThroughTime(search),
    ...wayThroughKinds(search, conditions),
    ...conditions.map((condition) => wayThroughTerms(search, condition, conditions)),
  ];
  return ways.reduce((least, way) => (way.cost < least.cost ? way : least)).arrivals();
}

function shareOf({ firstNumber, lastNumber, records }: Part): number {
  return Math.min(1, (lastNumber - firstNumber + 1) / Math.max(1, records));
}

/** All events of the part. */
function wayThroughTime(search: Search): Way {
  const { firstNumber, lastNumber } = search.part;
  const runs = runsThroughTime(search.query);
  return { cost: lastNumber - firstNumber + 1, arrivals: () => merged(search, runs) };
}

/** All events that may match, whatever stands in the index. */
export function runsThroughTime(query: EventQuery): readonly Run[] {
  return query.includeDrafts === false ? finalizedRuns : [roughRun(query)];
}

const finalizedRuns = stateRuns(['waiting', 'uploaded', 'refused']);

/** Where more than one of device, schema and workflow is asked for: what has all of them. */
function wayThroughKinds(search: Search, all: readonly TermCondition[]): Way[] {
  const { deviceIds, eventSchemas, workflowIds } = search.query;
  const given = [deviceIds, eventSchemas, workflowIds].filter((values) => values !== undefined);
  if (given.length < 2) return [];
  const kinds = search.database.all(
    `SELECT id, events FROM kinds
     WHERE (:devices IS NULL OR device_id IN (SELECT value FROM json_each(:devices)))
       AND (:schemas IS NULL OR event_schema IN (SELECT value FROM json_each(:schemas)))
       AND (:workflows IS NULL OR workflow_id IN (SELECT value FROM json_each(:workflows)))
     LIMIT :most`,
    {
      devices: jsonList(deviceIds),
      schemas: jsonList(eventSchemas),
      workflows: jsonList(workflowIds),
      most: kindsMax + 1,
    },
    (row) => ({ id: row.integer('id'), events: row.integer('events') }),
  );
  if (kinds.length > kindsMax) return [];
  const values = kinds.map(({ id }) => id);
  const condition: TermCondition = { key: reservedKeys.kind, operator: 'eq', values };
  const events = kinds.reduce((sum, kind) => sum + kind.events, 0);
  return [wayThroughFew(search, condition, events, all.length === given.length)];
}

/** More runs than that take longer to begin than a page may take. */
const kindsMax = 256;

function jsonList(values: readonly string[] | undefined): string | undefined {
  return values && JSON.stringify(values);
}

function wayThroughTerms(
  search: Search,
  condition: TermCondition,
  all: readonly TermCondition[],
): Way {
  const isAlone = all.length === 1;
  if (hasFewValues(condition.key)) {
    return wayThroughFew(search, condition, eventsOf(search, condition), isAlone);
  }
  const { part } = search;
  const buckets = bucketsOf(search, condition.key);
  const costMax = buckets.length * (1 + hitsMax);
  // Where there is no other condition, it is enough to know that it takes fewer steps than all.
  const isChosen = isAlone && costMax < part.lastNumber - part.firstNumber;
  return {
    cost: isChosen ? costMax : buckets.length * (1 + hitsPerBucket(search, condition, buckets)),
    arrivals: () => arrivalsIn(search, buckets, condition, isAlone),
  };
}

/** Through a key with few values, which so many events have; `isAlone`: nothing else is asked. */
function wayThroughFew(
  search: Search,
  condition: TermCondition,
  events: number,
  isAlone: boolean,
): Way {
  const buckets = bucketsOf(search, condition.key);
  return {
    cost: buckets.length * condition.values.length + events * search.share,
    arrivals: () => arrivalsIn(search, buckets, condition, isAlone),
  };
}

/** Those that have events of the part, in the order of the query. */
function bucketsOf({ query, part }: Search, key: number): readonly number[] {
  if (key === unknownKey) return [];
  const buckets = bucketsBetween(key, part.firstNumber, part.lastNumber);
  return query.order === 'newest_first' ? buckets.reverse() : buckets;
}

function* arrivalsIn(
  search: Search,
  buckets: readonly number[],
  condition: TermCondition,
  isAlone: boolean,
): Generator<readonly Arrival[]> {
  const rough = roughRun(search.query);
  for (const some of inGrowingParts(buckets)) {
    for (const runs of runsInThose(search.database, some, condition)) {
      for (const arrivals of merged(search, runs)) {
        // In the event SQLite sees what cannot match: JSON is read of few.
        yield isAlone ? arrivals : eventsAmong(search.database, arrivals, rough);
      }
    }
  }
}

/** Few at first, since most pages are full soon; then many with one statement. */
function* inGrowingParts(buckets: readonly number[]): Generator<readonly number[]> {
  let start = 0;
  for (let size = 1; start < buckets.length; size = Math.min(size * 4, bucketsAtOnceMax)) {
    yield buckets.slice(start, start + size);
    start += size;
  }
}

/** Some hundred microseconds. */
const bucketsAtOnceMax = 256;

/** Learnt from the first, the middle and the last one. */
function hitsPerBucket(
  { database }: Search,
  condition: TermCondition,
  buckets: readonly number[],
): number {
  const sample = new Set([buckets[0], buckets[buckets.length >> 1], buckets.at(-1)]);
  let hits = 0;
  for (const bucket of sample) {
    hits += eventsIn(database, bucket ?? 0, condition, hitsMax);
  }
  return Math.min(hits / sample.size, hitsMax);
}

/** More are not counted: some ten microseconds. */
const hitsMax = 1_000;

/** How many indexed events have one of the values: of device, schema or workflow. */
function eventsOf({ database }: Search, { key, values }: TermCondition): number {
  const column =
    key === reservedKeys.device
      ? 'device_id'
      : key === reservedKeys.schema
        ? 'event_schema'
        : 'workflow_id';
  const sql = `SELECT coalesce(sum(events), 0) AS events FROM kinds
    WHERE ${column} IN (SELECT value FROM json_each(?))`;
  return database.get(sql, [JSON.stringify(values)], (row) => row.integer('events')) ?? 0;
}

function merged({ database, query, part }: Search, runs: readonly Run[]) {
  const atOnce = Math.max(16, Math.ceil((2 * (query.limit + 1)) / runs.length));
  const { from, until } = part;
  return mergedRuns(
    database,
    runs,
    { from, until },
    query.order,
    Math.min(atOnce, query.limit + 1),
  );
}

/** A key of custom_metadata that no indexed event has is one that nothing is found under. */
const unknownKey = 0;

/** Whether a filter looks for anything under a key of the index. */
export function hasConditions(query: EventFilter): boolean {
  const { deviceIds, eventSchemas, workflowIds, externalIds, relatedEventId, metadata } = query;
  const one = deviceIds ?? eventSchemas ?? workflowIds ?? externalIds ?? relatedEventId;
  return one !== undefined || (metadata !== undefined && metadata.length > 0);
}

/** The conditions of a filter on keys of the index. */
export function conditionsOf(database: Database, query: EventFilter): TermCondition[] {
  const { deviceIds, eventSchemas, workflowIds, externalIds, relatedEventId } = query;
  const conditions: TermCondition[] = [];
  const add = (key: number, values: readonly string[] | undefined) => {
    if (values === undefined) return;
    conditions.push({ key, operator: 'eq', values: [...new Set(values)] });
  };
  add(reservedKeys.device, deviceIds);
  add(reservedKeys.schema, eventSchemas);
  add(reservedKeys.workflow, workflowIds);
  add(reservedKeys.externalId, externalIds);
  add(reservedKeys.relatedEventId, relatedEventId === undefined ? undefined : [relatedEventId]);
  for (const { key: name, operator, values } of query.metadata ?? []) {
    conditions.push({ key: findTermKey(database, name) ?? unknownKey, operator, values });
  }
  return conditions;
}
