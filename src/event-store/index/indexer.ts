// Puts events into the index, behind the writes that stored them, and takes out what is gone.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Database, Reader, Row } from '../../storage/database.ts';
import type { Arrival } from '../store/store.ts';
import { charactersOf, filteredColumns, readFiltered, readInside } from '../store/stored-event.ts';
import {
  beginProgress,
  clearWay,
  fileIdOf,
  openIndexFile,
  type Part,
  type Progress,
  readParts,
  readProgress,
  removeIndexFile,
  tableOf,
} from './index-file.ts';
import { Tokens } from './tokens.ts';

/** An event on its way into the index. */
interface Entry {
  readonly arrival: Arrival;
  readonly number: number;
  readonly tokens: string;
}

interface OpenIndex {
  readonly database: Database;
  readonly fileId: number | undefined;
  /** Parts of which nothing is left to merge. */
  readonly merged: Set<number>;
}

/** Only one of a data folder is at work: that of the leader. */
export class Indexer {
  readonly #events: Reader;
  readonly #path: string;
  #open: OpenIndex | undefined;
  #tokens: { readonly salt: number; readonly of: Tokens } | undefined;

  /** `events`: the database of the events. */
  constructor(events: Reader, path: string) {
    this.#events = events;
    this.#path = path;
  }

  /**
   * Puts some of the events in that are behind; says how many. Whatever fails in the index, it is
   * thrown away, and made anew by later steps. Throws `full` and `internal`.
   */
  step(): number {
    const { storeId, lastArrival } = this.#store();
    const { database, progress } = this.#orAnew(() => {
      const opened = this.#opened(storeId, lastArrival);
      const found = readProgress(opened, storeId);
      if (found === undefined) throw new FoveaError('internal', 'The index has no progress.');
      return { database: opened, progress: found };
    });
    const entries = this.#read(progress);
    this.#orAnew(() => {
      if (entries.length > 0) write(database, entries);
      this.#dropParts(database);
    });
    return entries.length;
  }

  /**
   * Merges some of what FTS5 wrote of a finished table, into one segment in the end: each token is
   * looked up in every segment. False: there is no more to merge. Fails as `step` does.
   */
  mergeSome(): boolean {
    const open = this.#open;
    if (open === undefined) return false;
    return this.#orAnew(() => {
      // The last one is being filled.
      for (const { part } of readParts(open.database).slice(0, -1)) {
        if (open.merged.has(part)) continue;
        if (mergeSome(open.database, tableOf(part))) return true;
        open.merged.add(part);
      }
      return false;
    });
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #store(): { readonly storeId: string; readonly lastArrival: Arrival } {
    const found = this.#events.get('SELECT store_id, last_arrival FROM totals', [], (row) => ({
      storeId: row.text('store_id'),
      lastArrival: row.integer('last_arrival'),
    }));
    if (found === undefined) throw new FoveaError('internal', 'The database has no totals.');
    return found;
  }

  /** What was opened is used until its file is another one, or gone. */
  #opened(storeId: string, lastArrival: Arrival): Database {
    if (this.#open && this.#open.fileId === fileIdOf(this.#path)) return this.#open.database;
    this.close();
    const database = openUsable(this.#path, storeId, lastArrival);
    this.#open = { database, fileId: fileIdOf(this.#path), merged: new Set() };
    return database;
  }

  /** The next events, bounded in their text too. */
  #read({ salt, arrival }: Progress): Entry[] {
    if (this.#tokens?.salt !== salt) this.#tokens = { salt, of: new Tokens(salt) };
    const tokens = this.#tokens.of;
    const entries: Entry[] = [];
    let characters = 0;
    this.#events.each(eventsAfter, [arrival, limits.indexedAtOnceMax], (row) => {
      characters += charactersOf(row);
      entries.push(entryOf(row, tokens));
      return characters < limits.indexedCharactersAtOnceMax;
    });
    return entries;
  }

  /** Those of which all events are gone: to take out one by one costs more than to put in. */
  #dropParts(database: Database): void {
    const parts = readParts(database);
    // The last one is being filled.
    for (const { part, since, until } of parts.slice(0, -1)) {
      if (this.#hasEvents(since, until)) continue;
      database.transaction(() => {
        database.run(`DROP TABLE ${tableOf(part)}`);
        database.run('DELETE FROM parts WHERE part = ?', [part]);
      });
    }
  }

  #hasEvents(since: Arrival, until: Arrival): boolean {
    const sql = 'SELECT 1 FROM events WHERE arrival BETWEEN ? AND ? LIMIT 1';
    return this.#events.get(sql, [since, until], () => true) ?? false;
  }

  #orAnew<T>(work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      this.#throwAway();
      throw thrown;
    }
  }

  #throwAway(): void {
    try {
      this.close();
    } finally {
      removeIndexFile(this.#path);
    }
  }
}

/** Of an event that cannot be read no query finds anything either. */
function entryOf(row: Row, tokens: Tokens): Entry {
  const [arrival, number] = [row.integer('arrival'), row.integer('number')];
  try {
    return { arrival, number, tokens: tokens.of({ ...readFiltered(row), ...readInside(row) }) };
  } catch {
    return { arrival, number, tokens: '' };
  }
}

const eventsAfter = `SELECT ${filteredColumns}, number, body FROM events
  WHERE arrival > ? ORDER BY arrival LIMIT ?`;

/** The file as it is, or a new one in its place where it is of no use for this store. */
function openUsable(path: string, storeId: string, lastArrival: Arrival): Database {
  clearWay(path);
  try {
    const database = openIndexFile(path);
    const progress = readProgress(database, storeId);
    // Beyond the last event it is of a later state of the store than this one.
    if (progress && progress.arrival <= lastArrival) return database;
    database.close();
  } catch {
    // It is damaged, of another Fovea, or no file.
  }
  removeIndexFile(path);
  const database = openIndexFile(path);
  beginProgress(database, storeId);
  return database;
}

function write(database: Database, entries: readonly Entry[]): void {
  database.transaction(() => {
    const parts = readParts(database);
    let current = parts.at(-1);
    for (const { arrival, number, tokens } of entries) {
      const part = Math.floor(number / limits.indexPartEvents);
      if (part !== current?.part) {
        if (current) setEnd(database, current);
        current = beginPart(database, part, arrival);
      }
      current = { ...current, until: arrival };
      const sql = `INSERT INTO ${tableOf(part)} (rowid, tokens) VALUES (?, ?)`;
      database.run(sql, [arrival, tokens]);
    }
    if (current) setEnd(database, current);
    const last = entries.at(-1);
    const sql = 'UPDATE progress SET arrival = ?, number = ?';
    database.run(sql, [last?.arrival, last?.number]);
  });
}

/** `content`, `detail`, `columnsize`: nothing is kept but which rows have a token. */
function beginPart(database: Database, part: number, since: Arrival): Part {
  const table = tableOf(part);
  database.run(`CREATE VIRTUAL TABLE ${table} USING fts5 (
    tokens, content = '', detail = none, columnsize = 0, tokenize = 'ascii')`);
  database.run(
    `INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ${limits.indexHashBytes})`,
  );
  database.run('INSERT INTO parts (part, since, until) VALUES (?, ?, ?)', [part, since, since]);
  return { part, since, until: since };
}

/** False: the table is one segment. Below zero, the number of pages asks for just that. */
function mergeSome(database: Database, table: string): boolean {
  const sql = `INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`;
  const before = changesOf(database);
  database.run(sql, [-limits.indexMergedPagesAtOnce]);
  // FTS5 counts one change for a statement that merged nothing.
  return changesOf(database) > before + 1;
}

function changesOf(database: Database): number {
  const read = (row: Row) => row.integer('changes');
  return database.get('SELECT total_changes() AS changes', [], read) ?? 0;
}

function setEnd(database: Database, { part, until }: Part): void {
  database.run('UPDATE parts SET until = ? WHERE part = ?', [until, part]);
}
