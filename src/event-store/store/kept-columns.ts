// Columns of windows as queries look through them. A window never changes: so what was taken apart
// once is kept, as long as there is room.

import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';
import { keptWith } from './kept-with.ts';
import type { Arrival, MetadataValue } from './store.ts';
import { reservedKeys } from './terms.ts';
import { readCoded, readPlaces, readSteps } from './window-columns.ts';

/** The values of one key. */
export interface Column {
  readonly values: readonly MetadataValue[];
  /** Where most values come again: which one it is, of all that have one; undefined: in order. */
  readonly codes: Uint16Array | undefined;
  /** Which events of the window have a value; undefined: all. */
  readonly places: Uint16Array | undefined;
}

interface KeptWindow {
  readonly columns: Map<number, Column>;
  arrivals: readonly Arrival[] | undefined;
  bytes: number;
}

class KeptColumns {
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
      (row) => columnOf(row.optionalText('places'), row.text('values')),
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
    if (arrivals) this.#keep(until, arrivals.length * valueBytes).arrivals = arrivals;
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

/** Of an open database. */
export const keptColumns = keptWith((database) => new KeptColumns(database));

function columnOf(places: string | undefined, text: string): Column {
  const { values, codes } = readCoded(text);
  const placed = readPlaces(places);
  return {
    values,
    codes: codes && Uint16Array.from(codes),
    places: placed && Uint16Array.from(placed),
  };
}

const noColumn: Column = { values: [], codes: undefined, places: undefined };

/** About: a number, or a text that is not long. */
function bytesOf({ values, codes, places }: Column): number {
  const [first = ''] = values;
  const text = typeof first === 'string' ? first.length * 2 : 0;
  return (
    columnBytes +
    values.length * (valueBytes + text) +
    2 * ((codes?.length ?? 0) + (places?.length ?? 0))
  );
}

const columnBytes = 400;
const valueBytes = 24;
