// Opening a file: a new one, an older one, and those that must be left alone.

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { openDatabase } from '../../src/storage/database.ts';
import type { Migration } from '../../src/storage/migrations.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { startChild } from './child-process.ts';
import { steps } from './traced-migrations.ts';

function historyAfter(path: string, migrations: readonly Migration[]): readonly string[] {
  const database = openDatabase(path, migrations);
  const history = database.all('SELECT step FROM history', [], (row) => row.text('step'));
  database.close();
  return history;
}

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'data', 'steps.db');
}

describe('migrations', () => {
  test('run once each, in order, and later only the new ones', async () => {
    const path = await newPath();
    expect(historyAfter(path, steps.slice(0, 1))).toEqual(['first']);
    expect(historyAfter(path, steps)).toEqual(['first', 'second', 'third']);
    expect(historyAfter(path, steps)).toEqual(['first', 'second', 'third']);
    expect(readdirSync(dirname(path))).toEqual(['steps.db']);
  });

  test.each([0, 1])('run once when processes open a file of version %i together', async (known) => {
    const path = await newPath();
    if (known > 0) historyAfter(path, steps.slice(0, known));
    const go = join(await temporaryFolder(), 'go');
    const children = Array.from({ length: 6 }, () => startChild('open.ts', path, go));
    await Promise.all(children.map((child) => child.says('ready')));
    await writeFile(go, '');
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0, 0, 0, 0]);
    const said = children.map(({ lines }) => lines[1]);
    expect(new Set(said)).toEqual(new Set(['opened first,second,third']));
    expect(historyAfter(path, steps)).toEqual(['first', 'second', 'third']);
    expect(readdirSync(dirname(path))).toEqual(['steps.db']);
  });

  test('leave the version before when one fails, and no half of it', async () => {
    const path = await newPath();
    const broken = {
      name: 'broken',
      sql: `INSERT INTO history VALUES ('broken'); CREATE TABLE a (b TEXT)`,
    };
    historyAfter(path, steps.slice(0, 2));
    expect(() => historyAfter(path, [...steps.slice(0, 2), broken])).toThrow(FoveaError);
    expect(historyAfter(path, steps)).toEqual(['first', 'second', 'third']);
  });

  test('leave no file behind when the first one fails', async () => {
    const path = await newPath();
    expect(() => historyAfter(path, [{ name: 'broken', sql: 'CREATE NONSENSE' }])).toThrow(
      FoveaError,
    );
    expect(readdirSync(dirname(path))).toEqual([]);
  });
});

describe('a file that is not ours to use', () => {
  const refusal = (path: string) => {
    try {
      return historyAfter(path, steps);
    } catch (thrown) {
      return thrown instanceof FoveaError ? `${thrown.code}: ${thrown.message}` : thrown;
    }
  };

  test('of a newer version is refused and left as it is', async () => {
    const path = await newPath();
    historyAfter(path, [...steps, { name: 'fourth', sql: 'CREATE TABLE d (e TEXT)' }]);
    const before = readFileSync(path);
    expect(refusal(path)).toBe(
      'internal: The database is of version 4; this Fovea knows versions up to 3.',
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('of another program is refused and left as it is', async () => {
    const path = await newPath();
    await mkdir(dirname(path));
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE history (step TEXT)');
    other.close();
    const before = readFileSync(path);
    expect(refusal(path)).toBe('internal: The database was made by another program.');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('that is no database is refused and left as it is', async () => {
    const path = await newPath();
    await mkdir(dirname(path));
    await writeFile(path, 'a letter to a friend '.repeat(500));
    expect(refusal(path)).toBe('internal: The file is not a database, or is damaged.');
    expect(readFileSync(path, 'utf8')).toBe('a letter to a friend '.repeat(500));
  });

  test('that is empty is refused: no new store in place of a lost one', async () => {
    const path = await newPath();
    historyAfter(path, steps);
    await truncate(path);
    expect(refusal(path)).toBe('internal: The database file is empty.');
    expect((await stat(path)).size).toBe(0);
  });

  test('that is gone is refused while its log is there', async () => {
    const path = await newPath();
    const database = openDatabase(path, steps);
    database.run("INSERT INTO history VALUES ('kept in the log')");
    await copyFile(`${path}-wal`, `${path}-copy`);
    database.close();
    await rm(path);
    await copyFile(`${path}-copy`, `${path}-wal`);
    expect(refusal(path)).toBe('internal: The database file is gone, but its log is still there.');
    expect((await stat(`${path}-wal`)).size).toBeGreaterThan(0);
  });

  test('that was cut short is refused', async () => {
    const path = await newPath();
    historyAfter(path, steps);
    await truncate(path, 4096);
    expect(refusal(path)).toBe('internal: The database file is damaged.');
  });

  test('that has a damaged page is refused', async () => {
    const path = await newPath();
    historyAfter(path, steps);
    const pageBytes = 4096;
    const content = readFileSync(path).fill(0xff, pageBytes, 2 * pageBytes);
    await writeFile(path, content);
    expect(refusal(path)).toBe('internal: The database file is damaged.');
  });

  test('that is a folder is refused', async () => {
    const path = await newPath();
    await mkdir(path, { recursive: true });
    await writeFile(join(path, 'a'), '');
    expect(refusal(path)).toBe('internal: The database file cannot be opened.');
  });
});

test('warnings of others are heard after SQLite was loaded', async () => {
  const path = await newPath();
  historyAfter(path, steps);
  const warned = once(process, 'warning');
  process.emitWarning('still heard');
  expect(String((await warned)[0])).toContain('still heard');
});
