// A task queue in the database: tasks outlive their process, and one process at a time runs each,
// under a lease.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type ErrorCode, errorCodes, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { AsyncDatabase } from './async-database.ts';
import type { Row } from './database.ts';
import { type AwaitedService, readAwaitedService } from './service-away.ts';
import { addToWhole, completePart, failOpen, holdWhole, type TaskPart } from './task-parts.ts';

const statuses = ['created', 'running', 'completed', 'failed'] as const;
export type TaskStatus = (typeof statuses)[number];

export interface NewTask {
  readonly id: string;
  /** Which worker runs it, for example `export`. */
  readonly kind: string;
  /** The input of the worker, stored as JSON. Its `workspaceId` names the owner. */
  readonly payload: unknown;
  /**
   * Tasks of one turn run one after the other, in the order in which they were added, whichever
   * processes run them.
   */
  readonly turn?: string;
  /** True: cannot be claimed before `begin`. */
  readonly held?: boolean;
}

export interface QueuedTask extends Omit<NewTask, 'held' | 'turn'> {
  readonly status: TaskStatus;
  /** Progress: `current` of `total`. A total of 0 means that it is not known. */
  readonly current: number;
  readonly total: number;
  /** What `complete` was given; undefined before. */
  readonly result: unknown;
  /** Why it failed, in our own words. */
  readonly error: string | undefined;
  readonly errorCode: ErrorCode | undefined;
  readonly attempts: number;
  /** What is away, and keeps it or its parts from going on; undefined while it runs. */
  readonly waitsFor: AwaitedService | undefined;
  /** Since when outages have kept it from going on; progress ends it. */
  readonly waitsSince: number | undefined;
  /** The task of which it is a part. */
  readonly parent: string | undefined;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
}

/** Another process has claimed the task: this one must not write for it any more. */
export class LeaseLost extends FoveaError {
  constructor() {
    super('conflict', 'This work has gone to another process.');
  }
}

/**
 * The right to run one task, until its lease expires and another process claims it. Every method
 * but `excuse` throws `LeaseLost` from then on; the check and the effect of a method are one
 * transaction.
 */
export interface Claim {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  /** 1 for the first. */
  readonly attempt: number;
  /** Whether an attempt before this one reported progress, if only of nothing. */
  readonly hasBegun: boolean;
  /** How far attempts before this one came: one that goes on there counts from it. */
  readonly reached: number;
  /** Renews the lease. */
  renew(): Promise<void>;
  /**
   * Reports progress. It never goes back: an attempt that starts over is seen only once it is
   * further than the last one. Progress resets the count of attempts. That of a part is progress
   * of the whole.
   */
  progress(current: number, total: number): Promise<void>;
  /**
   * Completes the task; `result` is stored as JSON. Completing it again changes nothing, so that a
   * run can complete it in one fenced transaction with its last rows.
   */
  complete(result: unknown): Promise<void>;
  /** Leaves the task to its parts, at least one: it can be claimed again when all are completed. */
  split(parts: readonly TaskPart[]): Promise<void>;
  /** Fails the task, and that of which it is a part; `message` is shown to users. */
  fail(message: string, code: ErrorCode): Promise<void>;
  /** Gives the task back to the queue. The attempt does not count. */
  release(): Promise<void>;
  /** Gives the task back: it can be claimed again after this time. The attempt counts. */
  postpone(ms: number): Promise<void>;
  /**
   * Gives the task back until that service may be there again; the attempt does not count. False:
   * outages have kept it from going on for `limits.taskOutageMsMax`, and it stays claimed.
   */
  waitFor(service: AwaitedService): Promise<boolean>;
  /**
   * For a claim that has lost its lease: its process lives, so this attempt did not end it, and
   * does not count.
   */
  excuse(): Promise<void>;
  /** Runs writes in a transaction that first checks that the lease still holds (fencing). */
  fenced<T>(writes: () => Promise<T>): Promise<T>;
}

/**
 * Needs the migrations `taskTable`, `taskErrorCodes`, `taskFairness`, `taskParts`, `taskTurns` and
 * `taskWaits`.
 */
export interface TaskQueue {
  /** Adds a task; inside a transaction of the caller, atomically with it. */
  add(work: NewTask): Promise<void>;
  /** Adds a task unless there is one with this id. */
  addOnce(work: NewTask): Promise<void>;
  /** Adds a task unless one of its kind waits or runs. Whether it was added. */
  addUnlessOpen(work: NewTask): Promise<boolean>;
  get(id: string): Promise<QueuedTask | undefined>;
  /** Releases a held task to be claimed. False if it was not held any more. */
  begin(id: string): Promise<boolean>;
  /** Fails an unclaimed task; `message` is shown to users. False if it is claimed. */
  failUnclaimed(id: string, message: string, code: ErrorCode): Promise<boolean>;
  /**
   * Fails an open task as `cancelled`, claimed or not, and ends its parts. False if it has ended.
   */
  cancel(id: string, message: string): Promise<boolean>;
  /** Opens a cancelled task again; of others nothing changes. */
  reopen(id: string): Promise<void>;
  /**
   * Claims the oldest open task of these kinds whose turn it is: a new one, or one whose lease has
   * expired. A task that was claimed `limits.taskAttemptsMax` times without progress is failed
   * instead. `ownersMayReturn`: leases have expired because nobody could renew them, so those that
   * have an owner are left to it.
   */
  claim(
    kinds: readonly string[],
    leaseMs?: number,
    ownersMayReturn?: boolean,
  ): Promise<Claim | undefined>;
  /** What waits or runs now, held tasks left out. */
  countOpen(): Promise<readonly OpenTasks[]>;
}

export interface OpenTasks {
  readonly kind: string;
  readonly status: 'created' | 'running';
  readonly count: number;
  /** When the oldest of them came, in milliseconds since 1970. */
  readonly oldest: number;
}

export interface TaskQueueOptions {
  readonly clock: Clock;
  /** Names this process in the table, for people who look into it. */
  readonly owner: string;
}

export function createTaskQueue(database: AsyncDatabase, options: TaskQueueOptions): TaskQueue {
  return {
    add: async (work) => {
      if (await addWork(database, options.clock, work)) return;
      throw new FoveaError('conflict', 'There is work with this id already.');
    },
    addOnce: async (work) => {
      await addWork(database, options.clock, work);
    },
    // Whoever asks again and again looks without taking the write lock.
    addUnlessOpen: async (work) =>
      !(await isOpen(database, work.kind)) &&
      (await database.transaction(
        async () => !(await isOpen(database, work.kind)) && addWork(database, options.clock, work),
      )),
    get: (id) => database.get('SELECT * FROM work WHERE id = ?', [id], readQueuedTask),
    begin: async (id) =>
      (await database.run(
        `UPDATE work SET kind = substr(kind, ${held.length + 1}), updated = ?
         WHERE id = ? AND status = 'created' AND substr(kind, 1, ${held.length}) = '${held}'`,
        [options.clock.now(), id],
      )) > 0,
    failUnclaimed: async (id, message, code) =>
      (await database.run(
        `UPDATE work SET status = 'failed', error = ?, error_code = ?, updated = ?
         WHERE id = ? AND status = 'created'`,
        [message, code, options.clock.now(), id],
      )) > 0,
    cancel: (id, message) =>
      database.transaction(() =>
        failOpen(database, id, { message, code: 'cancelled' }, options.clock.now()),
      ),
    reopen: async (id) => {
      await database.run(
        `UPDATE work SET status = 'created', error = NULL, error_code = NULL, attempts = 0,
           waits_since = NULL, updated = ?
         WHERE id = ? AND status = 'failed' AND error_code = 'cancelled'`,
        [options.clock.now(), id],
      );
    },
    // Idle workers look without taking the write lock.
    claim: async (kinds, leaseMs = limits.taskLeaseMs, ownersMayReturn = false) => {
      const wanted = { kinds, ownersMayReturn };
      if (!(await findOpen(database, options.clock.now(), wanted))) return undefined;
      return database.transaction(() => claimNext(database, options, wanted, leaseMs));
    },
    countOpen: () =>
      database.all(
        `SELECT kind, status, count(*) AS n, min(created) AS oldest FROM work
         WHERE status IN ('created', 'running') AND substr(kind, 1, ${held.length}) <> '${held}'
         GROUP BY kind, status ORDER BY kind, status`,
        [],
        (row) => ({
          kind: row.text('kind'),
          status: row.text('status') === 'created' ? ('created' as const) : ('running' as const),
          count: row.integer('n'),
          oldest: row.integer('oldest'),
        }),
      ),
  };
}

/** Prefix of the kind of a held task: no worker has such a kind. */
const held = 'held:';

async function addWork(
  database: AsyncDatabase,
  clock: Clock,
  work: NewTask,
  parent?: string,
): Promise<boolean> {
  const { id, payload, turn } = work;
  const kind = work.held ? held + work.kind : work.kind;
  const now = clock.now();
  const added = await database.run(
    `INSERT INTO work (id, kind, payload, turn, status, created, updated, parent)
     VALUES (?, ?, ?, ?, 'created', ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    [id, kind, toJson(payload), turn, now, now, parent],
  );
  return added > 0;
}

async function isOpen(database: AsyncDatabase, kind: string): Promise<boolean> {
  const sql = "SELECT 1 AS n FROM work WHERE kind = ? AND status IN ('created', 'running') LIMIT 1";
  return (await database.get(sql, [kind], (row) => row.integer('n'))) !== undefined;
}

interface Wanted {
  readonly kinds: readonly string[];
  readonly ownersMayReturn: boolean;
}

/**
 * The oldest open task of the workspace that was served least recently, so that many tasks of one
 * workspace do not hold up those of others.
 */
function findOpen(
  database: AsyncDatabase,
  now: number,
  { kinds, ownersMayReturn }: Wanted,
): Promise<QueuedTask | undefined> {
  return database.get(
    `WITH open AS (
       SELECT payload ->> 'workspaceId' AS workspace, min(ordinal) AS first FROM work
       WHERE kind IN (SELECT value FROM json_each(?))
         AND status IN ('created', 'running') AND (status = 'created'
           OR lease_expires <= CASE WHEN lease_owner IS NULL THEN ? ELSE ? END)
         AND open_parts = 0
         AND (turn IS NULL OR ${isItsTurn})
       GROUP BY workspace)
     SELECT work.* FROM open JOIN work ON work.ordinal = open.first
     ORDER BY (SELECT max(updated) FROM work AS served
               WHERE served.payload ->> 'workspaceId' = open.workspace AND served.attempts > 0)
       NULLS FIRST, work.ordinal
     LIMIT 1`,
    [JSON.stringify(kinds), now, ownersMayReturn ? -1 : now],
    readQueuedTask,
  );
}

/** One that has begun goes first, also where an older one was committed after it. */
const isItsTurn = `NOT EXISTS (SELECT 1 FROM work AS other
  WHERE other.turn = work.turn AND other.status IN ('created', 'running')
    AND other.ordinal <> work.ordinal
    AND (other.status = 'running' OR (work.status = 'created' AND other.ordinal < work.ordinal)))`;

async function claimNext(
  database: AsyncDatabase,
  { clock, owner }: TaskQueueOptions,
  wanted: Wanted,
  leaseMs: number,
): Promise<Claim | undefined> {
  for (;;) {
    const now = clock.now();
    const next = await findOpen(database, now, wanted);
    if (next === undefined) return undefined;
    if (next.attempts < limits.taskAttemptsMax) {
      const attempt = {
        ...next,
        attempt: next.attempts + 1,
        hasBegun: next.total > 0,
        reached: next.current,
        lease: `${owner}/${randomUUID()}`,
      };
      await takeLease(database, attempt, now + leaseMs, now);
      return createClaim(database, clock, attempt, leaseMs);
    }
    const message = `Fovea gave up after ${limits.taskAttemptsMax} attempts.`;
    await failOpen(database, next.parent ?? next.id, { message, code: 'internal' }, now);
  }
}

interface Attempt {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
  readonly parent: string | undefined;
  readonly attempt: number;
  readonly hasBegun: boolean;
  readonly reached: number;
  /** Unique to this claim, so that an older claim of the same process is not mistaken for it. */
  readonly lease: string;
}

async function takeLease(
  database: AsyncDatabase,
  attempt: Attempt,
  expires: number,
  now: number,
): Promise<void> {
  await database.run(
    `UPDATE work SET status = 'running', attempts = ?, lease_owner = ?, lease_expires = ?,
       waits_for = NULL, updated = ? WHERE id = ?`,
    [attempt.attempt, attempt.lease, expires, now, attempt.id],
  );
}

function createClaim(
  database: AsyncDatabase,
  clock: Clock,
  attempt: Attempt,
  leaseMs: number,
): Claim {
  const { id, kind, payload, parent, lease } = attempt;
  /** Whether the task still runs; false once this claim has ended it. */
  const isRunning = async () => {
    const sql = 'SELECT status FROM work WHERE id = ? AND lease_owner = ?';
    const status = await database.get(sql, [id, lease], (row) => row.text('status'));
    if (status === undefined) throw new LeaseLost();
    return status === 'running';
  };
  const whileRunning = (change: (now: number) => Promise<unknown>) =>
    database.transaction(async () => {
      if (await isRunning()) await change(clock.now());
    });
  const set = (assignments: string, values: readonly (string | number | null)[], now: number) => {
    const sql = `UPDATE work SET ${assignments}, updated = ? WHERE id = ?`;
    database.send(sql, [...values, now, id]);
  };
  const update = (assignments: string, values: readonly (string | number | null)[]) =>
    whileRunning(async (now) => set(assignments, values, now));
  return {
    id,
    kind,
    payload,
    attempt: attempt.attempt,
    hasBegun: attempt.hasBegun,
    reached: attempt.reached,
    renew: () => update('lease_expires = ?', [clock.now() + leaseMs]),
    progress: (current, total) =>
      whileRunning(async (now) => {
        if (parent !== undefined) addToWhole(database, { id, parent }, current, now);
        set(further, [current, current, current, total], now);
      }),
    complete: (result) =>
      whileRunning(async (now) => {
        set("status = 'completed', result = ?", [toJson(result)], now);
        if (parent !== undefined) completePart(database, parent, now);
      }),
    split: (parts) =>
      whileRunning(async (now) => {
        for (const part of parts) await addWork(database, clock, part, id);
        const split = 'open_parts = ?, lease_owner = NULL, lease_expires = 0, attempts = 1';
        set(split, [parts.length], now);
      }),
    fail: (message, code) =>
      parent === undefined
        ? update("status = 'failed', error = ?, error_code = ?", [message, code])
        : whileRunning((now) => failOpen(database, parent, { message, code }, now)),
    release: () => update("status = 'created', attempts = attempts - 1, lease_owner = ?", [null]),
    postpone: (ms) => update('lease_owner = ?, lease_expires = ?', [null, clock.now() + ms]),
    waitFor: (service) =>
      database.transaction(
        async () => !(await isRunning()) || giveBack(database, attempt, service, clock.now()),
      ),
    excuse: () => excuse(database, attempt),
    fenced: (writes) =>
      database.transaction(async () => {
        if (!(await isRunning())) throw new LeaseLost();
        return writes();
      }),
  };
}

/** In a transaction of a claim that holds. False: it has waited for long enough. */
async function giveBack(
  database: AsyncDatabase,
  { id, parent }: Attempt,
  service: AwaitedService,
  now: number,
): Promise<boolean> {
  const sql = 'SELECT waits_since FROM work WHERE id = ?';
  const since = (await database.get(sql, [id], readWaitsSince)) ?? now;
  if (now - since >= limits.taskOutageMsMax) return false;
  if (parent !== undefined) holdWhole(database, parent, service, now);
  database.send(
    `UPDATE work SET attempts = attempts - 1, lease_owner = NULL, lease_expires = ?,
       waits_for = ?, waits_since = ?, updated = ? WHERE id = ?`,
    [now + pauseMs(now - since), service, since, now, id],
  );
  return true;
}

/** Progress has made the last attempt the first. */
async function excuse(database: AsyncDatabase, { id, lease }: Attempt): Promise<void> {
  await database.run(
    `UPDATE work SET attempts = attempts - 1 WHERE id = ? AND lease_owner <> ? AND attempts > 1
       AND status = 'running'`,
    [id, lease],
  );
}

/** What progress sets: an outage that is over counts no more. */
const further = `
  attempts = CASE WHEN ? > current THEN 1 ELSE attempts END,
  waits_since = CASE WHEN ? > current THEN NULL ELSE waits_since END,
  current = max(current, ?), total = ?`;

const readWaitsSince = (row: Row) => row.optionalInteger('waits_since');

/** As long as it has waited already: that doubles each time. */
function pauseMs(waitedMs: number): number {
  return Math.max(Math.min(waitedMs, limits.taskPostponedMsMax), limits.taskPostponedMs);
}

function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** From a row of the table `work`. */
export function readQueuedTask(row: Row): QueuedTask {
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
    waitsFor: readAwaitedService(row.optionalText('waits_for')),
    waitsSince: readWaitsSince(row),
    parent: row.optionalText('parent'),
    created: row.integer('created'),
    updated: row.integer('updated'),
  };
}

/** Failed tasks of an older Fovea have none. */
export function readErrorCode(row: Row, column: string): ErrorCode | undefined {
  const code = row.optionalText(column);
  return code !== undefined && isErrorCode(code) ? code : undefined;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
