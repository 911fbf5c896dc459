// What was deleted and can come back, in SQLite.

import type { Database } from '../../storage/database.ts';
import type { TrashItem, TrashStore } from './store.ts';

export function trashStore(database: Database): TrashStore {
  return {
    list: async (workspaceId) => [
      ...listProjects(database, workspaceId),
      ...listVersions(database, workspaceId),
    ],
    restore: async (workspaceId, type, id, parentId) =>
      database.transaction(() =>
        type === 'project'
          ? restoreProject(database, workspaceId, id)
          : restoreVersion(database, workspaceId, parentId ?? '', id),
      ),
  };
}

function listProjects(database: Database, workspaceId: string): readonly TrashItem[] {
  return database.all(
    `SELECT id, name, deleted_at FROM projects WHERE workspace_id = ? AND deleted_at IS NOT NULL
     ORDER BY deleted_at DESC`,
    [workspaceId],
    (row) => ({
      type: 'project' as const,
      id: row.text('id'),
      name: row.text('name'),
      deletedAt: row.integer('deleted_at'),
      parent: undefined,
    }),
  );
}

function listVersions(database: Database, workspaceId: string): readonly TrashItem[] {
  return database.all(
    `SELECT versions.number, versions.name, versions.deleted_at, projects.id AS project_id,
       projects.name AS project_name
     FROM versions JOIN projects ON projects.id = versions.project_id
     WHERE projects.workspace_id = ? AND versions.deleted_at IS NOT NULL
     ORDER BY versions.deleted_at DESC`,
    [workspaceId],
    (row) => ({
      type: 'version' as const,
      id: String(row.integer('number')),
      name: row.text('name'),
      deletedAt: row.integer('deleted_at'),
      parent: { id: row.text('project_id'), name: row.text('project_name') },
    }),
  );
}

function restoreProject(database: Database, workspaceId: string, id: string) {
  const changed = database.run(
    `UPDATE projects SET deleted_at = NULL
     WHERE id = ? AND workspace_id = ? AND deleted_at IS NOT NULL`,
    [id, workspaceId],
  );
  return changed > 0 ? 'restored' : 'missing';
}

function restoreVersion(database: Database, workspaceId: string, projectId: string, id: string) {
  const inTrash = database.get(
    `SELECT projects.deleted_at IS NOT NULL AS parent FROM versions
     JOIN projects ON projects.id = versions.project_id
     WHERE projects.workspace_id = ? AND projects.id = ? AND versions.number = ?
       AND versions.deleted_at IS NOT NULL`,
    [workspaceId, projectId, Number(id)],
    (row) => row.integer('parent') === 1,
  );
  if (inTrash === undefined) return 'missing';
  if (inTrash) return 'parent_in_trash';
  database.run('UPDATE versions SET deleted_at = NULL WHERE project_id = ? AND number = ?', [
    projectId,
    Number(id),
  ]);
  return 'restored';
}
