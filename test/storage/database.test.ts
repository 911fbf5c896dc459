// The database: durable, strict about what it reads, whole or not at all.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { type Database, openDatabase, type Row } from '../../src/storage/database.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const schema = {
  name: 'things',
  sql: `
    CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT, size REAL, settings TEXT);
    CREATE TABLE parts (thing INTEGER NOT NULL REFERENCES things (id)) STRICT;
  `,
};

async function openThings(): Promise<{ database: Database; path: string }> {
  const path = join(await temporaryFolder(), 'data', 'things.db');
  return { database: openDatabase(path, [schema]), path };
}

const setting = (database: Database, name: string) =>
  database.get(`PRAGMA ${name}`, [], (row) => row.integer(name));

const names = (database: Database) =>
  database.all('SELECT name FROM things ORDER BY id', [], (row) => row.optionalText('name'));

const add = (database: Database, name: string) =>
  database.run('INSERT INTO things (name) VALUES (?)', [name]);

describe('a connection', () => {
  test('commits durably and guards its data', async () => {
    const { database } = await openThings();
    expect(setting(database, 'synchronous')).toBe(2);
    expect(setting(database, 'foreign_keys')).toBe(1);
    expect(setting(database, 'trusted_schema')).toBe(0);
    expect(setting(database, 'wal_autocheckpoint')).toBe(4000);
    const mode = database.get('PRAGMA journal_mode', [], (row) => row.text('journal_mode'));
    expect(mode).toBe('wal');
    const wait = database.get('PRAGMA busy_timeout', [], (row) => row.integer('timeout'));
    expect(wait).toBe(15_000);
    database.close();
  });

  test.skipIf(process.platform === 'win32')('keeps others out', async () => {
    const { database, path } = await openThings();
    add(database, 'a');
    const modes = [join(path, '..'), path, `${path}-wal`, `${path}-shm`].map(
      (each) => statSync(each).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
    database.close();
  });

  test('ends once, and refuses what comes later', async () => {
    const { database } = await openThings();
    database.close();
    database.close();
    expect(() => names(database)).toThrow();
  });

  test('keeps answering after more statements than it remembers', async () => {
    const { database } = await openThings();
    const answers = Array.from({ length: 500 }, (_, n) =>
      database.get(`SELECT ${n} AS n`, [], (row) => row.integer('n')),
    );
    expect(answers[0]).toBe(0);
    expect(answers[499]).toBe(499);
    expect(names(database)).toEqual([]);
    database.close();
  });
});

describe('parameters', () => {
  test('go by place or by name', async () => {
    const { database } = await openThings();
    database.run('INSERT INTO things (name, size) VALUES (?, ?)', ['a', 1.5]);
    database.run('INSERT INTO things (name, size) VALUES (:name, :size)', { name: 'b', size: 2 });
    const read = (row: Row) => [row.text('name'), row.real('size')];
    expect(database.all('SELECT * FROM things WHERE size > ?', [1.7], read)).toEqual([['b', 2]]);
    expect(database.get('SELECT * FROM things WHERE name = :name', { name: 'a' }, read)).toEqual([
      'a',
      1.5,
    ]);
    database.close();
  });

  test('may be booleans, and undefined for nothing', async () => {
    const { database } = await openThings();
    database.run('INSERT INTO things (id, name, size) VALUES (?, ?, ?)', [1, undefined, true]);
    const read = (row: Row) => [row.optionalText('name'), row.boolean('size')];
    expect(database.get('SELECT * FROM things', [], read)).toEqual([undefined, true]);
    database.close();
  });

  test('never become a part of the statement', async () => {
    const { database } = await openThings();
    add(database, "x'); DROP TABLE things; --");
    expect(names(database)).toEqual(["x'); DROP TABLE things; --"]);
    database.close();
  });
});

describe('a row', () => {
  const place = (column: string) => `things.${column}`;

  test('gives each column as what it is', async () => {
    const { database } = await openThings();
    database.run('INSERT INTO things VALUES (7, ?, 0.25, ?)', ['a', '{"deep":[1,null]}']);
    const read = (row: Row) => ({
      id: row.integer('id'),
      name: row.text('name'),
      size: row.real('size'),
      settings: row.json('settings'),
      none: [row.optionalText('none'), row.optionalInteger('none'), row.optionalReal('none')],
      noJson: row.optionalJson('none'),
    });
    expect(database.get('SELECT *, NULL AS none FROM things', [], read)).toEqual({
      id: 7,
      name: 'a',
      size: 0.25,
      settings: { deep: [1, null] },
      none: [undefined, undefined, undefined],
      noJson: undefined,
    });
    expect(database.get('SELECT * FROM things WHERE id = 8', [], read)).toBeUndefined();
    database.close();
  });

  const refused: readonly (readonly [string, (row: Row) => unknown, string])[] = [
    ['NULL', (row) => row.text('name'), `NULL, where text belongs: ${place('name')}.`],
    ['NULL', (row) => row.json('name'), `NULL, where text belongs: ${place('name')}.`],
    ['NULL', (row) => row.real('name'), `NULL, where a number belongs: ${place('name')}.`],
    ['NULL', (row) => row.integer('name'), `NULL, where a whole number belongs: ${place('name')}.`],
    ["x'00'", (row) => row.text('name'), `something other than text: ${place('name')}.`],
    ["'1'", (row) => row.integer('name'), `something other than a number: ${place('name')}.`],
    ["'{'", (row) => row.json('name'), `text that is not JSON: ${place('name')}.`],
    ["'a'", (row) => row.text('nome'), 'no such column: nome.'],
  ];
  test.each(refused)('refuses a name of %s read wrongly', async (value, read, message) => {
    const { database } = await openThings();
    database.run(`INSERT INTO things (name) VALUES (${value})`);
    expect(() => database.get('SELECT * FROM things', [], read)).toThrow(
      new FoveaError('internal', `The database holds ${message}`),
    );
    database.close();
  });

  test('is read right where another process gave its table a column', async () => {
    const { database, path } = await openThings();
    add(database, 'a');
    const read = () =>
      database.get("SELECT *, 'last' AS last FROM things", [], (row) => [
        row.text('name'),
        row.text('last'),
        row.optionalText('settings'),
      ]);
    expect(read()).toEqual(['a', 'last', undefined]);
    const other = new DatabaseSync(path);
    other.exec("ALTER TABLE things ADD COLUMN more TEXT DEFAULT 'more'");
    other.close();
    expect(read()).toEqual(['a', 'last', undefined]);
    database.close();
  });

  test('is the last one that is made when its reader wants no more', async () => {
    const { database } = await openThings();
    for (const name of ['a', 'b', 'c']) add(database, name);
    const seen: string[] = [];
    const sql = 'SELECT name FROM things WHERE name <> ? ORDER BY id';
    const take = (count: number) =>
      database.each(sql, ['b'], (row) => seen.push(row.text('name')) < count);
    take(1);
    expect(seen).toEqual(['a']);
    // A statement that had not ended would keep its table.
    database.run('ALTER TABLE things DROP COLUMN settings');
    take(9);
    expect(seen).toEqual(['a', 'a', 'c']);
    const thrown = () =>
      database.each(sql, ['b'], (row) => {
        throw new Error(row.text('name'));
      });
    expect(thrown).toThrow('a');
    database.run('DROP TABLE things');
    database.close();
  });

  test('refuses numbers that are no whole numbers, no booleans', async () => {
    const { database } = await openThings();
    database.run('INSERT INTO things (size) VALUES (2.5)');
    const read = (method: (row: Row) => unknown) => () =>
      database.get('SELECT size, 2 AS two FROM things', [], method);
    expect(read((row) => row.integer('size'))).toThrow('other than a whole number: things.size');
    expect(read((row) => row.boolean('two'))).toThrow('other than 0 or 1: two');
    database.close();
  });

  test('refuses an integer that JavaScript would round', async () => {
    const { database } = await openThings();
    const read = () => database.get('SELECT 9007199254740993 AS n', [], (row) => row.integer('n'));
    expect(read).toThrow();
    database.close();
  });
});

describe('a transaction', () => {
  test('is seen by others when it ends, and not before', async () => {
    const { database, path } = await openThings();
    const other = openDatabase(path, [schema]);
    const result = database.transaction(() => {
      add(database, 'a');
      expect(names(other)).toEqual([]);
      return names(database);
    });
    expect(result).toEqual(['a']);
    expect(names(other)).toEqual(['a']);
    other.close();
    database.close();
  });

  test('is undone when its work throws, and the next one works', async () => {
    const { database } = await openThings();
    const work = () => {
      add(database, 'a');
      throw new Error('no');
    };
    expect(() => database.transaction(work)).toThrow('no');
    expect(database.transaction(() => add(database, 'b'))).toBe(1);
    expect(names(database)).toEqual(['b']);
    database.close();
  });

  test('undoes an inner one alone when the outer one goes on', async () => {
    const { database } = await openThings();
    const inner = () => {
      add(database, 'inner');
      throw new Error('no');
    };
    database.transaction(() => {
      add(database, 'before');
      expect(() => database.transaction(inner)).toThrow('no');
      database.transaction(() => add(database, 'after'));
    });
    expect(names(database)).toEqual(['before', 'after']);
    database.close();
  });

  test('undoes what an inner one did when the outer one throws', async () => {
    const { database } = await openThings();
    const outer = () => {
      database.transaction(() => add(database, 'a'));
      throw new Error('no');
    };
    expect(() => database.transaction(outer)).toThrow('no');
    expect(names(database)).toEqual([]);
    database.close();
  });

  test('keeps nobody from reading', async () => {
    const { database, path } = await openThings();
    const holder = new DatabaseSync(path);
    holder.exec('BEGIN IMMEDIATE');
    expect(names(database)).toEqual([]);
    holder.close();
    database.close();
  });

  test('does not wait for promises', async () => {
    const { database } = await openThings();
    expect(() => database.transaction(async () => add(database, 'a'))).toThrow(
      'A transaction cannot wait for a promise.',
    );
    expect(names(database)).toEqual([]);
    database.close();
  });
});

describe('what SQLite refuses', () => {
  const codeOf = (work: () => unknown) => {
    try {
      return work();
    } catch (thrown) {
      return thrown instanceof FoveaError && [thrown.code, thrown.message];
    }
  };

  test('is internal, without the words of the statement', async () => {
    const { database } = await openThings();
    const refused = ['internal', 'The database refused a statement.'];
    expect(codeOf(() => database.run('INSERT INTO nowhere VALUES (1)'))).toEqual(refused);
    expect(codeOf(() => database.run('INSERT INTO parts VALUES (1)'))).toEqual(refused);
    database.run('INSERT INTO things (id) VALUES (1)');
    expect(codeOf(() => database.run('INSERT INTO things (id) VALUES (1)'))).toEqual(refused);
    database.close();
  });

  test('is "full" for a full disk, which leaves the database usable', async () => {
    const { database } = await openThings();
    database.get('PRAGMA max_page_count = 10', [], () => undefined);
    const grow = () =>
      database.transaction(() => {
        for (let n = 0; n < 100; n += 1) add(database, 'x'.repeat(4000));
      });
    expect(codeOf(grow)).toEqual(['full', 'The disk is full: nothing was stored.']);
    expect(names(database)).toEqual([]);
    add(database, 'small');
    expect(names(database)).toEqual(['small']);
    database.close();
  });
});
