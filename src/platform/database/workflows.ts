// Workflows; their definition is stored as given.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import { requiredSlug } from '../ids-and-slugs.ts';
import type {
  ListedWorkflow,
  NewWorkflow,
  Workflow,
  WorkflowChange,
  WorkflowStore,
} from '../store/workflows.ts';

export const workflowTables: Migration = {
  name: 'workflows',
  sql: `
CREATE TABLE workflows (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces, slug TEXT NOT NULL,
  name TEXT NOT NULL, config TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
  deleted_at INTEGER, deleted_by TEXT, UNIQUE (workspace_id, slug)
) STRICT;
`,
};

const live = 'workspace_id = ? AND deleted_at IS NULL';

export function workflowStore(database: AsyncDatabase): WorkflowStore {
  return {
    add: (workflow) => database.transaction(() => addWorkflow(database, workflow)),
    list: (workspaceId) =>
      database.all(
        `SELECT id, slug, name, created, updated FROM workflows WHERE ${live}
         ORDER BY created, slug`,
        [workspaceId],
        readListed,
      ),
    find: (workspaceId, slug) =>
      database.get(
        `SELECT * FROM workflows WHERE ${live} AND slug = ?`,
        [workspaceId, slug],
        readWorkflow,
      ),
    change: (workspaceId, id, change, now) =>
      database.transaction(() => changeWorkflow(database, workspaceId, id, change, now)),
    trash: async (id, now, deletedBy) =>
      (await database.run(
        'UPDATE workflows SET deleted_at = ?, deleted_by = ? WHERE id = ? AND deleted_at IS NULL',
        [now, deletedBy, id],
      )) > 0,
  };
}

async function addWorkflow(database: AsyncDatabase, workflow: NewWorkflow): Promise<Workflow> {
  const { id, workspaceId, name, url, config, created } = workflow;
  const wanted = url === undefined ? requiredSlug('name', name) : requiredSlug('url', url);
  const slug = await freeSlug(database, workspaceId, wanted);
  await database.run(
    `INSERT INTO workflows (id, workspace_id, slug, name, config, created, updated)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [id, workspaceId, slug, name, JSON.stringify(config), created, created],
  );
  return { id, slug, name, config, created, updated: created };
}

/** One in the trash keeps its slug, so that it can come back under it. */
async function freeSlug(
  database: AsyncDatabase,
  workspaceId: string,
  wanted: string,
): Promise<string> {
  for (let suffix = 1; ; suffix += 1) {
    const slug = suffix === 1 ? wanted : `${wanted}-${suffix}`;
    if (!(await isTaken(database, workspaceId, slug))) return slug;
  }
}

async function isTaken(
  database: AsyncDatabase,
  workspaceId: string,
  slug: string,
): Promise<boolean> {
  const sql = 'SELECT 1 AS taken FROM workflows WHERE workspace_id = ? AND slug = ?';
  return (
    (await database.get(sql, [workspaceId, slug], (row) => row.integer('taken'))) !== undefined
  );
}

async function changeWorkflow(
  database: AsyncDatabase,
  workspaceId: string,
  id: string,
  change: WorkflowChange,
  now: number,
): Promise<Workflow | 'missing' | 'taken'> {
  const sql = `SELECT * FROM workflows WHERE ${live} AND id = ?`;
  const old = await database.get(sql, [workspaceId, id], readWorkflow);
  if (old === undefined) return 'missing';
  const { name = old.name, config = old.config, url } = change;
  const slug = url === undefined ? old.slug : requiredSlug('url', url);
  if (slug !== old.slug && (await isTaken(database, workspaceId, slug))) return 'taken';
  await database.run(
    'UPDATE workflows SET name = ?, slug = ?, config = ?, updated = ? WHERE id = ?',
    [name, slug, JSON.stringify(config), now, id],
  );
  return { ...old, name, slug, config, updated: now };
}

function readWorkflow(row: Row): Workflow {
  return { ...readListed(row), config: row.json('config') };
}

function readListed(row: Row): ListedWorkflow {
  return {
    id: row.text('id'),
    slug: row.text('slug'),
    name: row.text('name'),
    created: row.integer('created'),
    updated: row.integer('updated'),
  };
}
