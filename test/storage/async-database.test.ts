// The database whose calls resolve: transactions keep their turn, and nobody sees half of one.

import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { currentWork, runFor } from '../../src/current-caller.ts';
import { limits } from '../../src/limits.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../../src/storage/async-database.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const schema = { name: 'things', sql: 'CREATE TABLE things (name TEXT PRIMARY KEY) STRICT;' };

async function openThings() {
  const path = join(await temporaryFolder(), 'things.db');
  const database = openAsyncDatabase(path, [schema]);
  onTestFinished(() => database.close());
  return { database, path };
}

const add = (database: AsyncDatabase, name: string) =>
  database.run('INSERT INTO things VALUES (?)', [name]);

const names = (database: Pick<AsyncDatabase, 'all'>) =>
  database.all('SELECT name FROM things ORDER BY name', [], (row) => row.text('name'));

test('what is called within a transaction belongs to it; others see what was committed', async () => {
  const { database } = await openThings();
  const { promise, resolve } = Promise.withResolvers<void>();
  expect(database.isInTransaction).toBe(false);
  const adding = database.transaction(async () => {
    await add(database, 'a');
    expect(database.isInTransaction).toBe(true);
    expect(await names(database)).toEqual(['a']);
    await promise;
    return 'done';
  });
  await nextTurn();
  expect(await names(database)).toEqual([]);
  expect(database.reader.all('SELECT name FROM things', [], (row) => row.text('name'))).toEqual([]);
  resolve();
  expect(await adding).toBe('done');
  expect(await names(database)).toEqual(['a']);
});

test('transactions and statements that write take turns', async () => {
  const { database } = await openThings();
  const order: string[] = [];
  const slowly = (name: string) =>
    database.transaction(async () => {
      order.push(`${name} begins`);
      await nextTurn();
      await add(database, name);
      order.push(`${name} ends`);
    });
  await Promise.all([
    slowly('a'),
    slowly('b'),
    add(database, 'c').then(() => order.push('c')),
    slowly('d'),
  ]);
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'd begins', 'd ends', 'c']);
});

test('those that wait together share one commit', async () => {
  const { database } = await openThings();
  const first = database.transaction(() => add(database, 'a'));
  const second = database.transaction(async () => {
    expect(await names(database)).toEqual(['a']);
    return database.reader.all('SELECT name FROM things', [], (row) => row.text('name'));
  });
  expect(await first).toBe(1);
  expect(await second).toEqual([]);
  expect(await names(database)).toEqual(['a']);
});

test('where SQLite undoes all of a group, those that had not begun are done all the same', async () => {
  const { database } = await openThings();
  await database.run(`CREATE TRIGGER refuse BEFORE INSERT ON things WHEN NEW.name = 'bad'
    BEGIN SELECT RAISE(ROLLBACK, 'refused'); END`);
  const ends = await Promise.allSettled(
    ['a', 'bad', 'c', 'd'].map((name) => database.transaction(() => add(database, name))),
  );
  expect(ends.map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await names(database)).toEqual(['c', 'd']);
});

test('what one commit has no time for waits for the next one, and others are served', async () => {
  const { database } = await openThings();
  const long = database.transaction(async () => {
    const endMs = performance.now() + limits.databaseSharedCommitMsMax;
    while (performance.now() < endMs) await add(database, `${performance.now()}`);
  });
  const next = database.transaction(() => names(database));
  const order: string[] = [];
  const ends = [long.then(() => order.push('long')), next.then(() => order.push('next'))];
  await long;
  await nextTurn().then(() => order.push('other'));
  await Promise.all(ends);
  expect(order).toEqual(['long', 'other', 'next']);
  expect(await next).toEqual(await names(database));
});

test('the work of each is done for its own caller', async () => {
  const { database } = await openThings();
  const callers = await Promise.all(
    ['a', 'b'].map((name) =>
      runFor({ name, group: name }, () => database.transaction(async () => currentWork()?.name)),
    ),
  );
  expect(callers).toEqual(['a', 'b']);
});

test('one that throws leaves nothing, and the next one has its turn', async () => {
  const { database } = await openThings();
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
  const { database } = await openThings();
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
  const { database } = await openThings();
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

test('work that nobody waited for is refused, and is no part of what comes next', async () => {
  const { database } = await openThings();
  let late: Promise<unknown> = Promise.resolve();
  await database.transaction(async () => {
    late = nextTurn().then(() => add(database, 'late'));
  });
  await expect(late).rejects.toThrow('has ended');
  await add(database, 'a');
  expect(await names(database)).toEqual(['a']);
});

test('the work of a refused commit is undone', async () => {
  const { database } = await openThings();
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

test('others are served while another connection has the lock', async () => {
  const { database, path } = await openThings();
  const other = openDatabase(path, [schema]);
  onTestFinished(() => other.close());
  other.begin();
  other.run("INSERT INTO things VALUES ('other')");
  const waiting = Promise.all([add(database, 'a'), database.transaction(() => add(database, 'b'))]);
  await nextTurn();
  expect(await names(database)).toEqual([]);
  other.commit();
  await waiting;
  expect(await names(database)).toEqual(['a', 'b', 'other']);
});

test('reads outside a transaction cannot write', async () => {
  const { database } = await openThings();
  const writing = database.get("INSERT INTO things VALUES ('a') RETURNING name", [], (row) =>
    row.text('name'),
  );
  await expect(writing).rejects.toMatchObject({ code: 'internal' });
  expect(await names(database)).toEqual([]);
});

test('a snapshot keeps its state, and the loop reads rows as long as they are wanted', async () => {
  const { database } = await openThings();
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
