// Inserts many rows by few statements: a server gets all of them in one round trip.

import type { AsyncDatabase } from './async-database.ts';
import type { Row, SqlValue } from './database.ts';

export interface InsertedRows<T> {
  /** As in `INSERT INTO table (one, other)`. */
  readonly into: string;
  /** Behind the values: what is done in a conflict, and what is given back. */
  readonly ending: string;
  /** Values by the order of the columns. */
  readonly rows: readonly (readonly SqlValue[])[];
  readonly read: (row: Row) => T;
}

/** In the transaction of the caller. What `read` makes of the rows that are given back. */
export async function insertRows<T>(
  database: AsyncDatabase,
  { into, ending, rows, read }: InsertedRows<T>,
): Promise<T[]> {
  const answers: Promise<T[]>[] = [];
  for (let start = 0; start < rows.length; ) {
    const left = rows.length - start;
    const count = statementRows.find((size) => size <= left) ?? 1;
    const part = rows.slice(start, start + count);
    const values = part.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ');
    answers.push(database.all(`INSERT INTO ${into} VALUES ${values} ${ending}`, part.flat(), read));
    start += count;
  }
  return (await Promise.all(answers)).flat();
}

/** Rows of one statement: few sizes, since a connection keeps each of them. */
const statementRows = [100, 20, 5, 1] as const;
