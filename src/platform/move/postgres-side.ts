// A PostgreSQL database as a side of a move.

import { databaseSchemas } from '../../database-url.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Secret } from '../../secret.ts';
import type { DescribedColumn } from '../../storage/described-tables.ts';
import type { Value, Values } from '../../storage/ordered-rows.ts';
import {
  applicationName,
  schemaLock,
  unfinishedMove,
  unfinishedSchema,
} from '../../storage/postgres/migrations.ts';
import {
  openPostgresDatabase,
  openServerSession,
  type ServerSession,
} from '../../storage/postgres/postgres-database.ts';
import { platformMigrations } from '../database/migrations.ts';
import { serverImageIndex } from '../postgres/search-index/server-image-index.ts';
import {
  type ClaimedTarget,
  inUse,
  notEmpty,
  ofAnother,
  patiently,
  refuseVersion,
  type Source,
  type Target,
} from './source-and-target.ts';
import type { MovedTable } from './tables.ts';

const schema = databaseSchemas.platform;
const draft = unfinishedSchema(schema);
const place = 'the database';

/** As long as it is open nobody writes there: whoever does waits for a table of turns. */
export async function openServerSource(url: Secret): Promise<Source> {
  const session = await openServerSession(url, schema);
  try {
    await refuseOthers(session);
    if (!(await hasTables(session, schema)) && (await hasTables(session, draft))) {
      throw unfinishedMove('Run the "fovea migrate" that began it again: it goes on where it was.');
    }
    refuseVersion(await readVersion(session, schema), place);
    await session.command(`SET lock_timeout = ${limits.moveWaitMs};
      BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE turn_to_write IN EXCLUSIVE MODE`);
    const key = await readKey(session, schema);
    if (key === undefined) throw noDatasets();
    return {
      reader: session,
      index: serverImageIndex,
      key,
      lastNumber: async ({ name, numbered }) =>
        (await session.get(
          `SELECT greatest(coalesce(pg_sequence_last_value(
               pg_get_serial_sequence(?, ?)::regclass), 0),
             coalesce((SELECT max(${numbered}) FROM ${name}), 0)) AS n`,
          [name, numbered],
          (row) => row.integer('n'),
        )) ?? 0,
      close: () => session.close(),
    };
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

function noDatasets(): FoveaError {
  return new FoveaError('not_found', 'There are no datasets in the database.', {
    hint: 'Give the address in FOVEA_DATABASE_URL of a platform.',
  });
}

/** Connections of a process that was just killed end soon. */
async function refuseOthers(session: ServerSession): Promise<void> {
  const isFree = await patiently(async () => {
    const others = await session.get(
      `SELECT count(*) AS n FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = ?`,
      [applicationName],
      (row) => row.integer('n'),
    );
    return others === 0 ? true : undefined;
  });
  if (isFree === undefined) throw inUse(place);
}

/** Throws `not_found` where there are no datasets. */
async function readVersion(session: ServerSession, of: string): Promise<number> {
  if (!(await hasTables(session, of))) throw noDatasets();
  const sql = `SELECT version FROM ${of}.schema_version`;
  return (await session.get(sql, [], (row) => row.integer('version'))) ?? 0;
}

async function hasTables(session: ServerSession, of: string): Promise<boolean> {
  const found = await session.get(
    'SELECT count(*) AS n FROM pg_class WHERE relnamespace = to_regnamespace(?)::oid',
    [of],
    (row) => row.integer('n'),
  );
  return found !== undefined && found > 0;
}

async function readKey(session: ServerSession, of: string): Promise<Buffer | undefined> {
  const table = `${of}.link_key`;
  const sql = 'SELECT to_regclass(?) IS NOT NULL AS there';
  if (!(await session.get(sql, [table], (row) => row.boolean('there')))) return undefined;
  return session.get(`SELECT key FROM ${table}`, [], (row) => Buffer.from(row.bytes('key')));
}

/** Throws `conflict` where the database has datasets, or something of another platform. */
export async function claimServer(url: Secret, key: Buffer): Promise<ClaimedTarget> {
  const session = await openServerSession(url, draft);
  try {
    await takeLock(session);
    const isFilled = await hasTables(session, schema);
    const isMoved = isFilled && (await readKey(session, schema))?.equals(key) === true;
    // A platform may have begun its work there.
    if (!isMoved) await refuseOthers(session);
    if (isFilled) throw notEmpty(place, { isMoved, fix: 'Give another database.' });
    const discard = () => session.command(`DROP SCHEMA IF EXISTS ${draft} CASCADE`);
    if (await hasTables(session, draft)) {
      const kept = await readKey(session, draft);
      if (kept !== undefined && !kept.equals(key)) throw ofAnother(place);
      const isOurs = (await readVersion(session, draft)) === platformMigrations.length;
      if (!isOurs) await discard();
    }
    return {
      open: () => openServerTarget(url, session, key),
      discard,
      release: () => session.close(),
    };
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

/** It ends with the session, and so with the process. */
async function takeLock(session: ServerSession): Promise<void> {
  const taken = await patiently(async () => {
    const sql = 'SELECT pg_try_advisory_lock(hashtext(?)) AS taken';
    const isTaken = await session.get(sql, [draft], (row) => row.boolean('taken'));
    return isTaken ? true : undefined;
  });
  if (taken === undefined) throw inUse(place);
}

async function openServerTarget(url: Secret, session: ServerSession, key: Buffer): Promise<Target> {
  const database = await openPostgresDatabase(url, draft, platformMigrations);
  try {
    if ((await readKey(session, draft)) === undefined) await session.command(prepare(key));
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
  return {
    database,
    index: serverImageIndex,
    insert: async (table, rows) => {
      const names = table.columns.map(({ name }) => name).join(', ');
      const types = table.columns.map(({ name, type }) => `${name} ${serverTypes[type]}`);
      await database.run(
        `INSERT INTO ${table.name} (${names}) OVERRIDING SYSTEM VALUE
         SELECT ${names} FROM json_to_recordset(?::json) AS r (${types.join(', ')})`,
        [JSON.stringify(rows.map((row) => asObject(table, row)))],
      );
    },
    finish: async (numbers) => {
      await database.close();
      await session.command(finish(numbers));
    },
    close: () => database.close(),
  };
}

const serverTypes = {
  TEXT: 'text',
  INTEGER: 'bigint',
  REAL: 'double precision',
  BLOB: 'bytea',
} as const satisfies Record<DescribedColumn['type'], string>;

function asObject(table: MovedTable, row: Values): Readonly<Record<string, string | number>> {
  const values = row.values();
  const object: Record<string, string | number> = {};
  for (const column of table.columns) {
    const value: Value = table.copied.includes(column) ? values.next().value : 0;
    if (value instanceof Uint8Array) {
      object[column.name] = `\\x${Buffer.from(value).toString('hex')}`;
    } else if (value !== undefined) object[column.name] = value;
  }
  return object;
}

/**
 * Puts aside what would look at each row, or make an entry of it, and comes back at the end:
 * references between tables, indexes of words, and the triggers of the log of changes.
 */
function prepare(key: Buffer): string {
  return `BEGIN;
    CREATE TABLE put_aside (place BIGINT GENERATED ALWAYS AS IDENTITY, statement TEXT NOT NULL);
    INSERT INTO put_aside (statement) SELECT pg_get_indexdef(i.oid) ${wordIndexes};
    INSERT INTO put_aside (statement)
      SELECT format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, c.conname,
        pg_get_constraintdef(c.oid)) ${references};
    INSERT INTO put_aside (statement) SELECT format('ALTER TABLE %I ENABLE TRIGGER USER', t.relname)
      ${triggered};
    ${each(`SELECT format('DROP INDEX %I', i.relname) ${wordIndexes}`)};
    ${each(`SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', t.relname, c.conname) ${references}`)};
    ${each(`SELECT format('ALTER TABLE %I DISABLE TRIGGER USER', t.relname) ${triggered}`)};
    INSERT INTO link_key (only_one, key) VALUES (1, '\\x${key.toString('hex')}');
    COMMIT`;
}

const ours = 'current_schema()::regnamespace';
const wordIndexes = `FROM pg_class i JOIN pg_am a ON a.oid = i.relam
  WHERE i.relnamespace = ${ours} AND i.relkind = 'i' AND a.amname = 'gin'`;
const references = `FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
  WHERE c.connamespace = ${ours} AND c.contype = 'f'`;
const triggered = `FROM (SELECT DISTINCT t.relname FROM pg_trigger g JOIN pg_class t
  ON t.oid = g.tgrelid WHERE t.relnamespace = ${ours} AND NOT g.tgisinternal) t`;

/** Runs what a query gives. */
function each(query: string): string {
  return `DO $do$ DECLARE found record; BEGIN
    FOR found IN ${query} LOOP EXECUTE found.format; END LOOP;
  END $do$`;
}

/** All of it happens, or nothing. */
function finish(numbers: ReadonlyMap<MovedTable, number>): string {
  const sequences = [...numbers]
    .filter(([, number]) => number > 0)
    .map(
      ([{ name, numbered }, number]) =>
        `SELECT setval(pg_get_serial_sequence('${name}', '${numbered}'), ${number});`,
    );
  return `BEGIN;
    ${schemaLock(schema)};
    DO $do$ DECLARE found record; BEGIN
      FOR found IN SELECT statement FROM put_aside ORDER BY place LOOP
        EXECUTE found.statement;
      END LOOP;
    END $do$;
    ${sequences.join('\n')}
    DROP TABLE put_aside;
    DROP SCHEMA IF EXISTS ${schema};
    ALTER SCHEMA ${draft} RENAME TO ${schema};
    COMMIT`;
}
