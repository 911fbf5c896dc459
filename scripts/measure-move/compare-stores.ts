// Holds two data folders against each other, and against a database: every table by its count,
// every row by a hash, every file by its name. It knows nothing of how datasets move.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';

/** All that was looked at. */
export interface StoreDigest {
  /** `count hash`, by the name of the table. */
  readonly tables: ReadonlyMap<string, string>;
  readonly rows: number;
  /** Hashes of contents. */
  readonly files: readonly string[];
}

/** Indexes of searches, which each engine makes for itself. */
const indexTables = /^(search_(?!exports)|likeness_|sqlite_)/;

/** How far such an index is. */
const indexColumns = new Set(['image_ordinals.indexed']);

/** Throws where a file is not what its name says. */
export async function digestOf(data: string): Promise<StoreDigest> {
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  try {
    const names = namesIn(database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    const tables = new Map<string, string>();
    let rows = 0;
    for (const name of names.filter((table) => !indexTables.test(table))) {
      const { count, hash } = digestRows(database, name);
      tables.set(name, `${count} ${hash}`);
      rows += count;
    }
    return { tables, rows, files: await filesIn(join(data, 'blobs')) };
  } finally {
    database.close();
  }
}

function namesIn(database: Database, sql: string): readonly string[] {
  return database.all(`${sql} ORDER BY name`, [], (row) => row.text('name'));
}

/** SQLite writes each value as it would be in a statement: bytes, numbers and texts differ. */
function digestRows(database: Database, table: string): { count: number; hash: string } {
  const columns = namesIn(database, `SELECT name FROM pragma_table_info('${table}')`)
    .filter((column) => !indexColumns.has(`${table}.${column}`))
    .map((column) => `quote("${column}")`);
  const hash = createHash('sha256');
  let count = 0;
  const sql = `SELECT ${columns.join(" || ',' || ")} AS line FROM "${table}" ORDER BY line`;
  database.each(sql, [], (row) => {
    hash.update(`${row.text('line')}\n`);
    count += 1;
    return true;
  });
  return { count, hash: hash.digest('hex') };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const hashes: string[] = [];
  for (const entry of found) {
    if (!entry.isFile() || !/^[0-9a-f]{64}$/.test(entry.name)) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(entry.parentPath, entry.name)), hash);
    if (hash.digest('hex') !== entry.name) throw new Error(`not what its name says: ${entry.name}`);
    hashes.push(entry.name);
  }
  return hashes.toSorted();
}

/** What differs, in words. */
export function differences(before: StoreDigest, after: StoreDigest): readonly string[] {
  const names = new Set([...before.tables.keys(), ...after.tables.keys()]);
  const tables = [...names].flatMap((name) => {
    const [was, is] = [before.tables.get(name), after.tables.get(name)];
    return was === is ? [] : [`${name}: ${is ?? 'is not there'} in place of ${was}`];
  });
  const lost = before.files.filter((file) => !after.files.includes(file));
  return [...tables, ...lost.map((file) => `a file is lost: ${file}`)];
}

/** Tables of which a database has another count. */
export async function countsThatDiffer(
  url: string,
  { tables }: StoreDigest,
): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const wrong: string[] = [];
    for (const [name, digest] of tables) {
      const sql = `SELECT count(*) AS count FROM fovea_platform."${name}"`;
      const { rows } = await client.query(sql);
      const wanted = digest.split(' ')[0];
      if (rows[0].count !== wanted) wrong.push(`${name}: ${rows[0].count} in place of ${wanted}`);
    }
    return wrong;
  } finally {
    await client.end();
  }
}
