// The database whose calls resolve: transactions keep their turn, and nobody sees half of one.

import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { openAsyncDatabase } from '../../src/storage/async-database.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { add, judgeAsyncDatabase, names, things } from './async-database-suite.ts';

async function openThings() {
  const path = join(await temporaryFolder(), 'things.db');
  const database = openAsyncDatabase(path, [things]);
  onTestFinished(() => database.close());
  return { database, path };
}

judgeAsyncDatabase(async () => (await openThings()).database);

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

test('others are served while another connection has the lock', async () => {
  const { database, path } = await openThings();
  const other = openDatabase(path, [things]);
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
