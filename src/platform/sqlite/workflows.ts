// Workflows; their definition is stored as given.

import type { Database, Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import { slugOf } from '../ids-and-slugs.ts';
import type { ListedWorkflow, NewWorkflow, Workflow, WorkflowStore } from '../store/workflows.ts';

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

export function workflowStore(database: Database): WorkflowStore {
  return {
    add: async (workflow) => database.transaction(() => addWorkflow(database, workflow)),
    list: async (workspaceId) =>
      database.all(
        `SELECT id, slug, name, created, updated FROM workflows WHERE ${live}
         ORDER BY created, slug`,
        [workspaceId],
        readListed,
      ),
    find: async (workspaceId, slug) =>
      database.get(
        `SELECT * FROM workflows WHERE ${live} AND slug = ?`,
        [workspaceId, slug],
        readWorkflow,
      ),
    trash: async (id, now, deletedBy) =>
      database.run(
        'UPDATE workflows SET deleted_at = ?, deleted_by = ? WHERE id = ? AND deleted_at IS NULL',
        [now, deletedBy, id],
      ) > 0,
  };
}

function addWorkflow(database: Database, workflow: NewWorkflow): Workflow {
  const { id, workspaceId, name, config, created } = workflow;
  const slug = freeSlug(database, workspaceId, slugOf(name));
  database.run(
    `INSERT INTO workflows (id, workspace_id, slug, name, config, created, updated)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [id, workspaceId, slug, name, JSON.stringify(config), created, created],
  );
  return { id, slug, name, config, created, updated: created };
}

/** One in the trash keeps its slug, so that it can come back under it. */
function freeSlug(database: Database, workspaceId: string, wanted: string): string {
  for (let suffix = 1; ; suffix += 1) {
    const slug = suffix === 1 ? wanted : `${wanted}-${suffix}`;
    const taken = database.get(
      'SELECT 1 AS taken FROM workflows WHERE workspace_id = ? AND slug = ?',
      [workspaceId, slug],
      (row) => row.integer('taken'),
    );
    if (taken === undefined) return slug;
  }
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
