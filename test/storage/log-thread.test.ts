// The log that a snapshot kept is moved into the file by a thread, before anybody commits again.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openAsyncDatabase } from '../../src/storage/async-database.ts';
import { moveLogAfter } from '../../src/storage/log-thread.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const migrations = [{ name: 'pieces', sql: 'CREATE TABLE pieces (bytes BLOB NOT NULL) STRICT' }];

async function open() {
  const path = join(await temporaryFolder(), 'pieces.db');
  const database = openAsyncDatabase(path, migrations);
  onTestFinished(() => database.close());
  const add = (count: number) =>
    database.transaction(async () => {
      const bytes = new Uint8Array(1024 * 1024);
      for (let n = 0; n < count; n += 1) database.send('INSERT INTO pieces VALUES (?)', [bytes]);
    });
  const count = async () =>
    database.get('SELECT count(*) AS n FROM pieces', [], (row) => row.integer('n'));
  const logBytes = async () => (await stat(`${path}-wal`)).size;
  return { path, database, add, count, logBytes };
}

it('that grew while the snapshot was read is empty when its end resolves', async () => {
  const { path, database, add, count, logBytes } = await open();
  await add(1);
  const snapshot = await database.snapshot();
  await add(40);
  expect(await snapshot.get('SELECT count(*) AS n FROM pieces', [], one)).toBe(1);
  expect(await logBytes()).toBeGreaterThan(40 * 1024 * 1024);
  await snapshot.close();
  expect(await logBytes()).toBe(0);
  expect((await stat(path)).size).toBeGreaterThan(40 * 1024 * 1024);
  expect(await count()).toBe(41);
  await add(1);
  expect(await count()).toBe(42);
});

it('that is short stays as it is', async () => {
  const { database, add, logBytes } = await open();
  const snapshot = await database.snapshot();
  await add(1);
  const before = await logBytes();
  await snapshot.close();
  expect(await logBytes()).toBe(before);
});

it('stays where another snapshot needs it, and that one reads on', async () => {
  const { database, add, logBytes } = await open();
  await add(1);
  const [first, second] = [await database.snapshot(), await database.snapshot()];
  await add(20);
  await first.close();
  expect(await logBytes()).toBeGreaterThan(20 * 1024 * 1024);
  expect(await second.get('SELECT count(*) AS n FROM pieces', [], one)).toBe(1);
  await second.close();
  expect(await logBytes()).toBe(0);
});

it('of a file that is gone ends nothing but the snapshot', async () => {
  let released = 0;
  const path = join(await temporaryFolder(), 'gone.db');
  await moveLogAfter(path, () => {
    released += 1;
  });
  expect(released).toBe(1);
});

function one(row: { integer(column: string): number }): number {
  return row.integer('n');
}
