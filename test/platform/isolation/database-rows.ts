// What the database holds of one owner: to be the same before and after others have tried.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Values = Readonly<Record<string, unknown>>;

interface Kept {
  readonly table: string;
  readonly values: Values;
}

/**
 * All rows that are about an id, or about a row that is, and so on: each as one line. Without the
 * search index, which is made from them and whose rows all workspaces share.
 */
export function keptOf(data: string, id: string): readonly string[] {
  const database = new DatabaseSync(join(data, 'platform.db'), { readOnly: true });
  try {
    const ids = new Set([id]);
    const owned = new Set<Kept>();
    const all = tablesOf(database).flatMap((table) => rowsOf(database, table));
    for (let before = -1; before !== owned.size; ) {
      before = owned.size;
      for (const row of all) {
        if (owned.has(row) || !isAbout(row, ids)) continue;
        owned.add(row);
        for (const name of ['id', 'task_id']) addId(ids, row.values[name]);
      }
    }
    return [...owned].map(({ table, values }) => `${table} ${JSON.stringify(values)}`).sort();
  } finally {
    database.close();
  }
}

/** The id of a row, for example of a workspace by its slug. */
export function idIn(data: string, table: 'workspaces' | 'projects', slug: string): string {
  const database = new DatabaseSync(join(data, 'platform.db'), { readOnly: true });
  try {
    const { id } = database.prepare(`SELECT id FROM ${table} WHERE slug = ?`).get(slug) ?? {};
    return String(id);
  } finally {
    database.close();
  }
}

/** How much work is neither done nor waiting for an upload or behind the one training. */
export function openWork(data: string): number {
  const database = new DatabaseSync(join(data, 'platform.db'), { readOnly: true });
  try {
    const { n } =
      database
        .prepare(
          `SELECT count(*) AS n FROM work WHERE status IN ('created', 'running')
           AND kind NOT LIKE 'held:%' AND kind <> 'training'`,
        )
        .get() ?? {};
    return Number(n);
  } finally {
    database.close();
  }
}

/** Those of an index have a schema of their own, and no owner, or are filled behind the changes. */
const shared = /^(sqlite_|search_(terms|chunks|words|names)|likeness_|undescribed_images)/;

function tablesOf(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
  return rows.map(({ name }) => String(name)).filter((name) => !shared.test(name));
}

/** A lease is renewed all the time. */
const passing = ['lease_owner', 'lease_expires', 'updated'];

function rowsOf(database: DatabaseSync, table: string): readonly Kept[] {
  const rows = database.prepare(`SELECT * FROM ${table}`).all();
  return rows.map((row) => {
    const columns = Object.entries(row).filter(
      ([name]) => table !== 'work' || !passing.includes(name),
    );
    return { table, values: Object.fromEntries(columns) };
  });
}

/** By a column, or by a member of one that is JSON, as the payload of work is. */
function isAbout({ values }: Kept, ids: ReadonlySet<string>): boolean {
  const isId = (value: unknown) => typeof value === 'string' && ids.has(value);
  return Object.values(values).some((value) => isId(value) || membersOf(value).some(isId));
}

function membersOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'string' || !value.startsWith('{')) return [];
  const parsed: unknown = JSON.parse(value);
  return typeof parsed === 'object' && parsed !== null ? Object.values(parsed) : [];
}

function addId(ids: Set<string>, value: unknown): void {
  if (typeof value === 'string' && value.length >= 16) ids.add(value);
}
