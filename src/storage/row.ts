// One row of an answer, read column by column with checks, so that rows need no casts.

import type { SQLOutputValue } from 'node:sqlite';
import { FoveaError } from '../errors.ts';
import type { Row } from './database.ts';

/** Makes a row of the values that SQLite gave; `place` names a column for an error. */
export function readRow(
  values: Readonly<Record<string, SQLOutputValue>>,
  place: (column: string) => string,
): Row {
  return new CheckedRow(values, place);
}

class CheckedRow implements Row {
  readonly #values: Readonly<Record<string, SQLOutputValue>>;
  readonly #place: (column: string) => string;

  constructor(values: Readonly<Record<string, SQLOutputValue>>, place: (column: string) => string) {
    this.#values = values;
    this.#place = place;
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
    const value = this.#value(column);
    return value instanceof Uint8Array ? value : this.#refuse(column, 'something other than bytes');
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
    const value = this.#values[column];
    return value === undefined ? this.#refuse(column, 'no such column') : value;
  }

  #refuse(column: string, found: string): never {
    throw new FoveaError('internal', `The database holds ${found}: ${this.#place(column)}.`);
  }
}
