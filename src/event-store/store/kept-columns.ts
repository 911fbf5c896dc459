// Columns of windows as queries look through them. A window never changes: so what was taken apart
// once is kept, as long as there is room.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import type { Arrival, MetadataValue } from './store.ts';
import { reservedKeys } from './terms.ts';
import { readPlaces, readSteps, readValues } from './window-columns.ts';

/** The values of one key. */
export interface Column {
  /** Each value that there is, with the code that stands for it. */
  readonly codes: ReadonlyMap<MetadataValue, number>;
  /** The codes of all that have a value, in order. */
  readonly all: Uint16Array;
  /** Their places in the window; undefined: all of its events have a value. */
  readonly places: Uint16Array | undefined;
}

interface KeptWindow {
  readonly columns: Map<number, Column>;
  arrivals: readonly Arrival[] | undefined;
  bytes: number;
}

export class KeptColumns {
  readonly #database: Database;
  /** By their end. */
  readonly #windows = new Map<Arrival, KeptWindow>();
  #bytes = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined: there is no such window any more. A key that it does not have is an empty one. */
  column(until: Arrival, key: number): Column | undefined {
    const kept = this.#windows.get(until)?.columns.get(key);
    if (kept) return kept;
    const read = this.#database.get(
      'SELECT places, "values" FROM window_columns WHERE until = ? AND key = ?',
      [until, key],
      (row) => columnOf(readPlaces(row.optionalText('places')), readValues(row.text('values'))),
    );
    // Looked for last, because a window goes all at once.
    const column = read ?? (this.#isThere(until) ? noColumn : undefined);
    if (column) this.#keep(until, bytesOf(column)).columns.set(key, column);
    return column;
  }

  /** Of all its events. Undefined: there is no such window any more. */
  arrivals(until: Arrival): readonly Arrival[] | undefined {
    const kept = this.#windows.get(until)?.arrivals;
    if (kept) return kept;
    const arrivals = this.#database.get(
      'SELECT "values" FROM window_columns WHERE until = ? AND key = ?',
      [until, reservedKeys.arrival],
      (row) => readSteps(row.text('values')),
    );
    if (arrivals) this.#keep(until, arrivals.length * numberBytes).arrivals = arrivals;
    return arrivals;
  }

  #isThere(until: Arrival): boolean {
    const sql = 'SELECT 1 AS found FROM windows WHERE until = ?';
    return this.#database.get(sql, [until], () => true) ?? false;
  }

  #keep(until: Arrival, bytes: number): KeptWindow {
    const window = this.#windows.get(until) ?? {
      columns: new Map<number, Column>(),
      arrivals: undefined,
      bytes: 0,
    };
    this.#windows.set(until, window);
    window.bytes += bytes;
    this.#bytes += bytes;
    for (const [other, { bytes: freed }] of this.#windows) {
      if (this.#bytes <= limits.keptColumnBytesMax) break;
      if (other === until) continue;
      this.#windows.delete(other);
      this.#bytes -= freed;
    }
    return window;
  }
}

/** What is kept of an open database. */
export function keptColumns(database: Database): KeptColumns {
  const known = all.get(database);
  if (known) return known;
  const kept = new KeptColumns(database);
  all.set(database, kept);
  return kept;
}

const all = new WeakMap<Database, KeptColumns>();

function columnOf(places: readonly number[] | undefined, values: readonly MetadataValue[]): Column {
  const codes = new Map<MetadataValue, number>();
  const coded = new Uint16Array(values.length);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? '';
    let code = codes.get(value);
    if (code === undefined) {
      code = codes.size;
      codes.set(value, code);
    }
    coded[index] = code;
  }
  return { codes, all: coded, places: places && Uint16Array.from(places) };
}

const noColumn: Column = { codes: new Map(), all: new Uint16Array(), places: new Uint16Array() };

/** About. */
function bytesOf({ codes, all, places }: Column): number {
  let bytes = columnBytes + all.byteLength + (places?.byteLength ?? 0);
  for (const value of codes.keys()) {
    bytes += entryBytes + (typeof value === 'string' ? value.length * 2 : numberBytes);
  }
  return bytes;
}

const columnBytes = 400;
const entryBytes = 64;
const numberBytes = 16;
