// The rows of the journal: one for each call that changes something, there before it is sent.
// Several processes share the file, so whatever is decided is decided in one transaction.

import { hostname } from 'node:os';
import { type Clock, dayMs } from '../../clock.ts';
import { systemErrorCode } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Database, openDatabase, type Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { CallIdentity } from './call-identity.ts';
import type { Ended } from './stored-outcome.ts';

export interface IdempotencyRecord {
  readonly id: number;
  readonly digest: string;
  readonly state: 'running' | Ended;
  readonly startedAt: number;
  /** Of a call that runs: when its process was heard of last. */
  readonly endedAt: number;
  /** What is kept of its result. */
  readonly kept: string | undefined;
}

/** What is to be done about a call. */
export type Claim =
  /** To be made, under this row; `lost` is an equal one of which nobody knows what it did. */
  | { readonly kind: 'make'; readonly id: number; readonly lost: IdempotencyRecord | undefined }
  /** The same call runs: here or in another process. */
  | { readonly kind: 'wait'; readonly id: number }
  | { readonly kind: 'done'; readonly row: IdempotencyRecord }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: 'other' };

export interface RecordStore {
  claim(call: CallIdentity): Claim;
  /** One row; a call whose process is dead is lost. */
  find(id: number): IdempotencyRecord | undefined;
  finish(id: number, state: Ended, kept: string | undefined): void;
  /** It was no call after all. */
  remove(id: number): void;
  close(): void;
}

const migrations: readonly Migration[] = [
  {
    name: 'calls',
    sql: `
      CREATE TABLE calls (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        principal TEXT NOT NULL,
        tool TEXT NOT NULL,
        key TEXT,
        digest TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('running', 'done', 'lost', 'failed')),
        host TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started_at INTEGER NOT NULL,
        ended_at INTEGER NOT NULL,
        kept TEXT
      ) STRICT;
      CREATE INDEX calls_by_digest ON calls (principal, digest, id);
      CREATE INDEX calls_by_key ON calls (principal, key, id) WHERE key IS NOT NULL;
      CREATE INDEX calls_by_start ON calls (principal, started_at);
    `,
  },
];

interface Options {
  readonly path: string;
  readonly clock: Clock;
  /** For so long an equal call counts as the same one; 0: never. */
  readonly windowMs: number;
}

/** Opens the file, or makes it. Throws as `openDatabase` does, also while another one holds it. */
export function openRecordStore({ path, clock, windowMs }: Options): RecordStore {
  const database = openDatabase(path, migrations, { busyMsMax: limits.journalBusyMsMax });
  const own = new Set<number>();
  const host = hostname();
  const rows = new RecordTable(database, clock, { host, own });
  rows.clean();
  const beat = setInterval(() => rows.beat(), limits.journalBeatMs);
  beat.unref();
  return {
    claim: (call) => {
      const claim = database.transaction(() => decide(rows, call, clock.now(), windowMs));
      if (claim.kind === 'make') rows.started(claim.id);
      return claim;
    },
    find: (id) => rows.find(id),
    finish: (id, state, kept) => rows.finish(id, state, kept),
    remove: (id) => rows.remove(id),
    close: () => {
      clearInterval(beat);
      database.close();
    },
  };
}

function decide(rows: RecordTable, call: CallIdentity, now: number, windowMs: number): Claim {
  const earlier = call.key === undefined ? rows.newestEqual(call) : rows.newestOfKey(call);
  const make = (lost?: IdempotencyRecord): Claim => ({ kind: 'make', id: rows.add(call), lost });
  if (earlier === undefined) return make();
  const { state, endedAt, digest } = earlier;
  if (call.key !== undefined) {
    if (digest !== call.digest) return { kind: 'other' };
    if (state === 'running') return { kind: 'wait', id: earlier.id };
    return state === 'done' ? { kind: 'done', row: earlier } : make(earlier);
  }
  if (windowMs === 0) return make();
  if (state === 'lost') {
    if (now < endedAt) rows.agesFromNow(earlier.id);
    return make(now - endedAt <= limits.lostCallSecondsMax * 1_000 ? earlier : undefined);
  }
  if (call.rule === 'never') return make();
  // Two equal ones are honest, also at once.
  if (call.rule === 'made') return make();
  if (state === 'running') return { kind: 'wait', id: earlier.id };
  // A clock that was set back says nothing about how long ago it was.
  const isRecent = now >= endedAt && now - endedAt <= windowMs;
  return isRecent && !rows.hasOtherSince(call, endedAt) ? { kind: 'done', row: earlier } : make();
}

class RecordTable {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #host: string;
  /** Calls that run in this process. */
  readonly #own: Set<number>;
  #added = 0;

  constructor(
    database: Database,
    clock: Clock,
    { host, own }: { readonly host: string; readonly own: Set<number> },
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#host = host;
    this.#own = own;
  }

  newestEqual({ principal, digest }: CallIdentity): IdempotencyRecord | undefined {
    return this.#newest('digest = ?', [principal, digest]);
  }

  newestOfKey({ principal, key }: CallIdentity): IdempotencyRecord | undefined {
    return this.#newest('key = ?', [principal, key]);
  }

  find(id: number): IdempotencyRecord | undefined {
    const sql = 'SELECT * FROM calls WHERE id = ?';
    return this.#database.get(sql, [id], (row) => this.#read(row));
  }

  /** Whether the same principal began another call since: then an equal one may well be meant. */
  hasOtherSince({ principal, digest }: CallIdentity, since: number): boolean {
    const sql = `SELECT id FROM calls
      WHERE principal = ? AND started_at >= ? AND digest <> ? AND state <> 'failed' LIMIT 1`;
    const found = this.#database.get(sql, [principal, since, digest], (row) => row.integer('id'));
    return found !== undefined;
  }

  /** Within a transaction. */
  add({ principal, tool, key, digest }: CallIdentity): number {
    const now = this.#clock.now();
    const sql = `INSERT INTO calls
      (principal, tool, key, digest, state, host, pid, started_at, ended_at)
      VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?) RETURNING id`;
    const values = [principal, tool, key, digest, this.#host, process.pid, now, now];
    const id = this.#database.get(sql, values, (row) => row.integer('id'));
    this.#added += 1;
    if (this.#added % limits.journalCleanEvery === 0) this.clean();
    return id ?? 0;
  }

  started(id: number): void {
    this.#own.add(id);
  }

  /** A call that did nothing is no row: else whoever fails often would push others out. */
  finish(id: number, state: Ended, kept: string | undefined): void {
    if (state === 'failed') {
      this.remove(id);
      return;
    }
    this.#own.delete(id);
    const sql = 'UPDATE calls SET state = ?, ended_at = ?, kept = ? WHERE id = ?';
    this.#database.run(sql, [state, this.#clock.now(), kept, id]);
  }

  remove(id: number): void {
    this.#own.delete(id);
    this.#database.run('DELETE FROM calls WHERE id = ?', [id]);
  }

  /** Says that the calls of this process still run. The next call says if the file fails. */
  beat(): void {
    try {
      for (const id of this.#own) {
        this.#database.run('UPDATE calls SET ended_at = ? WHERE id = ?', [this.#clock.now(), id]);
      }
    } catch {
      // Too late for a lease is no worse than dead.
    }
  }

  /** Of a lost call that seems to have been made in the future. */
  agesFromNow(id: number): void {
    const sql = "UPDATE calls SET state = 'lost', ended_at = ? WHERE id = ?";
    this.#database.run(sql, [this.#clock.now(), id]);
  }

  /** A call that runs renews its row; nobody's calls push out those of another principal. */
  clean(): void {
    const oldest = this.#clock.now() - limits.journalDaysMax * dayMs;
    this.#database.run("DELETE FROM calls WHERE ended_at < ? OR state = 'failed'", [oldest]);
    const sql = `DELETE FROM calls WHERE state <> 'running' AND id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY principal ORDER BY id DESC) AS place FROM calls
      ) WHERE place > ?)`;
    this.#database.run(sql, [limits.journalRowsMax]);
  }

  #newest(
    condition: string,
    values: readonly (string | undefined)[],
  ): IdempotencyRecord | undefined {
    const sql = `SELECT * FROM calls WHERE principal = ? AND ${condition} AND state <> 'failed'
      ORDER BY id DESC LIMIT 1`;
    return this.#database.get(sql, values, (row) => this.#read(row));
  }

  #read(row: Row): IdempotencyRecord {
    const state = row.text('state');
    const call = {
      id: row.integer('id'),
      digest: row.text('digest'),
      startedAt: row.integer('started_at'),
      endedAt: row.integer('ended_at'),
      kept: row.optionalText('kept'),
    };
    if (state === 'done' || state === 'failed') return { ...call, state };
    const lives = state === 'running' && this.#lives(row);
    return { ...call, state: lives ? 'running' : 'lost' };
  }

  /** A process of another machine or container is known by its lease alone. */
  #lives(row: Row): boolean {
    if (this.#own.has(row.integer('id'))) return true;
    // Also where the clock was set back: a row of the future would live until then.
    const ageMs = Math.abs(this.#clock.now() - row.integer('ended_at'));
    if (ageMs > limits.journalLeaseMs) return false;
    return row.text('host') !== this.#host || isAlive(row.integer('pid'));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemErrorCode(thrown) === 'EPERM';
  }
}
