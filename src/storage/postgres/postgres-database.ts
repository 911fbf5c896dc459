// The driver of the asynchronous database for PostgreSQL: a pool of connections, on each of which a
// transaction of its own can run.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ClientBase, Pool, PoolClient, QueryArrayResult } from 'pg';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Secret } from '../../secret.ts';
import { SerialQueue } from '../../serial-queue.ts';
import type { AsyncDatabase, AsyncReader, AsyncSnapshot } from '../async-database.ts';
import type { Row, SqlParameters } from '../database.ts';
import type { Migration } from '../migrations.ts';
import { TransactionScope } from '../transaction-scope.ts';
import { type Columns, readRow } from '../typed-row.ts';
import {
  asStorageError,
  isConnectionLost,
  isRefusedAfterFailure,
  isWorthAnother,
} from './errors.ts';
import { applicationName, checkVersions, migrate } from './migrations.ts';
import { refuseUnfit } from './probe-server.ts';
import { statementOf } from './statements.ts';

/** The one who opened it closes it. */
export interface OpenServerDatabase extends AsyncDatabase {
  /** `turn`: SQL with which an outer one begins, that waits for a lock before it sees anything. */
  transaction<T>(work: () => Promise<T>, turn?: string): Promise<T>;
  /** Ends its connections. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Connects, and makes or updates the tables in a PostgreSQL schema of that name. The work of a
 * transaction runs again where others have changed meanwhile what it read: it counts nothing
 * outside of the database. Throws `unavailable` where the server cannot be reached, and `internal`
 * where it cannot be used.
 */
export async function openPostgresDatabase(
  url: Secret,
  schema: string,
  migrations: readonly Migration[],
): Promise<OpenServerDatabase> {
  let isMade = false;
  const check = async (client: ClientBase) => {
    if (isMade) await checkVersions(client, migrations.length);
  };
  const writers = await createPool(url, schema, rulesOfWriters, check);
  const readers = await createPool(url, schema, rulesOfReaders, check);
  const database = new PostgresDriver(writers, readers, migrations.length);
  try {
    await inClient(writers, (client) =>
      translated(async () => {
        await refuseUnfit(client);
        await migrate(client, schema, migrations);
      }),
    );
    isMade = true;
    return database;
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}

/**
 * Whoever looks through a whole table is in conflict with all who write into it. By an index few
 * rows are looked at.
 */
const rulesOfWriters = [
  'default_transaction_isolation=serializable',
  'enable_seqscan=off',
  `idle_in_transaction_session_timeout=${limits.databaseIdleWriterMsMax}`,
];

const rulesOfReaders = [
  'default_transaction_read_only=on',
  `idle_in_transaction_session_timeout=${limits.databaseIdleTransactionMsMax}`,
];

/** One connection for long work. What is sent without waiting runs in the order of the calls. */
export interface ServerSession extends AsyncReader {
  /** Statements without parameters. */
  command(sql: string): Promise<void>;
  /** Ends it, and so its transaction and its locks. */
  close(): Promise<void>;
}

/** Makes nothing. It sees the tables of `schema`. Throws as `openPostgresDatabase` does. */
export async function openServerSession(url: Secret, schema: string): Promise<ServerSession> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url.reveal(),
    options: `-c search_path=${schema} -c jit=off`,
    application_name: 'fovea session',
    connectionTimeoutMillis: limits.databaseConnectMsMax,
    keepAlive: true,
  });
  client.on('error', () => {});
  await translated(async () => {
    await client.connect();
    await refuseUnfit(client);
  }).catch(async (thrown) => {
    await client.end().catch(() => {});
    throw thrown;
  });
  return new PostgresSession(client);
}

/** `rules`: settings of its connections; `check`: what a new one is asked before it is used. */
async function createPool(
  url: Secret,
  schema: string,
  rules: readonly string[],
  check: (client: ClientBase) => Promise<void>,
): Promise<Pool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    // To compile a statement takes longer than nearly all of ours run.
    options: [`search_path=${schema}`, 'jit=off', ...rules].map((rule) => `-c ${rule}`).join(' '),
    application_name: applicationName,
    max: limits.databaseConnectionsMax,
    connectionTimeoutMillis: limits.databaseConnectMsMax,
    idleTimeoutMillis: limits.databaseIdleConnectionMs,
    statement_timeout: limits.databaseStatementMsMax,
    keepAlive: true,
    // Statements that are sent together take one round trip.
    pipeline: true,
    allowExitOnIdle: true,
    onConnect: check,
  });
  // A connection may end at any time; the call that has it hears of it, and the next has another.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Something that statements can be sent to. */
type Connection = Pick<ClientBase, 'query'>;

/** A transaction, or one within it. */
interface Running {
  readonly client: PoolClient;
  readonly innerQueue: SerialQueue;
  /** Statements that nobody waits for; none of these rejects. */
  readonly sent: Promise<void>[];
  /** Why the first of them failed. */
  failure?: unknown;
}

abstract class PostgresReads implements AsyncReader {
  async all<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): Promise<T[]> {
    const { rows, columns } = await this.query(sql, parameters);
    return rows.map((values) => read(readRow(values, columns)));
  }

  async get<T>(
    sql: string,
    parameters: SqlParameters,
    read: (row: Row) => T,
  ): Promise<T | undefined> {
    const { rows, columns } = await this.query(sql, parameters);
    return rows.length === 0 ? undefined : read(readRow(rows[0], columns));
  }

  async each(sql: string, parameters: SqlParameters, read: (row: Row) => boolean): Promise<void> {
    await this.readingOn((client) => eachRow(client, sql, parameters, read));
  }

  protected abstract query(sql: string, parameters: SqlParameters): Promise<Answer>;

  /** Within a transaction, which a cursor needs. */
  protected abstract readingOn(read: (client: Connection) => Promise<void>): Promise<void>;
}

class PostgresDriver extends PostgresReads implements OpenServerDatabase {
  readonly #writers: Pool;
  /** Their connections cannot write. */
  readonly #readers: Pool;
  readonly #scope = new TransactionScope<Running>();
  /** How many steps of its schema it knows. */
  readonly #known: number;
  #isOpen = true;

  constructor(writers: Pool, readers: Pool, known: number) {
    super();
    this.#writers = writers;
    this.#readers = readers;
    this.#known = known;
  }

  get isInTransaction(): boolean {
    return this.#scope.isInside;
  }

  async run(sql: string, parameters: SqlParameters = []): Promise<number> {
    const running = this.#scope.current();
    const sending = running
      ? send(running.client, sql, parameters, true)
      : again(() => send(this.#writers, sql, parameters));
    return (await sending).changed;
  }

  send(sql: string, parameters: SqlParameters = []): void {
    const running = this.#scope.toSend();
    defer(running, send(running.client, sql, parameters, true));
  }

  async transaction<T>(work: () => Promise<T>, turn = ''): Promise<T> {
    const outer = this.#scope.current();
    if (outer !== undefined) return outer.innerQueue.run(() => this.#inner(outer, work));
    return again(() => inClient(this.#writers, (client) => this.#outer(client, work, turn)));
  }

  /** It begins in the round trip of its first statement. */
  async #outer<T>(client: PoolClient, work: () => Promise<T>, turn: string): Promise<T> {
    const running = newRunning(client);
    try {
      defer(running, command(client, `BEGIN; ${turn}`));
      const result = await this.#scope.within(running, work);
      await commit(running);
      return result;
    } catch (thrown) {
      // Without its connection it is undone already.
      await command(client, 'ROLLBACK').catch(() => {});
      throw await causeOf(running, thrown);
    }
  }

  async #inner<T>(outer: Running, work: () => Promise<T>): Promise<T> {
    const running = newRunning(outer.client);
    try {
      defer(running, command(outer.client, 'SAVEPOINT inside'));
      const result = await this.#scope.within(running, work);
      const releasing = command(outer.client, 'RELEASE SAVEPOINT inside');
      // Where all was waited for, nothing can have failed.
      if (running.sent.length === 1) defer(outer, releasing);
      else await releasing;
      return result;
    } catch (thrown) {
      const undo = 'ROLLBACK TO SAVEPOINT inside; RELEASE SAVEPOINT inside';
      // What failed before it undoes the outer one too.
      await command(outer.client, undo).catch(() => {});
      throw await causeOf(running, thrown);
    }
  }

  async snapshot(): Promise<AsyncSnapshot> {
    const client = await translated(() => this.#readers.connect());
    try {
      await command(client, 'BEGIN ISOLATION LEVEL REPEATABLE READ');
      // The first statement fixes the state that all see.
      await command(client, 'SELECT 1');
    } catch (thrown) {
      client.release(true);
      throw thrown;
    }
    return new PostgresSnapshot(client);
  }

  checkTables(): Promise<void> {
    return inClient(this.#readers, (client) =>
      translated(() => checkVersions(client, this.#known)),
    );
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await Promise.all([this.#writers.end(), this.#readers.end()]);
  }

  protected async query(sql: string, parameters: SqlParameters): Promise<Answer> {
    const running = this.#scope.current();
    return running
      ? send(running.client, sql, parameters, true)
      : send(this.#readers, sql, parameters);
  }

  protected async readingOn(read: (client: Connection) => Promise<void>): Promise<void> {
    const running = this.#scope.current();
    if (running !== undefined) return read(running.client);
    await inClient(this.#readers, async (client) => {
      // In the round trip of what is read; it ends with the cursors in it.
      const beginning = command(client, 'BEGIN');
      const [, reading] = await Promise.allSettled([beginning, read(client)]);
      await command(client, 'ROLLBACK');
      await beginning;
      if (reading.status === 'rejected') throw reading.reason;
    });
  }
}

class PostgresSnapshot extends PostgresReads implements AsyncSnapshot {
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    super();
    this.#client = client;
  }

  async close(): Promise<void> {
    await this.#client.query('COMMIT').then(
      () => this.#client.release(),
      () => this.#client.release(true),
    );
  }

  protected query(sql: string, parameters: SqlParameters): Promise<Answer> {
    return send(this.#client, sql, parameters);
  }

  protected readingOn(read: (client: Connection) => Promise<void>): Promise<void> {
    return read(this.#client);
  }
}

class PostgresSession extends PostgresReads implements ServerSession {
  readonly #client: Client;

  constructor(client: Client) {
    super();
    this.#client = client;
  }

  command(sql: string): Promise<void> {
    return command(this.#client, sql);
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  protected query(sql: string, parameters: SqlParameters): Promise<Answer> {
    return send(this.#client, sql, parameters);
  }

  protected readingOn(read: (client: Connection) => Promise<void>): Promise<void> {
    return read(this.#client);
  }
}

interface Answer {
  readonly rows: readonly unknown[];
  readonly columns: Columns;
  /** Rows that a statement changed. */
  readonly changed: number;
}

/** `isKept`: the connection keeps the statement and its plan for the next time. */
async function send(
  connection: Connection,
  sql: string,
  parameters: SqlParameters,
  isKept = false,
): Promise<Answer> {
  const { text, values } = statementOf(sql, parameters);
  const query = {
    name: isKept ? nameOf(text) : undefined,
    text,
    values: [...values],
    rowMode: 'array' as const,
    types: { getTypeParser: parserOf },
  };
  const result: QueryArrayResult<unknown[]> = await translated(() => connection.query(query));
  return { rows: result.rows, columns: columnsOf(result), changed: result.rowCount ?? 0 };
}

/** Names of kept statements, by their texts. */
const kept = new Map<string, string>();

/** Undefined where too many are kept. */
function nameOf(text: string): string | undefined {
  const known = kept.get(text);
  if (known !== undefined || kept.size === limits.databaseStatementsMax) return known;
  const name = `kept_${kept.size}`;
  kept.set(text, name);
  return name;
}

function columnsOf({ fields }: QueryArrayResult<unknown[]>): Columns {
  const places = new Map(fields.map(({ name }, place) => [name, place]));
  return { placeOf: (column) => places.get(column), nameOf: (column) => column };
}

/** Whole numbers and numbers as numbers, bytes as bytes, all else as text: as SQLite gives them. */
function parserOf(type: number): (text: string) => unknown {
  if (numberTypes.has(type)) return Number;
  if (type === booleanType) return (text) => Number(text === 't');
  if (type === bytesType) return (text) => Buffer.from(text.slice(2), 'hex');
  return String;
}

/** int8, int2, int4, float4, float8, numeric. */
const numberTypes: ReadonlySet<number> = new Set([20, 21, 23, 700, 701, 1700]);
const booleanType = 16;
const bytesType = 17;

/** Some rows at a time: what comes behind the last one that is wanted stays in the database. */
async function eachRow(
  client: Connection,
  sql: string,
  parameters: SqlParameters,
  read: (row: Row) => boolean,
): Promise<void> {
  cursors += 1;
  const cursor = `rows_${cursors}`;
  const declaring = send(client, `DECLARE ${cursor} NO SCROLL CURSOR FOR ${sql}`, parameters);
  for (;;) {
    const fetching = send(client, `FETCH ${limits.databaseRowsAtOnce} FROM ${cursor}`, []);
    // Where the cursor is refused, that is the reason.
    const [, { rows, columns }] = await Promise.all([declaring, fetching]);
    if (rows.some((values) => !read(readRow(values, columns)))) break;
    if (rows.length < limits.databaseRowsAtOnce) break;
  }
  // Nobody waits for it: where the line is lost, the next statement says so.
  command(client, `CLOSE ${cursor}`).catch(() => {});
}

/** Some may be open in one transaction. */
let cursors = 0;

async function command(connection: Connection, text: string): Promise<void> {
  await translated(() => connection.query(text));
}

function newRunning(client: PoolClient): Running {
  return { client, innerQueue: new SerialQueue(), sent: [] };
}

/** What follows in the transaction waits for it in the server alone. */
function defer(running: Running, sending: Promise<unknown>): void {
  const settled = sending.then(
    () => {},
    (thrown) => {
      // Those behind one that failed are refused: they say nothing of the reason.
      if (!isRefusedAfterFailure(thrown)) running.failure ??= thrown;
    },
  );
  running.sent.push(settled);
}

/** The first failure of a transaction, where that is not what its work heard of. */
async function causeOf(running: Running, thrown: unknown): Promise<unknown> {
  await Promise.all(running.sent);
  return running.failure ?? thrown;
}

/** Where the work went on after an error, PostgreSQL undoes all of it, and says so in a word. */
async function commit(running: Running): Promise<void> {
  const { command: done } = await translated(() => running.client.query('COMMIT'));
  if (done === 'COMMIT') return;
  throw new FoveaError('internal', 'A statement of a transaction failed: nothing was stored.');
}

/** A connection that failed is not used again. */
async function inClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await translated(() => pool.connect());
  let isLost = false;
  try {
    return await work(client);
  } catch (thrown) {
    isLost = isConnectionLost(thrown);
    throw thrown;
  } finally {
    client.release(isLost);
  }
}

/** As long as others have changed meanwhile what it read, and it may come through. */
async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (!isWorthAnother(thrown) || attempts === limits.databaseAttemptsMax) throw thrown;
      await sleep(Math.random() * limits.databaseRetryMs * 2 ** Math.min(attempts, 6));
    }
  }
}

async function translated<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw asStorageError(thrown);
  }
}
