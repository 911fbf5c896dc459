// What every driver of the asynchronous database promises: the same questions for SQLite and for
// PostgreSQL.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { currentWork, runFor } from '../../src/current-caller.ts';
import type { AsyncDatabase } from '../../src/storage/async-database.ts';

/** The tables of the suite. */
export const things = {
  name: 'things',
  sql: `CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;
    CREATE TABLE kinds (id TEXT PRIMARY KEY, whole INTEGER, part REAL, bytes BLOB, flag INTEGER,
      note TEXT) STRICT;`,
};

export const add = (database: AsyncDatabase, name: string) =>
  database.run('INSERT INTO things VALUES (?)', [name]);

export const names = (database: Pick<AsyncDatabase, 'all'>) =>
  database.all('SELECT name FROM things ORDER BY name', [], (row) => row.text('name'));

/** `open` gives an empty one, with `things`, for each test. */
export function judgeAsyncDatabase(open: Open): void {
  judgeTransactions(open);
  judgeSent(open);
  judgeEnds(open);
  judgeReads(open);
  judgeStatements(open);
}

type Open = () => Promise<AsyncDatabase>;

function judgeTransactions(open: Open): void {
  test('the work of each is done for its own caller', async () => {
    const database = await open();
    const callers = await Promise.all(
      ['a', 'b'].map((name) =>
        runFor({ name, group: name }, () => database.transaction(async () => currentWork()?.name)),
      ),
    );
    expect(callers).toEqual(['a', 'b']);
  });

  test('one that throws leaves nothing, and the next one has its turn', async () => {
    const database = await open();
    const failing = database.transaction(async () => {
      await add(database, 'a');
      throw new Error('no');
    });
    const next = database.transaction(() => add(database, 'b'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe(1);
    expect(await names(database)).toEqual(['b']);
  });

  test('an inner one that throws undoes its own changes alone', async () => {
    const database = await open();
    await database.transaction(async () => {
      await add(database, 'a');
      const inner = database.transaction(async () => {
        await add(database, 'b');
        throw new Error('no');
      });
      await expect(inner).rejects.toThrow('no');
      await database.transaction(() => add(database, 'c'));
      expect(await names(database)).toEqual(['a', 'c']);
    });
    expect(await names(database)).toEqual(['a', 'c']);
  });

  test('inner ones that are begun together take turns', async () => {
    const database = await open();
    await database.transaction(async () => {
      const failing = database.transaction(async () => {
        await add(database, 'a');
        await nextTurn();
        throw new Error('no');
      });
      const other = database.transaction(() => add(database, 'b'));
      await Promise.allSettled([failing, other]);
    });
    expect(await names(database)).toEqual(['b']);
  });
}

function judgeSent(open: Open): void {
  const send = (database: AsyncDatabase, name: string) =>
    database.send('INSERT INTO things VALUES (?)', [name]);

  test('what is sent without waiting is done in the order of the calls', async () => {
    const database = await open();
    await database.transaction(async () => {
      send(database, 'a');
      database.send("UPDATE things SET name = name || '1'");
      const between = names(database);
      send(database, 'b');
      expect(await between).toEqual(['a1']);
    });
    expect(await names(database)).toEqual(['a1', 'b']);
    expect(() => send(database, 'c')).toThrow('in no transaction');
  });

  test('what was sent and fails is the failure of its transaction', async () => {
    const database = await open();
    await add(database, 'a');
    const failing = database.transaction(async () => {
      await add(database, 'b');
      send(database, 'a');
      send(database, 'c');
    });
    await expect(failing).rejects.toMatchObject({ code: 'internal' });
    expect(await names(database)).toEqual(['a']);
  });

  test('what was sent within an inner one and fails undoes that alone', async () => {
    const database = await open();
    await database.transaction(async () => {
      send(database, 'a');
      const inner = database.transaction(async () => {
        send(database, 'b');
        send(database, 'a');
      });
      await expect(inner).rejects.toMatchObject({ code: 'internal' });
      send(database, 'c');
    });
    expect(await names(database)).toEqual(['a', 'c']);
  });
}

function judgeEnds(open: Open): void {
  test('work that nobody waited for is refused, and is no part of what comes next', async () => {
    const database = await open();
    let late: Promise<unknown> = Promise.resolve();
    await database.transaction(async () => {
      const adding = nextTurn().then(() => add(database, 'late'));
      late = expect(adding).rejects.toThrow('has ended');
    });
    await late;
    await add(database, 'a');
    expect(await names(database)).toEqual(['a']);
  });

  test('the work of a refused commit is undone', async () => {
    const database = await open();
    await database.run(`CREATE TABLE parts (thing TEXT REFERENCES things
      DEFERRABLE INITIALLY DEFERRED)`);
    const adding = database.transaction(async () => {
      await add(database, 'a');
      await database.run("INSERT INTO parts VALUES ('gone')");
    });
    await expect(adding).rejects.toMatchObject({ code: 'internal' });
    expect(await names(database)).toEqual([]);
    await add(database, 'b');
    expect(await names(database)).toEqual(['b']);
  });
}

function judgeReads(open: Open): void {
  test('reads outside a transaction cannot write', async () => {
    const database = await open();
    const writing = database.get("INSERT INTO things VALUES ('a') RETURNING name", [], (row) =>
      row.text('name'),
    );
    await expect(writing).rejects.toMatchObject({ code: 'internal' });
    expect(await names(database)).toEqual([]);
  });

  test('a snapshot keeps its state, and the loop reads rows as long as they are wanted', async () => {
    const database = await open();
    for (const name of ['a', 'b', 'c']) await add(database, name);
    const snapshot = await database.snapshot();
    await database.run('DELETE FROM things');
    expect(await names(database)).toEqual([]);
    const seen: string[] = [];
    await snapshot.each('SELECT name FROM things ORDER BY name', [], (row) => {
      seen.push(row.text('name'));
      return seen.length < 2;
    });
    expect(seen).toEqual(['a', 'b']);
    snapshot.close();
  });

  test('values come back as they were given', async () => {
    const database = await open();
    const values = ['é \u{1F600}', 2 ** 53 - 1, 0.1, new Uint8Array([0, 255]), true, undefined];
    await database.run('INSERT INTO kinds VALUES (?, ?, ?, ?, ?, ?)', values);
    const kept = await database.get('SELECT * FROM kinds', [], (row) => [
      row.text('id'),
      row.integer('whole'),
      row.real('part'),
      [...row.bytes('bytes')],
      row.boolean('flag'),
      row.optionalText('note'),
    ]);
    expect(kept).toEqual(['é \u{1F600}', 2 ** 53 - 1, 0.1, [0, 255], true, undefined]);
    const wrong = database.get('SELECT * FROM kinds', [], (row) => row.integer('note'));
    await expect(wrong).rejects.toThrow('NULL, where a whole number belongs');
  });
}

function judgeStatements(open: Open): void {
  test('names stand for values, as often as they are used, and not within texts', async () => {
    const database = await open();
    const sql = `INSERT INTO things SELECT :name WHERE NOT EXISTS
      (SELECT 1 FROM things WHERE name = :name OR name = ':name ?')`;
    expect(await database.run(sql, { name: 'a' })).toBe(1);
    expect(await database.run(sql, { name: 'a' })).toBe(0);
    await add(database, ':name ?');
    expect(await database.run(sql, { name: 'b' })).toBe(0);
  });

  test('texts are in the order of their bytes', async () => {
    const database = await open();
    for (const name of ['b', 'a', 'B', 'ä', 'a b', 'A']) await add(database, name);
    expect(await names(database)).toEqual(['A', 'B', 'a', 'a b', 'b', 'ä']);
  });

  test('a list is one parameter, and a group one value', async () => {
    const database = await open();
    const insert = 'INSERT INTO things SELECT value FROM json_each(?)';
    expect(await database.run(insert, [JSON.stringify(['b', 'a', '"'])])).toBe(3);
    const group = (where: string) =>
      database.get(
        `SELECT json_group_array(name ORDER BY name) AS names FROM things ${where}`,
        [],
        (row) => row.json('names'),
      );
    expect(await group('')).toEqual(['"', 'a', 'b']);
    expect(await group('WHERE false')).toEqual([]);
  });

  test('a row that is there already is left alone, or is an error', async () => {
    const database = await open();
    await add(database, 'a');
    const again = 'INSERT INTO things VALUES (?) ON CONFLICT DO NOTHING';
    expect(await database.run(again, ['a'])).toBe(0);
    await expect(add(database, 'a')).rejects.toMatchObject({ code: 'internal' });
  });
}
