// Which runs of the table `terms` a condition of a filter stands for.

import type { Database } from '../../storage/database.ts';
import type { Run } from './runs.ts';
import type { MetadataOperator, MetadataValue } from './store.ts';
import { hasFewValues, isWhole, storedValue, surelyStored, type TermValue } from './terms.ts';

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
  readonly isOneValue?: boolean;
}

/** About how many events meet a condition in one bucket; `most` and more are not counted. */
export function eventsIn(
  database: Database,
  bucket: number,
  condition: TermCondition,
  most: number,
): number {
  let sum = 0;
  for (const { sql, parameters } of rangesOf(condition)) {
    const rows = `SELECT events FROM terms WHERE key = ? AND bucket = ? AND ${sql} LIMIT ${most}`;
    const count = `SELECT coalesce(sum(events), 0) AS events FROM (${rows})`;
    const values = [condition.key, bucket, ...parameters];
    sum += database.get(count, values, (row) => row.integer('events')) ?? 0;
  }
  return Math.min(sum, most);
}

/** The runs of those of the buckets, in their order, in which the condition has events. */
export function runsInThose(
  database: Database,
  buckets: readonly number[],
  condition: TermCondition,
): readonly (readonly Run[])[] {
  const found = rangesOf(condition).map((range) => ({
    range,
    known: bucketsWith(database, buckets, condition.key, range),
  }));
  const runs = buckets.map((bucket) => {
    const ranges = found.filter(({ known }) => known.has(bucket)).map(({ range }) => range);
    return ranges.flatMap((range) => runsOf(condition.key, bucket, range));
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

/** Of several values, lists reach over other rows: so they are read apart. */
function runsOf(key: number, bucket: number, range: Range): Run[] {
  const parameters = [key, bucket, ...range.parameters];
  const where = `WHERE key = ? AND bucket = ? AND ${range.sql}`;
  if (range.isOneValue) return [{ sql: `FROM terms ${where}`, parameters, lists: 'of one value' }];
  return [
    { sql: `FROM terms ${where} AND arrivals IS NULL`, parameters },
    {
      sql: `FROM terms INDEXED BY terms_lists ${where} AND arrivals IS NOT NULL`,
      parameters,
      lists: 'of many values',
    },
  ];
}

/** Of a key with few values each is a long run, so it is read in its order and not sorted. */
function rangesOf({ key, operator, values }: TermCondition): Range[] {
  if (operator === 'eq' && values.length > 1 && !hasFewValues(key)) {
    const marks = values.map(() => '?').join(', ');
    return [{ sql: `value IN (${marks})`, parameters: values.map(storedValue) }];
  }
  if (operator === 'eq') {
    return values.map((value) => ({
      sql: 'value = ?',
      parameters: [storedValue(value)],
      isOneValue: true,
    }));
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
  const isAbove = operator === 'gt' || operator === 'gte';
  if (typeof value === 'string') {
    const start = surelyStored(value);
    const last = isWhole(value) ? start : `${start}${lastCharacter}`;
    return isAbove
      ? { sql: 'value >= ? AND value < ?', parameters: [start, noBytes] }
      : { sql: 'value <= ? AND value >= ?', parameters: [last, ''] };
  }
  return isAbove
    ? { sql: `value ${operator === 'gt' ? '>' : '>='} ? AND value < ?`, parameters: [value, ''] }
    : { sql: `value ${operator === 'lt' ? '<' : '<='} ?`, parameters: [value] };
}

/** Of Unicode. */
const lastCharacter = '\u{10ffff}';

/** Sorts behind all text, as '' does behind all numbers. */
const noBytes = new Uint8Array();
