// The records of calls that change something, each stored before its call is sent. Several
// processes share the file, so each decision is made in one transaction.

import { hostname } from 'node:os';
import { type Clock, dayMs } from '../../clock.ts';
import { systemErrorCode } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { PastCall, PastCalls, WantedPastCalls } from '../past-calls.ts';
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

/** What the records say of a call. */
export type Verdict =
  /** No equal call counts; `lost` is one that was sent, and whose answer is unknown. */
  | { readonly kind: 'new'; readonly lost: IdempotencyRecord | undefined }
  /** The same call runs: here or in another process. */
  | { readonly kind: 'running'; readonly id: number }
  | { readonly kind: 'done'; readonly record: IdempotencyRecord }
  /** The key belongs to a call with other arguments. */
  | { readonly kind: 'other-call' };

/** What became of a call, and what is kept of its result. */
export interface CallEnd {
  readonly state: Ended;
  readonly kept: string | undefined;
  readonly summary: string | undefined;
}

/** A call that is to be made has a record now. */
export type Claim =
  | Exclude<Verdict, { kind: 'new' }>
  | (Extract<Verdict, { kind: 'new' }> & { readonly id: number });

export interface RecordStore {
  judge(call: CallIdentity): Promise<Verdict>;
  /** Judges the call; where it is new, records that it runs. */
  claim(call: CallIdentity): Promise<Claim>;
  /** One record; a call whose process is dead is lost. */
  find(id: number): Promise<IdempotencyRecord | undefined>;
  finish(id: number, end: CallEnd): Promise<void>;
  /** For a call that was not sent. */
  remove(id: number): Promise<void>;
  /** No equal call is the same one any more; the list keeps it. Gives true. */
  forget(id: number): Promise<true>;
  list(principal: string, wanted: WantedPastCalls): Promise<PastCalls>;
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
  {
    name: 'what calls did',
    sql: `
      ALTER TABLE calls ADD COLUMN workspace TEXT;
      ALTER TABLE calls ADD COLUMN project TEXT;
      ALTER TABLE calls ADD COLUMN summary TEXT;
    `,
  },
];

interface Options {
  readonly path: string;
  readonly clock: Clock;
  /** How long an equal call counts as the same one; 0: never. */
  readonly windowMs: number;
}

/** Opens the file, or makes it. Throws as `openAsyncDatabase`, also while another one holds it. */
export async function openRecordStore({ path, clock, windowMs }: Options): Promise<RecordStore> {
  const options = { busyMsMax: limits.idempotencyBusyMsMax };
  const database = openAsyncDatabase(path, migrations, options);
  const table = new RecordTable(database, clock);
  try {
    await table.clean();
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  const beat = setInterval(() => void table.beat(), limits.callHeartbeatMs);
  beat.unref();
  return {
    judge: (call) => judge(table, call, clock.now(), windowMs),
    claim: async (call) => {
      const claim = await database.transaction(async (): Promise<Claim> => {
        const verdict = await judge(table, call, clock.now(), windowMs);
        if (verdict.kind !== 'new') return verdict;
        return { kind: 'new', lost: verdict.lost, id: await table.add(call) };
      });
      if (claim.kind === 'new') table.started(claim.id);
      return claim;
    },
    find: (id) => table.find(id),
    finish: (id, end) => table.finish(id, end),
    remove: (id) => table.remove(id),
    forget: (id) => table.forget(id),
    list: (principal, wanted) => table.list(principal, wanted),
    close: () => {
      clearInterval(beat);
      database.close();
    },
  };
}

async function judge(
  table: RecordTable,
  call: CallIdentity,
  now: number,
  windowMs: number,
): Promise<Verdict> {
  const earlier = await (call.key === undefined
    ? table.newestEqual(call)
    : table.newestOfKey(call));
  if (earlier === undefined) return unseen;
  const { id, state, endedAt, digest } = earlier;
  if (call.key !== undefined) {
    if (digest !== call.digest) return { kind: 'other-call' };
    if (state === 'running') return { kind: 'running', id };
    return state === 'done' ? { kind: 'done', record: earlier } : { kind: 'new', lost: earlier };
  }
  if (windowMs === 0) return unseen;
  if (state === 'lost') {
    if (now < endedAt) await table.agesFromNow(id);
    const isRecent = now - endedAt <= limits.lostCallSecondsMax * 1_000;
    return isRecent ? { kind: 'new', lost: earlier } : unseen;
  }
  // To repeat the call harms nothing, or is meant, also at once.
  if (call.rule !== 'replayed') return unseen;
  if (state === 'running') return { kind: 'running', id };
  // A clock that was set back says nothing about how long ago it was.
  const isRecent = now >= endedAt && now - endedAt <= windowMs;
  const counts = isRecent && !(await table.hasOtherSince(call, endedAt));
  return counts ? { kind: 'done', record: earlier } : unseen;
}

const unseen: Verdict = { kind: 'new', lost: undefined };

class RecordTable {
  readonly #database: AsyncDatabase;
  readonly #clock: Clock;
  readonly #host = hostname();
  /** Calls that run in this process. */
  readonly #own = new Set<number>();
  #added = 0;

  constructor(database: AsyncDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  newestEqual({ principal, digest }: CallIdentity): Promise<IdempotencyRecord | undefined> {
    return this.#newest('digest = ?', [principal, digest]);
  }

  newestOfKey({ principal, key }: CallIdentity): Promise<IdempotencyRecord | undefined> {
    return this.#newest('key = ?', [principal, key]);
  }

  find(id: number): Promise<IdempotencyRecord | undefined> {
    const sql = 'SELECT * FROM calls WHERE id = ?';
    return this.#database.get(sql, [id], (row) => this.#read(row));
  }

  /** Whether the same principal began another call since: then an equal one may well be meant. */
  async hasOtherSince({ principal, digest }: CallIdentity, since: number): Promise<boolean> {
    const sql = `SELECT 1 FROM calls
      WHERE principal = ? AND started_at >= ? AND digest <> ? AND state <> 'failed' LIMIT 1`;
    return (await this.#database.get(sql, [principal, since, digest], () => true)) === true;
  }

  /** Within a transaction. */
  async add(identity: CallIdentity): Promise<number> {
    const { principal, tool, key, digest, workspace, project } = identity;
    const now = this.#clock.now();
    const sql = `INSERT INTO calls
      (principal, tool, key, digest, workspace, project, state, host, pid, started_at, ended_at)
      VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?) RETURNING id`;
    const call = [principal, tool, key, digest, workspace, project];
    const values = [...call, this.#host, process.pid, now, now];
    const id = await this.#database.get(sql, values, (row) => row.integer('id'));
    this.#added += 1;
    if (this.#added % limits.idempotencyCleanEvery === 0) await this.clean();
    return id ?? 0;
  }

  started(id: number): void {
    this.#own.add(id);
  }

  /** Failed calls are not stored, so that they cannot evict others. */
  async finish(id: number, { state, kept, summary }: CallEnd): Promise<void> {
    if (state === 'failed') return this.remove(id);
    this.#own.delete(id);
    const sql = 'UPDATE calls SET state = ?, ended_at = ?, kept = ?, summary = ? WHERE id = ?';
    await this.#database.run(sql, [state, this.#clock.now(), kept, summary, id]);
  }

  async remove(id: number): Promise<void> {
    this.#own.delete(id);
    await this.#database.run('DELETE FROM calls WHERE id = ?', [id]);
  }

  async forget(id: number): Promise<true> {
    await this.#database.run("UPDATE calls SET digest = '' WHERE id = ?", [id]);
    return true;
  }

  async list(
    principal: string,
    { beforeId, countMax, ...chosen }: WantedPastCalls,
  ): Promise<PastCalls> {
    const values = { principal, ...chosen };
    const calls = await this.#database.all(
      `SELECT * FROM calls WHERE ${listed} AND (:beforeId IS NULL OR id < :beforeId)
       ORDER BY id DESC LIMIT :countMax`,
      { ...values, beforeId, countMax },
      (row) => this.#readPast(row),
    );
    const sql = `SELECT count(*) AS n FROM calls WHERE ${listed}`;
    const total = await this.#database.get(sql, values, (row) => row.integer('n'));
    return { calls, total: total ?? 0 };
  }

  #readPast(row: Row): PastCall {
    const { id, state, startedAt, endedAt } = this.#read(row);
    return {
      id,
      tool: row.text('tool'),
      project: row.optionalText('project'),
      state: state === 'failed' ? 'lost' : state,
      startedAt,
      endedAt,
      summary: row.optionalText('summary'),
    };
  }

  /** Heartbeat of the calls of this process. Where the file fails, the next call reports it. */
  async beat(): Promise<void> {
    if (this.#own.size === 0) return;
    const sql = 'UPDATE calls SET ended_at = ? WHERE id IN (SELECT value FROM json_each(?))';
    try {
      await this.#database.run(sql, [this.#clock.now(), JSON.stringify([...this.#own])]);
    } catch {
      // A missed heartbeat counts like the end of the process.
    }
  }

  /** Of a lost call that seems to have been made in the future. */
  async agesFromNow(id: number): Promise<void> {
    const sql = "UPDATE calls SET state = 'lost', ended_at = ? WHERE id = ?";
    await this.#database.run(sql, [this.#clock.now(), id]);
  }

  /** Removes old records. The bound holds per principal, so that none evicts those of another. */
  async clean(): Promise<void> {
    const oldest = this.#clock.now() - limits.idempotencyDaysMax * dayMs;
    await this.#database.run("DELETE FROM calls WHERE ended_at < ? OR state = 'failed'", [oldest]);
    const sql = `DELETE FROM calls WHERE state <> 'running' AND id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY principal ORDER BY id DESC) AS place FROM calls
      ) WHERE place > ?)`;
    await this.#database.run(sql, [limits.idempotencyRecordsMax]);
  }

  #newest(
    condition: string,
    values: readonly (string | undefined)[],
  ): Promise<IdempotencyRecord | undefined> {
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

  /** A process of another machine or container is judged by its heartbeat alone. */
  #lives(row: Row): boolean {
    if (this.#own.has(row.integer('id'))) return true;
    // Absolute, since after a clock that was set back a record would live until that time.
    const ageMs = Math.abs(this.#clock.now() - row.integer('ended_at'));
    if (ageMs > limits.callLeaseMs) return false;
    return row.text('host') !== this.#host || isAlive(row.integer('pid'));
  }
}

/** Calls of tools without a workspace belong to all. */
const listed = `principal = :principal AND state <> 'failed'
  AND (workspace IS NULL OR workspace = :workspace)
  AND (:project IS NULL OR project = :project) AND (:tool IS NULL OR tool = :tool)
  AND (:since IS NULL OR started_at >= :since) AND (:until IS NULL OR started_at < :until)`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return systemErrorCode(thrown) === 'EPERM';
  }
}
