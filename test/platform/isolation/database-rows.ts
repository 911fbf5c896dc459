// What the database holds of one owner: to be the same before and after others have tried.

import type { PlatformRows } from '../../fixtures/platform-rows.ts';

type Values = Readonly<Record<string, unknown>>;

interface Kept {
  readonly table: string;
  readonly values: Values;
}

/**
 * All rows that are about an id, or about a row that is, and so on: each as one line. Without the
 * search index, which is made from them and whose rows all workspaces share.
 */
export async function keptOf(rows: PlatformRows, id: string): Promise<readonly string[]> {
  const ids = new Set([id]);
  const owned = new Set<Kept>();
  const all: Kept[] = [];
  for (const table of (await rows.tables()).keys()) {
    if (!shared.test(table)) all.push(...(await rowsOf(rows, table)));
  }
  for (let before = -1; before !== owned.size; ) {
    before = owned.size;
    for (const row of all) {
      if (owned.has(row) || !isAbout(row, ids)) continue;
      owned.add(row);
      for (const name of ['id', 'task_id']) addId(ids, row.values[name]);
    }
  }
  return [...owned].map(({ table, values }) => `${table} ${JSON.stringify(values)}`).sort();
}

/** The id of a row, for example of a workspace by its slug. */
export async function idIn(
  rows: PlatformRows,
  table: 'workspaces' | 'projects',
  slug: string,
): Promise<string> {
  const [found] = await rows.run(`SELECT id FROM ${table} WHERE slug = '${slug}'`);
  return String(found?.id);
}

/** How much work is neither done nor waiting for an upload or behind the one training. */
export async function openWork(rows: PlatformRows): Promise<number> {
  const [found] = await rows.run(
    `SELECT count(*) AS n FROM work WHERE status IN ('created', 'running')
     AND kind NOT LIKE 'held:%' AND kind <> 'training'`,
  );
  return Number(found?.n);
}

/**
 * Those of an index have a schema of their own, and no owner, or are filled behind the changes;
 * what is noted of a change is gone with the next one.
 */
const shared =
  /^(sqlite_|search_(terms|chunks|words|names)|likeness_|undescribed_images|image_(search|looks)|noted_)/;

/** A lease is renewed all the time. */
const passing = ['lease_owner', 'lease_expires', 'updated'];

async function rowsOf(rows: PlatformRows, table: string): Promise<readonly Kept[]> {
  return (await rows.run(`SELECT * FROM ${table}`)).map((row) => {
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
