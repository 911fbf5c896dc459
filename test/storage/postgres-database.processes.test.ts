// The database whose calls resolve, on PostgreSQL: what every driver promises, and what several
// processes on one server see of each other.

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { asFoveaError, type FoveaError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';
import {
  type OpenServerDatabase,
  openPostgresDatabase,
} from '../../src/storage/postgres/postgres-database.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';
import { add, judgeAsyncDatabase, names, things } from './async-database-suite.ts';

let server: PostgresServer;

const schema = 'fovea_things';

async function open(url: Secret, migrations = [things]): Promise<OpenServerDatabase> {
  const database = await openPostgresDatabase(url, schema, migrations);
  onTestFinished(() => database.close());
  return database;
}

async function refusal(opening: Promise<unknown>): Promise<FoveaError> {
  return asFoveaError(
    await opening.then(
      () => undefined,
      (thrown) => thrown,
    ),
  );
}

async function openNew(): Promise<OpenServerDatabase> {
  return open(await server.database());
}

describe.skipIf(!hasPostgres)('on PostgreSQL', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  judgeAsyncDatabase(openNew);

  test('many open an empty database at once, and all find the same tables', async () => {
    const url = await server.database();
    const opened = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    await Promise.all(opened.map((each, place) => add(each, `${place}`)));
    for (const each of opened) expect(await names(each)).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  test('a database that is missing is named, and so is a server without TLS', async () => {
    const url = (await server.database()).reveal();
    const missing = new Secret(url.replace(/[^/]+(?=[?])/, 'typo'));
    const { message, hint } = await refusal(open(missing));
    expect(message).toBe('The server has no database "typo".');
    expect(hint).toContain('correct the name at the end of the address');
    const plain = await refusal(open(new Secret(`${url}&sslmode=verify-full`)));
    expect(plain.message).toBe('The database has no TLS, which its sslmode asks for.');
    expect(plain.hint).toContain('sslmode=disable');
  });

  test('an older Fovea works beside a newer one whose steps add alone', async () => {
    const url = await server.database();
    const older = await open(url);
    const whole = async () => {
      const read = () => older.all('SELECT * FROM things', [], (row) => row.text('name'));
      return older.transaction(read);
    };
    await add(older, 'a');
    // Connections keep this statement, whose columns are others afterwards.
    await Promise.all(Array.from({ length: 8 }, whole));
    const next = { name: 'notes', sql: 'ALTER TABLE things ADD COLUMN note TEXT;' };
    const newer = await open(url, [things, next]);
    expect(await Promise.all(Array.from({ length: 8 }, whole))).toEqual(Array(8).fill(['a']));
    await older.run("INSERT INTO things (name) VALUES ('b')");
    const restarted = await open(url);
    await restarted.run("INSERT INTO things (name) VALUES ('c')");
    expect(await names(newer)).toEqual(['a', 'b', 'c']);
  });

  test('a step that older ones cannot take ends their work, and refuses them', async () => {
    const url = await server.database();
    const older = await open(url);
    await add(older, 'a');
    const next = { name: 'other', sql: 'DROP TABLE kinds;', endsOlder: true as const };
    const newer = await open(url, [things, next]);
    const works = [
      () => names(older),
      () => add(older, 'b'),
      () => older.transaction(() => add(older, 'c')),
    ];
    for (const work of works) {
      await expect(work()).rejects.toMatchObject({
        code: 'unavailable',
        status: 503,
        message: expect.stringMatching(/newer Fovea .* too old/),
      });
    }
    await expect(open(url)).rejects.toThrow('version 2; this Fovea knows versions up to 1');
    await add(newer, 'd');
    expect(await names(newer)).toEqual(['a', 'd']);
  });

  test('a step that waits for a long read lets others read meanwhile', async () => {
    const url = await server.database();
    const older = await open(url);
    await add(older, 'a');
    const reading = await older.snapshot();
    await names(reading);
    const watching = await open(url, [things]);
    const next = { name: 'notes', sql: 'ALTER TABLE things ADD COLUMN note TEXT;' };
    let isOpen = false;
    const opening = open(url, [things, next]).then((newer) => {
      isOpen = true;
      return newer;
    });
    const waiting =
      "SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND locktype = 'relation'";
    const isWaiting = () => watching.get(waiting, [], (row) => row.integer('n') === 1);
    await vi.waitFor(async () => expect(await isWaiting()).toBe(true), { timeout: 20_000 });
    expect(await names(older)).toEqual(['a']);
    expect(isOpen).toBe(false);
    reading.close();
    const newer = await opening;
    await newer.run("UPDATE things SET note = 'b'");
    expect(await names(older)).toEqual(['a']);
  });

  test('work of an older one that goes on while such a step is made is not stored', async () => {
    const url = await server.database();
    const older = await open(url);
    const next = { name: 'other', sql: 'DROP TABLE kinds;', endsOlder: true as const };
    const working = older.transaction(async () => {
      await add(older, 'a');
      await open(url, [things, next]);
      await add(older, 'b');
    });
    await expect(working).rejects.toMatchObject({ code: 'unavailable' });
    expect(await names(await open(url, [things, next]))).toEqual([]);
  });

  test('a connection that is made while such a step runs is refused too', async () => {
    const url = await server.database();
    const older = await open(url);
    const changing = new pg.Client({ connectionString: url.reveal() });
    await changing.connect();
    onTestFinished(() => changing.end());
    await changing.query(`BEGIN; LOCK TABLE ${schema}.schema_version IN ACCESS EXCLUSIVE MODE`);
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    // It has the connection that is there.
    const holding = older.transaction(() => held);
    const adding = refusal(add(older, 'a'));
    const isWaiting = async () => {
      const { rows } = await changing.query('SELECT 1 FROM pg_locks WHERE NOT granted');
      expect(rows).toHaveLength(1);
    };
    await vi.waitFor(isWaiting, { timeout: 20_000 });
    await changing.query(`UPDATE ${schema}.schema_version SET version = 2, least = 2; COMMIT`);
    expect((await adding).message).toBe(
      'A newer Fovea has changed the tables: this one is too old.',
    );
    end();
    await holding;
  });

  test('a step that fails leaves nothing', async () => {
    const url = await server.database();
    const bad = { name: 'bad', sql: 'CREATE TABLE other (id TEXT) STRICT; SELECT nothing;' };
    await expect(open(url, [things, bad])).rejects.toMatchObject({ code: 'internal' });
    expect(await names(await open(url))).toEqual([]);
  });

  test('what others change meanwhile is seen: no two of them find the same last place', async () => {
    const url = await server.database();
    const opened = await Promise.all([open(url), open(url), open(url)]);
    let runs = 0;
    const takeNext = (database: OpenServerDatabase) =>
      database.transaction(async () => {
        runs += 1;
        const taken = await names(database);
        const name = `${taken.length}`.padStart(2, '0');
        await add(database, name);
        return name;
      });
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, turn) => takeNext(opened[turn % 3] ?? opened[0])),
    );
    expect(taken.toSorted()).toEqual(Array.from({ length: 12 }, (_, n) => `${n}`.padStart(2, '0')));
    expect(runs).toBeGreaterThan(12);
  });

  test('a transaction tells which of its statements failed, not those behind it', async () => {
    const database = await openNew();
    await add(database, 'a');
    const failing = database.transaction(async () => {
      database.send("INSERT INTO things VALUES ('a')");
      database.send("INSERT INTO things VALUES ('b')");
      await names(database);
    });
    await expect(failing).rejects.toMatchObject({ cause: { code: '23505' } });
    expect(await names(database)).toEqual(['a']);
  });

  test('who reads some rows of a small table keeps nobody from writing others', async () => {
    const database = await openNew();
    for (const name of ['a', 'b', 'c']) await add(database, name);
    await database.run('ANALYZE things');
    const locked = await database.transaction(async () => {
      const sql = 'SELECT name FROM json_each(?) AS wanted JOIN things ON name = wanted.value';
      await database.all(sql, ['["a"]'], (row) => row.text('name'));
      return database.all(
        `SELECT locktype FROM pg_locks WHERE mode = 'SIReadLock' AND pid = pg_backend_pid()
           AND relation = 'things'::regclass`,
        [],
        (row) => row.text('locktype'),
      );
    });
    expect(locked).toEqual(['tuple']);
  });

  test('a text with U+0000 is refused', async () => {
    const database = await openNew();
    await expect(add(database, 'a\0b')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await names(database)).toEqual([]);
  });

  test('a server that is gone is said to be, and is used again when it is back', async () => {
    const database = await openNew();
    await add(database, 'a');
    await server.kill();
    await expect(names(database)).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    await expect(database.transaction(() => add(database, 'b'))).rejects.toMatchObject({
      code: 'unavailable',
      service: 'database',
    });
    await server.start();
    await add(database, 'c');
    expect(await names(database)).toEqual(['a', 'c']);
  });

  test('a transaction that loses its server has not happened', async () => {
    const database = await openNew();
    const working = database.transaction(async () => {
      await add(database, 'a');
      await server.kill();
      await add(database, 'b');
    });
    await expect(working).rejects.toMatchObject({ code: 'unavailable', service: 'database' });
    await server.start();
    expect(await names(database)).toEqual([]);
  });

  test('a long answer is fetched in parts, and only as far as it is wanted', async () => {
    const database = await openNew();
    await database.run(`INSERT INTO things SELECT 'n' || lpad(n::text, 5, '0')
      FROM generate_series(1, 5000) AS n`);
    const seen: string[] = [];
    await database.each('SELECT name FROM things ORDER BY name', [], (row) => {
      seen.push(row.text('name'));
      return seen.length < 1_200;
    });
    expect(seen).toHaveLength(1_200);
    expect(seen.at(-1)).toBe('n01200');
    await database.transaction(async () => {
      let rows = 0;
      await database.each('SELECT name FROM things', [], () => {
        rows += 1;
        return true;
      });
      expect(rows).toBe(5_000);
    });
  });
});
