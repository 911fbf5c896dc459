// Which runs of the table `terms` a condition of a filter stands for.

import type { Database } from '../../storage/database.ts';
import type { Run } from './runs.ts';
import type { MetadataOperator, MetadataValue } from './store.ts';
import { bucketAround, hasFewValues, isWhole, storedValue, type TermValue } from './terms.ts';

/** A condition on one key of the table. */
export interface TermCondition {
  readonly key: number;
  readonly operator: MetadataOperator;
  readonly values: readonly MetadataValue[];
}

/** What must hold of the stored values: SQL about `value`, with its parameters. */
interface Range {
  readonly sql: string;
  readonly parameters: readonly TermValue[];
}

/** The runs of a condition in one bucket. */
export function runsIn(bucket: number, condition: TermCondition): Run[] {
  return runsOf(rangesOf(condition), bucket, condition, []);
}

/**
 * Those of the buckets, in their order, in which the condition has events: only of events that meet
 * `others` too, where it can be.
 */
export function runsInThose(
  database: Database,
  buckets: readonly number[],
  condition: TermCondition,
  others: readonly TermCondition[],
): readonly (readonly Run[])[] {
  const found = rangesOf(condition).map((range) => ({
    range,
    known: bucketsWith(database, buckets, condition.key, range),
  }));
  const runs = buckets.map((bucket) => {
    const ranges = found.filter(({ known }) => known.has(bucket)).map(({ range }) => range);
    return runsOf(ranges, bucket, condition, others);
  });
  return runs.filter(({ length }) => length > 0);
}

/** Asked for all of them at once: a statement for each takes some ten times as long. */
function bucketsWith(
  database: Database,
  buckets: readonly number[],
  key: number,
  { sql, parameters }: Range,
): ReadonlySet<number> {
  const found = database.all(
    `SELECT chosen.value AS bucket FROM json_each(?) AS chosen WHERE EXISTS
       (SELECT 1 FROM terms WHERE key = ? AND bucket = chosen.value AND ${sql})`,
    [JSON.stringify(buckets), key, ...parameters],
    (row) => row.integer('bucket'),
  );
  return new Set(found);
}

function runsOf(
  ranges: readonly Range[],
  bucket: number,
  condition: TermCondition,
  others: readonly TermCondition[],
): Run[] {
  if (ranges.length === 0) return [];
  const also = others.flatMap((other) => exists(condition, bucket, other));
  return ranges.map(({ sql, parameters }) => ({
    sql: ['FROM terms WHERE key = ? AND bucket = ?', sql, ...also.map((o) => o.sql)].join(' AND '),
    parameters: [condition.key, bucket, ...parameters, ...also.flatMap((o) => o.parameters)],
  }));
}

/** A seek for each event: few values, in a bucket that is known. Otherwise nothing. */
function exists(condition: TermCondition, bucket: number, other: TermCondition): readonly Run[] {
  const around = bucketAround(bucket, condition.key, other.key);
  const canSeek = other.operator === 'eq' && other.values.length <= 4 && around !== undefined;
  if (other === condition || !canSeek) return [];
  const marks = other.values.map(() => '?').join(', ');
  return [
    {
      sql: `EXISTS (SELECT 1 FROM terms AS other WHERE other.key = ? AND other.bucket = ?
        AND other.value IN (${marks}) AND other.arrival = terms.arrival)`,
      parameters: [other.key, around, ...other.values.map(storedValue)],
    },
  ];
}

/** Of a key with few values each is a long run, so it is read in its order and not sorted. */
function rangesOf({ key, operator, values }: TermCondition): Range[] {
  if (operator === 'eq' && !hasFewValues(key)) {
    const marks = values.map(() => '?').join(', ');
    return [{ sql: `value IN (${marks})`, parameters: values.map(storedValue) }];
  }
  if (operator === 'eq') {
    return values.map((value) => ({ sql: 'value = ?', parameters: [storedValue(value)] }));
  }
  if (operator === 'ne') return rangesBeside(values.filter(isWhole).map(storedValue));
  return values.flatMap((value) => rangeOf(operator, value) ?? []);
}

/** Everything but these values: what lies before, between and behind them. */
function rangesBeside(values: readonly TermValue[]): Range[] {
  const edges = [...values].sort(inOrderOfSqlite);
  const [first] = edges;
  if (first === undefined) return [{ sql: 'true', parameters: [] }];
  return [
    { sql: 'value < ?', parameters: [first] },
    ...edges.map((edge, place): Range => {
      const next = edges[place + 1];
      return next === undefined
        ? { sql: 'value > ?', parameters: [edge] }
        : { sql: 'value > ? AND value < ?', parameters: [edge, next] };
    }),
  ];
}

/** Numbers before text before blobs. */
function inOrderOfSqlite(first: TermValue, second: TermValue): number {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  return rankOf(first) - rankOf(second) || Buffer.compare(bytesOf(first), bytesOf(second));
}

function rankOf(value: TermValue): number {
  if (typeof value === 'number') return 0;
  return typeof value === 'string' ? 1 : 2;
}

function bytesOf(value: TermValue): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(String(value));
}

/** Of the values of one type; text is stored by its start, so what starts alike is looked at. */
function rangeOf(
  operator: Exclude<MetadataOperator, 'eq' | 'ne'>,
  value: MetadataValue,
): Range | undefined {
  if (typeof value === 'boolean') return undefined;
  const isText = typeof value === 'string';
  const stored = storedValue(value);
  if (operator === 'gt' || operator === 'gte') {
    const sign = operator === 'gt' && !isText ? '>' : '>=';
    return { sql: `value ${sign} ? AND value < ?`, parameters: [stored, isText ? noBytes : ''] };
  }
  const sign = operator === 'lt' && !isText ? '<' : '<=';
  return isText
    ? { sql: `value ${sign} ? AND value >= ?`, parameters: [stored, ''] }
    : { sql: `value ${sign} ?`, parameters: [stored] };
}

/** Sorts behind all text, as '' does behind all numbers. */
const noBytes = new Uint8Array();
