// Figures that are kept beside the events: read when a transaction begins, written when it ends.

import type { Database } from '../../storage/database.ts';
import type { Arrival, FileKind, UploadState } from './store.ts';

const columns = [
  'last_arrival',
  'last_number',
  'last_line',
  'ledger_bytes',
  'other_kinds',
  'draft',
  'waiting',
  'uploaded',
  'refused',
  'held',
  'image',
  'video',
  'local_only',
  'waiting_disk_bytes',
  'file_disk_bytes',
] as const;

type Column =
  | UploadState
  | FileKind
  | ('last_arrival' | 'last_number' | 'last_line' | 'ledger_bytes')
  | ('other_kinds' | 'held')
  | ('waiting_disk_bytes' | 'file_disk_bytes');

/** The row of totals within one transaction. */
export class Totals {
  readonly #database: Database;
  readonly #values: Map<string, number>;

  constructor(database: Database) {
    this.#database = database;
    this.#values =
      database.get(
        'SELECT * FROM totals',
        [],
        (row) => new Map(columns.map((column) => [column, row.integer(column)])),
      ) ?? new Map();
  }

  get(column: Column): number {
    return this.#values.get(column) ?? 0;
  }

  add(column: Column, change: number): number {
    const value = this.get(column) + change;
    this.#values.set(column, value);
    return value;
  }

  /** An event comes into a state; its files take so many bytes on the disk. */
  enter(upload: UploadState, diskBytes: number): void {
    this.add(upload, 1);
    if (upload === 'waiting') this.add('waiting_disk_bytes', diskBytes);
  }

  leave(upload: UploadState, diskBytes: number): void {
    this.add(upload, -1);
    if (upload === 'waiting') this.add('waiting_disk_bytes', -diskBytes);
  }

  /** The next arrival: the time, or later when that was given away already. */
  nextArrival(now: Arrival): Arrival {
    return this.add('last_arrival', Math.max(1, now - this.get('last_arrival')));
  }

  finish(): void {
    const assignments = columns.map((column) => `${column} = ?`).join(', ');
    this.#database.run(
      `UPDATE totals SET ${assignments}`,
      columns.map((column) => this.#values.get(column)),
    );
  }
}
