// Folders of projects, as rows.

import { FoveaError, invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { Folder, FolderChange, FolderStore, NewFolder } from '../store/folders.ts';
import type { Project } from '../store/projects.ts';
import { readTexts } from './column-readers.ts';
import { findProjects } from './projects.ts';

export const folderTables: Migration = {
  name: 'folders',
  sql: `
CREATE TABLE folders (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces,
  parent_id TEXT REFERENCES folders, name TEXT NOT NULL, external_id TEXT,
  auth_groups TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX folders_name ON folders (workspace_id, coalesce(parent_id, ''), name);
CREATE INDEX folders_parent ON folders (parent_id);
`,
};

const columns = `folders.*, (SELECT json_group_array(slug) FROM
  (SELECT slug FROM projects WHERE folder_id = folders.id AND deleted_at IS NULL ORDER BY slug)
  AS held) AS projects`;

/** The first parameter is the workspace, the second one the ids as JSON. */
const inside = `WITH RECURSIVE inside (id) AS (
  SELECT id FROM folders WHERE workspace_id = ? AND id IN (SELECT value FROM json_each(?))
  UNION SELECT folders.id FROM folders JOIN inside ON folders.parent_id = inside.id
)`;

export function folderStore(database: AsyncDatabase): FolderStore {
  const find = (workspaceId: string, folderId: string) =>
    database.get(
      `SELECT ${columns} FROM folders WHERE workspace_id = ? AND id = ?`,
      [workspaceId, folderId],
      readFolder,
    );
  const findPlace = (workspaceId: string, folderId: string) =>
    database.get(
      'SELECT id, workspace_id, parent_id FROM folders WHERE workspace_id = ? AND id = ?',
      [workspaceId, folderId],
      readPlace,
    );
  return {
    list: (workspaceId) =>
      database.all(
        `SELECT ${columns} FROM folders WHERE workspace_id = ? ORDER BY name, id`,
        [workspaceId],
        readFolder,
      ),
    names: (workspaceId) =>
      database.all(
        'SELECT id, name FROM folders WHERE workspace_id = ? ORDER BY name, id',
        [workspaceId],
        (row) => ({ id: row.text('id'), name: row.text('name') }),
      ),
    find: async (workspaceId, folderId) => find(workspaceId, folderId),
    add: (folder) => database.transaction(() => addFolder(database, folder)),
    update: (workspaceId, folderId, change, now) =>
      database.transaction(async () => {
        const folder = await find(workspaceId, folderId);
        if (folder !== undefined) await changeFolder(database, folder, change, now);
        return folder !== undefined;
      }),
    remove: (workspaceId, folderId, now) =>
      database.transaction(async () => {
        const folder = await findPlace(workspaceId, folderId);
        if (folder !== undefined) await removeFolder(database, folder, now);
        return folder !== undefined;
      }),
    setProjects: (workspaceId, folderId, slugs, operation, now) =>
      database.transaction(async () => {
        const folder = await findPlace(workspaceId, folderId);
        if (folder === undefined) return false;
        if (operation === 'add') await putInto(database, folder, slugs);
        else await takeOut(database, folder, slugs);
        await touch(database, folderId, now);
        return true;
      }),
    within: (workspaceId, folderIds) =>
      idsOf(database, `${inside} SELECT id FROM inside`, workspaceId, folderIds),
    projectIds: (workspaceId, folderIds) =>
      idsOf(
        database,
        `${inside} SELECT projects.id FROM inside CROSS JOIN projects ON projects.folder_id = inside.id`,
        workspaceId,
        folderIds,
      ),
  };
}

async function addFolder(database: AsyncDatabase, folder: NewFolder): Promise<void> {
  const { id, workspaceId, name, externalId, authGroups, created } = folder;
  const parentId = folder.parentId ?? undefined;
  const folders = await database.get(
    'SELECT count(*) AS n FROM folders WHERE workspace_id = ?',
    [workspaceId],
    (row) => row.integer('n'),
  );
  if ((folders ?? 0) >= limits.foldersMax) {
    throw new FoveaError('conflict', `A workspace has at most ${limits.foldersMax} folders.`);
  }
  await refuseParent(database, { id, workspaceId }, parentId);
  await refuseSameName(database, { id, workspaceId, parentId, name });
  await database.run(
    `INSERT INTO folders (id, workspace_id, parent_id, name, external_id, auth_groups, created,
       updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      workspaceId,
      parentId,
      name,
      externalId,
      JSON.stringify(authGroups ?? {}),
      created,
      created,
    ],
  );
  await putInto(database, { id, workspaceId }, folder.projects ?? []);
}

async function changeFolder(
  database: AsyncDatabase,
  folder: Folder,
  change: FolderChange,
  now: number,
): Promise<void> {
  const { id, workspaceId } = folder;
  const parentId = change.parentId === undefined ? folder.parentId : (change.parentId ?? undefined);
  const name = change.name ?? folder.name;
  await refuseParent(database, folder, parentId);
  await refuseSameName(database, { id, workspaceId, parentId, name });
  const authGroups = JSON.stringify(change.authGroups ?? folder.authGroups);
  await database.run(
    `UPDATE folders SET name = ?, parent_id = ?, external_id = ?, auth_groups = ?, updated = ?
     WHERE id = ?`,
    [name, parentId, change.externalId ?? folder.externalId, authGroups, now, id],
  );
  if (change.projects === undefined) return;
  await putInto(database, folder, change.projects);
  const staying = new Set(change.projects);
  await takeOut(
    database,
    folder,
    folder.projects.filter((slug) => !staying.has(slug)),
  );
}

/** What it held is one step further up then. */
async function removeFolder(
  database: AsyncDatabase,
  { id, workspaceId, parentId }: Pick<Folder, 'id' | 'workspaceId' | 'parentId'>,
  now: number,
): Promise<void> {
  const above = await database.all(
    `SELECT name FROM folders WHERE parent_id = ? AND name IN (
       SELECT name FROM folders WHERE workspace_id = ? AND coalesce(parent_id, '') = ? AND id <> ?)`,
    [id, workspaceId, parentId ?? '', id],
    (row) => row.text('name'),
  );
  const [taken] = above;
  if (taken !== undefined) {
    throw new FoveaError('conflict', `The folder "${taken}" in it has a namesake one step up.`, {
      hint: 'Rename one of the two first: the folders of a deleted folder go to its parent.',
    });
  }
  // One of its own name may take its place.
  await database.run("UPDATE folders SET name = '' WHERE id = ?", [id]);
  await database.run('UPDATE folders SET parent_id = ?, updated = ? WHERE parent_id = ?', [
    parentId,
    now,
    id,
  ]);
  await database.run('UPDATE projects SET folder_id = ? WHERE folder_id = ?', [parentId, id]);
  await database.run('DELETE FROM folders WHERE id = ?', [id]);
}

type Named = Pick<Folder, 'id' | 'workspaceId' | 'parentId' | 'name'>;

async function refuseSameName(
  database: AsyncDatabase,
  { id, workspaceId, parentId, name }: Named,
): Promise<void> {
  const other = await database.get(
    `SELECT id FROM folders
     WHERE workspace_id = ? AND coalesce(parent_id, '') = ? AND name = ? AND id <> ?`,
    [workspaceId, parentId ?? '', name, id],
    (row) => row.text('id'),
  );
  if (other === undefined) return;
  throw new FoveaError('conflict', `There is a folder "${name}" at this place already.`, {
    hint: `Its id is ${other}.`,
  });
}

type Place = Pick<Folder, 'id' | 'workspaceId'>;

async function refuseParent(
  database: AsyncDatabase,
  { id, workspaceId }: Place,
  parentId: string | undefined,
): Promise<void> {
  if (parentId === undefined) return;
  const above = await chainOf(database, workspaceId, parentId);
  if (above.length === 0) {
    throw invalidArgument('parent_id', `there is no folder "${parentId}"`, 'See folders_list.');
  }
  if (above.includes(id)) {
    throw invalidArgument('parent_id', 'a folder cannot be below itself');
  }
  if (above.length + (await heightOf(database, id)) > limits.folderDepthMax) {
    throw invalidArgument('parent_id', `folders go ${limits.folderDepthMax} deep at most`);
  }
}

/** A folder and all above it, the nearest first; empty when it is not there. */
function chainOf(
  database: AsyncDatabase,
  workspaceId: string,
  folderId: string,
): Promise<readonly string[]> {
  return database.all(
    `WITH RECURSIVE chain (id, parent_id, step) AS (
       SELECT id, parent_id, 1 FROM folders WHERE workspace_id = ? AND id = ?
       UNION ALL SELECT folders.id, folders.parent_id, step + 1 FROM folders
       JOIN chain ON folders.id = chain.parent_id)
     SELECT id FROM chain ORDER BY step`,
    [workspaceId, folderId],
    (row) => row.text('id'),
  );
}

/** 1 for a folder without folders in it. */
async function heightOf(database: AsyncDatabase, folderId: string): Promise<number> {
  const height = await database.get(
    `WITH RECURSIVE below (id, step) AS (
       SELECT id, 1 FROM folders WHERE id = ?
       UNION ALL SELECT folders.id, step + 1 FROM folders JOIN below ON folders.parent_id = below.id)
     SELECT coalesce(max(step), 1) AS n FROM below`,
    [folderId],
    (row) => row.integer('n'),
  );
  return height ?? 1;
}

async function putInto(
  database: AsyncDatabase,
  { id, workspaceId }: Place,
  slugs: readonly string[],
): Promise<void> {
  await move(database, await findProjects(database, workspaceId, slugs, 'projects'), id);
}

async function move(
  database: AsyncDatabase,
  projects: readonly Pick<Project, 'id'>[],
  folderId: string | undefined,
): Promise<void> {
  const ids = JSON.stringify(projects.map(({ id }) => id));
  await database.run(
    `UPDATE projects SET folder_id = :folder WHERE folder_id IS DISTINCT FROM :folder
       AND id IN (SELECT value FROM json_each(:ids))`,
    { folder: folderId, ids },
  );
}

async function takeOut(
  database: AsyncDatabase,
  { id, workspaceId }: Place,
  slugs: readonly string[],
): Promise<void> {
  const projects = await findProjects(database, workspaceId, slugs, 'projects');
  const other = projects.find(({ folderId }) => folderId !== id);
  if (other) throw invalidArgument('projects', `"${other.slug}" is not in this folder`);
  await move(database, projects, undefined);
}

async function touch(database: AsyncDatabase, folderId: string, now: number): Promise<void> {
  await database.run('UPDATE folders SET updated = ? WHERE id = ?', [now, folderId]);
}

async function idsOf(
  database: AsyncDatabase,
  sql: string,
  workspaceId: string,
  folderIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const parameters = [workspaceId, JSON.stringify(folderIds)];
  return new Set(await database.all(sql, parameters, (row) => row.text('id')));
}

/** Where it is: enough for what does not show it. */
function readPlace(row: Row) {
  return {
    id: row.text('id'),
    workspaceId: row.text('workspace_id'),
    parentId: row.optionalText('parent_id'),
  };
}

function readFolder(row: Row): Folder {
  return {
    ...readPlace(row),
    name: row.text('name'),
    externalId: row.optionalText('external_id'),
    authGroups: row.json('auth_groups'),
    projects: readTexts(row, 'projects'),
    created: row.integer('created'),
    updated: row.integer('updated'),
  };
}
