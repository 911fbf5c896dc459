// Rows of a table as both engines give them: in the order of its key, page by page, with the hash
// of all.

import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';
import type { AsyncReader } from './async-database.ts';
import type { Row } from './database.ts';
import type { DescribedColumn } from './described-tables.ts';

/** A table, and what of it is read. */
export interface OrderedTable {
  readonly name: string;
  readonly copied: readonly DescribedColumn[];
  /** Some of these columns; both engines give the rows in their order. */
  readonly key: readonly string[];
}

export type Value = string | number | Uint8Array | undefined;

/** The values of the columns that are copied, in their order. */
export type Values = readonly Value[];

export interface RowRange {
  /** The keys of rows; undefined: there is no bound. */
  readonly after?: Values | undefined;
  readonly upTo?: Values | undefined;
}

/** The rows of a table in the order of its key. Large rows come in small pages. */
export async function* readPages(
  reader: AsyncReader,
  table: OrderedTable,
  { after, upTo }: RowRange = {},
): AsyncGenerator<readonly Values[]> {
  const key = `(${table.key.join(', ')})`;
  const marks = `(${table.key.map(() => '?').join(', ')})`;
  const { copied } = table;
  const names = copied.map(({ name }) => name).join(', ');
  let last = after;
  for (let count: number = limits.moveFirstRows; ; ) {
    const bounds = [last && `${key} > ${marks}`, upTo && `${key} <= ${marks}`];
    const conditions = bounds.flatMap((bound) => bound ?? []).join(' AND ');
    const rows = await reader.all(
      `SELECT ${names} FROM ${table.name} WHERE ${conditions || 'true'}
       ORDER BY ${table.key.join(', ')} LIMIT ${count}`,
      [...(last ?? []), ...(upTo ?? [])],
      (row) => copied.map(({ name, type }) => readers[type](row, name)),
    );
    if (rows.length > 0) yield rows;
    if (rows.length < count) return;
    last = keyOf(table, rows.at(-1) ?? []);
    count = nextCount(count, rows);
  }
}

/** The key of a row. */
function keyOf({ copied, key }: OrderedTable, row: Values): Values {
  return key.map((name) => row[copied.findIndex((column) => column.name === name)]);
}

const readers = {
  TEXT: (row: Row, column: string) => row.optionalText(column),
  INTEGER: (row: Row, column: string) => row.optionalInteger(column),
  REAL: (row: Row, column: string) => row.optionalReal(column),
  BLOB: (row: Row, column: string) => row.optionalBytes(column),
};

function nextCount(count: number, rows: readonly Values[]): number {
  const bytes = rows.reduce((sum, row) => sum + weightOf(row), 0);
  if (bytes > limits.movePageBytes) return Math.max(1, Math.floor(count / 4));
  return bytes < limits.movePageBytes / 2 ? Math.min(count * 2, limits.moveRowsMax) : count;
}

function weightOf(row: Values): number {
  return row.reduce<number>((sum, value) => sum + sizeOf(value), 0);
}

function sizeOf(value: Value): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}

export interface RowDigest {
  readonly rows: number;
  /** SHA-256, as hex digits. */
  readonly hash: string;
}

/** What two engines that hold the same rows say alike. */
export async function digestRows(
  reader: AsyncReader,
  table: OrderedTable,
  range: RowRange = {},
): Promise<RowDigest> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const page of readPages(reader, table, range)) {
    rows += page.length;
    hash.update(`${page.map((row) => JSON.stringify(row.map(asJson))).join('\n')}\n`);
  }
  return { rows, hash: hash.digest('hex') };
}

/** Bytes that are no text are told from text. */
function asJson(value: Value): unknown {
  return value instanceof Uint8Array ? [Buffer.from(value).toString('base64')] : value;
}

/** The key of the last row; undefined: there is no row. */
export async function lastKey(
  reader: AsyncReader,
  table: OrderedTable,
): Promise<Values | undefined> {
  const types = new Map(table.copied.map(({ name, type }) => [name, type]));
  return reader.get(
    `SELECT ${table.key.join(', ')} FROM ${table.name}
     ORDER BY ${table.key.map((name) => `${name} DESC`).join(', ')} LIMIT 1`,
    [],
    (row) => table.key.map((name) => readers[types.get(name) ?? 'TEXT'](row, name)),
  );
}
