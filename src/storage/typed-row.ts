// One row of an answer, read column by column with checks, so that rows need no casts.

import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import { FoveaError } from '../errors.ts';

/** Makes a row of what SQLite gave: a list, although its type says an object. */
export function readRow(values: unknown, columns: Columns): CheckedRow {
  if (!isList(values)) throw new FoveaError('internal', 'A row of the database is no list.');
  return new CheckedRow(values, columns);
}

function isList(values: unknown): values is readonly SQLOutputValue[] {
  return Array.isArray(values);
}

/** The columns of an answer. */
export interface Columns {
  /** The position of a column in a row of so many values; undefined if there is no such column. */
  placeOf(column: string, count: number): number | undefined;
  /** Names it for an error, as `table.column` where that is known. */
  nameOf(column: string): string;
}

/** Those of a statement of SQLite. */
export class StatementColumns implements Columns {
  readonly #statement: StatementSync;
  #places: ReadonlyMap<string, number> | undefined;
  #count = 0;

  constructor(statement: StatementSync) {
    this.#statement = statement;
  }

  placeOf(column: string, count: number): number | undefined {
    // SQLite prepares a statement anew, with other columns, when another process changes a table.
    if (this.#places === undefined || count !== this.#count) {
      this.#places = new Map(this.#statement.columns().map(({ name }, place) => [name, place]));
      this.#count = count;
    }
    return this.#places.get(column);
  }

  nameOf(column: string): string {
    const table = this.#statement.columns().find(({ name }) => name === column)?.table;
    return table ? `${table}.${column}` : column;
  }
}

class CheckedRow {
  readonly #values: readonly SQLOutputValue[];
  readonly #columns: Columns;

  constructor(values: readonly SQLOutputValue[], columns: Columns) {
    this.#values = values;
    this.#columns = columns;
  }

  text(column: string): string {
    return this.optionalText(column) ?? this.#refuse(column, 'NULL, where text belongs');
  }

  optionalText(column: string): string | undefined {
    const value = this.#value(column);
    if (value === null || typeof value === 'string') return value ?? undefined;
    return this.#refuse(column, 'something other than text');
  }

  integer(column: string): number {
    const value = this.optionalInteger(column);
    return value ?? this.#refuse(column, 'NULL, where a whole number belongs');
  }

  optionalInteger(column: string): number | undefined {
    const value = this.optionalReal(column);
    if (value === undefined || Number.isSafeInteger(value)) return value;
    return this.#refuse(column, 'something other than a whole number');
  }

  real(column: string): number {
    return this.optionalReal(column) ?? this.#refuse(column, 'NULL, where a number belongs');
  }

  optionalReal(column: string): number | undefined {
    const value = this.#value(column);
    if (value === null || typeof value === 'number') return value ?? undefined;
    return this.#refuse(column, 'something other than a number');
  }

  boolean(column: string): boolean {
    const value = this.integer(column);
    if (value === 0 || value === 1) return value === 1;
    return this.#refuse(column, 'something other than 0 or 1');
  }

  bytes(column: string): Uint8Array {
    return this.optionalBytes(column) ?? this.#refuse(column, 'NULL, where bytes belong');
  }

  optionalBytes(column: string): Uint8Array | undefined {
    const value = this.#value(column);
    if (value === null || value instanceof Uint8Array) return value ?? undefined;
    return this.#refuse(column, 'something other than bytes');
  }

  json(column: string): unknown {
    return this.#parse(column, this.text(column));
  }

  optionalJson(column: string): unknown {
    const text = this.optionalText(column);
    return text === undefined ? undefined : this.#parse(column, text);
  }

  #parse(column: string, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // The parser's message quotes the stored text, which others wrote.
      return this.#refuse(column, 'text that is not JSON');
    }
  }

  #value(column: string): SQLOutputValue {
    const place = this.#columns.placeOf(column, this.#values.length);
    const value = place === undefined ? undefined : this.#values[place];
    return value === undefined ? this.#refuse(column, 'no such column') : value;
  }

  #refuse(column: string, found: string): never {
    throw new FoveaError(
      'internal',
      `The database holds ${found}: ${this.#columns.nameOf(column)}.`,
    );
  }
}
