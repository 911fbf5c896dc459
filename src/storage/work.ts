// Work that outlives its process: kept in the database, done by one process at a time.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type ErrorCode, errorCodes, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Database, Row } from './database.ts';
import type { Migration } from './migrations.ts';

export const workTable: Migration = {
  name: 'work',
  sql: `
    CREATE TABLE work (
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      payload TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('created', 'running', 'completed', 'failed')),
      current INTEGER NOT NULL DEFAULT 0,
      total INTEGER NOT NULL DEFAULT 0,
      result TEXT,
      error TEXT,
      attempts INTEGER NOT NULL DEFAULT 0,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      lease_owner TEXT,
      lease_expires INTEGER
    ) STRICT;
    CREATE INDEX work_open ON work (ordinal) WHERE status IN ('created', 'running');
  `,
};

/** Tells later whose fault a failure was. */
export const workErrorCode: Migration = {
  name: 'error codes of work',
  sql: 'ALTER TABLE work ADD COLUMN error_code TEXT;',
};

const statuses = ['created', 'running', 'completed', 'failed'] as const;
export type WorkStatus = (typeof statuses)[number];

/** Whose turn it is among workspaces. */
export const workTurns: Migration = {
  name: 'turns of work',
  sql: `CREATE INDEX work_served ON work (payload ->> 'workspaceId', updated) WHERE attempts > 0;`,
};

export interface NewWork {
  readonly id: string;
  /** Which worker does it, for example `export`. */
  readonly kind: string;
  /** What the worker needs to know; kept as JSON. Its `workspaceId` says whose work it is. */
  readonly payload: unknown;
  /** Waits for `begin`: nobody claims it before. */
  readonly held?: boolean;
}

export interface WorkItem extends Omit<NewWork, 'held'> {
  readonly status: WorkStatus;
  /** Progress: `current` of `total`. A total of 0 means that it is not known. */
  readonly current: number;
  readonly total: number;
  /** What `complete` was given; undefined before. */
  readonly result: unknown;
  /** Why it failed, in our own words. */
  readonly error: string | undefined;
  readonly errorCode: ErrorCode | undefined;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
}

/** Another process has this work by now: nothing may be written for it here any more. */
export class LeaseLost extends FoveaError {
  constructor() {
    super('conflict', 'This work has gone to another process.');
  }
}

/**
 * The right to do one piece of work, until its lease ends and somebody else claims it. Every
 * method throws `LeaseLost` from then on, and its effect is one transaction with that check.
 */
export interface Claim {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** 1 for the first. */
  readonly attempt: number;
  /** Starts the lease anew. */
  renew(): void;
  /**
   * Shows how far the work is. It never goes back, so that an attempt that starts over is seen only
   * once it is further than the last one; and getting further makes this attempt the first again.
   */
  progress(current: number, total: number): void;
  /**
   * Ends the work well; `result` is kept as JSON. Once this claim has ended its work, ending it
   * again changes nothing: so a run may end it in one `guard` with its last rows.
   */
  complete(result: unknown): void;
  /** Ends the work for good; `message` is shown to users. */
  fail(message: string, code: ErrorCode): void;
  /** Gives the work back at once. The attempt does not count. */
  release(): void;
  /** Runs writes in one transaction that first makes sure that the work is still ours. */
  guard<T>(writes: () => T): T;
}

/** The work in one database, whose migrations have `workTable`, `workErrorCode` and `workTurns`. */
export interface Work {
  /** Adds work; inside a transaction of the caller both are there or neither. */
  add(work: NewWork): void;
  /** Likewise, unless there is work with this id. */
  addOnce(work: NewWork): void;
  get(id: string): WorkItem | undefined;
  /** Lets held work be claimed. False where it is not held any more. */
  begin(id: string): boolean;
  /** Fails work that nobody has claimed; `message` is shown to users. False where somebody has. */
  failUnclaimed(id: string, message: string, code: ErrorCode): boolean;
  /**
   * The oldest work of these kinds that nobody does: new, or of a process that has not renewed its
   * lease. Work that has ended too many processes, without getting further, is failed instead.
   */
  claim(kinds: readonly string[], leaseMs?: number): Claim | undefined;
}

export interface WorkOptions {
  readonly clock: Clock;
  /** Names this process in the table, for people who look into it. */
  readonly owner: string;
}

export function createWork(database: Database, options: WorkOptions): Work {
  return {
    add: (work) => {
      if (addWork(database, options.clock, work)) return;
      throw new FoveaError('conflict', 'There is work with this id already.');
    },
    addOnce: (work) => void addWork(database, options.clock, work),
    get: (id) => database.get('SELECT * FROM work WHERE id = ?', [id], readWorkItem),
    begin: (id) =>
      database.run(
        `UPDATE work SET kind = substr(kind, ${held.length + 1}), updated = ?
         WHERE id = ? AND status = 'created' AND kind GLOB '${held}*'`,
        [options.clock.now(), id],
      ) > 0,
    failUnclaimed: (id, message, code) =>
      database.run(
        `UPDATE work SET status = 'failed', error = ?, error_code = ?, updated = ?
         WHERE id = ? AND status = 'created'`,
        [message, code, options.clock.now(), id],
      ) > 0,
    // Idle workers look without the lock that others write under.
    claim: (kinds, leaseMs = limits.workLeaseMs) =>
      findOpen(database, options.clock.now(), kinds) &&
      database.transaction(() => claimNext(database, options, kinds, leaseMs)),
  };
}

/** Before the kind of held work: no worker knows such a kind. */
const held = 'held:';

function addWork(database: Database, clock: Clock, work: NewWork): boolean {
  const { id, payload } = work;
  const kind = work.held ? held + work.kind : work.kind;
  const now = clock.now();
  const added = database.run(
    `INSERT INTO work (id, kind, payload, status, created, updated)
     VALUES (?, ?, ?, 'created', ?, ?) ON CONFLICT (id) DO NOTHING`,
    [id, kind, toJson(payload), now, now],
  );
  return added > 0;
}

/**
 * The oldest that nobody does, of the workspace whose last turn is longest ago: a thousand jobs of
 * one let one of another pass.
 */
function findOpen(database: Database, now: number, kinds: readonly string[]): WorkItem | undefined {
  return database.get(
    `WITH open AS (
       SELECT payload ->> 'workspaceId' AS workspace, min(ordinal) AS first FROM work
       WHERE kind IN (SELECT value FROM json_each(?))
         AND status IN ('created', 'running') AND (status = 'created' OR lease_expires <= ?)
       GROUP BY workspace)
     SELECT work.* FROM open JOIN work ON work.ordinal = open.first
     ORDER BY (SELECT max(updated) FROM work AS served
               WHERE served.payload ->> 'workspaceId' = open.workspace AND served.attempts > 0),
       work.ordinal
     LIMIT 1`,
    [JSON.stringify(kinds), now],
    readWorkItem,
  );
}

function claimNext(
  database: Database,
  { clock, owner }: WorkOptions,
  kinds: readonly string[],
  leaseMs: number,
): Claim | undefined {
  for (;;) {
    const now = clock.now();
    const next = findOpen(database, now, kinds);
    if (next === undefined) return undefined;
    if (next.attempts < limits.workAttemptsMax) {
      const attempt = { ...next, attempt: next.attempts + 1, lease: `${owner}/${randomUUID()}` };
      takeLease(database, attempt, now + leaseMs, now);
      return createClaim(database, clock, attempt, leaseMs);
    }
    database.run(
      `UPDATE work SET status = 'failed', error = ?, error_code = 'internal', lease_owner = NULL,
         updated = ? WHERE id = ?`,
      [`Fovea gave up after ${limits.workAttemptsMax} attempts.`, now, next.id],
    );
  }
}

interface Attempt {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly attempt: number;
  /** Unique to this claim, so that an older claim of the same process is not mistaken for it. */
  readonly lease: string;
}

function takeLease(database: Database, attempt: Attempt, expires: number, now: number): void {
  database.run(
    `UPDATE work SET status = 'running', attempts = ?, lease_owner = ?, lease_expires = ?,
       updated = ? WHERE id = ?`,
    [attempt.attempt, attempt.lease, expires, now, attempt.id],
  );
}

function createClaim(database: Database, clock: Clock, attempt: Attempt, leaseMs: number): Claim {
  const { id, kind, payload, lease } = attempt;
  /** Whether the work still runs; false once this claim has ended it. */
  const isRunning = () => {
    const sql = 'SELECT status FROM work WHERE id = ? AND lease_owner = ?';
    const status = database.get(sql, [id, lease], (row) => row.text('status'));
    if (status === undefined) throw new LeaseLost();
    return status === 'running';
  };
  const update = (assignments: string, values: readonly (string | number | null)[]) =>
    database.transaction(() => {
      if (!isRunning()) return;
      const sql = `UPDATE work SET ${assignments}, updated = ? WHERE id = ?`;
      database.run(sql, [...values, clock.now(), id]);
    });
  return {
    id,
    kind,
    payload,
    attempt: attempt.attempt,
    renew: () => update('lease_expires = ?', [clock.now() + leaseMs]),
    progress: (current, total) =>
      update('attempts = iif(? > current, 1, attempts), current = max(current, ?), total = ?', [
        current,
        current,
        total,
      ]),
    complete: (result) => update("status = 'completed', result = ?", [toJson(result)]),
    fail: (message, code) =>
      update("status = 'failed', error = ?, error_code = ?", [message, code]),
    release: () => update("status = 'created', attempts = attempts - 1, lease_owner = ?", [null]),
    guard: (writes) =>
      database.transaction(() => {
        if (!isRunning()) throw new LeaseLost();
        return writes();
      }),
  };
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** From a row of the table `work`. */
export function readWorkItem(row: Row): WorkItem {
  const status = statuses.find((name) => name === row.text('status'));
  if (status === undefined) throw new FoveaError('internal', 'The database holds unknown work.');
  return {
    id: row.text('id'),
    kind: row.text('kind').replace(held, ''),
    payload: row.json('payload'),
    status,
    current: row.integer('current'),
    total: row.integer('total'),
    result: row.optionalJson('result'),
    error: row.optionalText('error'),
    errorCode: readErrorCode(row, 'error_code'),
    attempts: row.integer('attempts'),
    created: row.integer('created'),
    updated: row.integer('updated'),
  };
}

/** Failed work of an older Fovea has none. */
export function readErrorCode(row: Row, column: string): ErrorCode | undefined {
  const code = row.optionalText(column);
  return code !== undefined && isErrorCode(code) ? code : undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
