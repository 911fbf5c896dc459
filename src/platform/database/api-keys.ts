// API keys, stored by the hashes of their secrets.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { ApiKey, ApiKeyStore, NewApiKey } from '../store/api-keys.ts';
import type { Workspace } from '../store/workspaces.ts';
import { readTexts } from './column-readers.ts';

export const apiKeyTables: Migration = {
  name: 'api_keys',
  sql: `
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces,
  hash TEXT NOT NULL UNIQUE, prefix TEXT NOT NULL, name TEXT,
  -- NULL: full access. NULL: all folders.
  scopes TEXT, folder_ids TEXT,
  custom_metadata TEXT NOT NULL, protected INTEGER NOT NULL, disabled INTEGER NOT NULL,
  created_by TEXT NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX api_keys_workspace ON api_keys (workspace_id, created);
CREATE TABLE publishable_keys (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces, key TEXT NOT NULL UNIQUE
) STRICT;
`,
};

export const apiKeyUseColumn: Migration = {
  name: 'api_key_use',
  sql: 'ALTER TABLE api_keys ADD COLUMN last_used INTEGER;',
};

export function apiKeyStore(database: AsyncDatabase): ApiKeyStore {
  const find = (workspaceId: string, id: string) =>
    database.get(
      'SELECT * FROM api_keys WHERE workspace_id = ? AND id = ?',
      [workspaceId, id],
      readKey,
    );
  const remove = (id: string) => database.run('DELETE FROM api_keys WHERE id = ?', [id]);
  return {
    ...lookups(database),
    find: async (workspaceId, id) => find(workspaceId, id),
    add: (key, countMax) =>
      database.transaction(async () => {
        if ((await countOf(database, key.workspaceId)) >= countMax) return false;
        await insert(database, key);
        return true;
      }),
    change: (workspaceId, id, decide) =>
      database.transaction(async () => {
        const key = await find(workspaceId, id);
        if (key === undefined) return undefined;
        const changed = decide(key);
        await update(database, changed);
        return changed;
      }),
    remove: (workspaceId, id, look) =>
      database.transaction(async () => {
        const key = await find(workspaceId, id);
        if (key === undefined) return false;
        look(key);
        return (await remove(id)) > 0;
      }),
    replace: (workspaceId, id, make) =>
      database.transaction(async () => {
        const key = await find(workspaceId, id);
        if (key === undefined) return undefined;
        const made = make(key);
        await remove(id);
        await insert(database, made);
        return made;
      }),
  };
}

type Lookups = Pick<ApiKeyStore, 'byHash' | 'markUsed' | 'list' | 'publishable' | 'byPublishable'>;

function lookups(database: AsyncDatabase): Lookups {
  const publishable = (workspaceId: string) =>
    database.get('SELECT key FROM publishable_keys WHERE workspace_id = ?', [workspaceId], (row) =>
      row.text('key'),
    );
  return {
    byHash: (hash) =>
      database.get(
        `SELECT api_keys.*, ${workspaceColumns} FROM api_keys
         JOIN workspaces ON workspaces.id = api_keys.workspace_id WHERE hash = ?`,
        [hash],
        (row) => ({ key: readKey(row), workspace: readWorkspace(row) }),
      ),
    markUsed: async (id, now) => {
      // Another process may have told a later time.
      const sql = 'UPDATE api_keys SET last_used = ? WHERE id = ? AND coalesce(last_used, 0) < ?';
      await database.run(sql, [now, id, now]);
    },
    list: (workspaceId) =>
      database.all(
        'SELECT * FROM api_keys WHERE workspace_id = ? ORDER BY created, id',
        [workspaceId],
        readKey,
      ),
    publishable: async (workspaceId, make) => {
      const known = await publishable(workspaceId);
      if (known !== undefined) return known;
      const made = make();
      // Another process may have made one meanwhile.
      await database.run('INSERT INTO publishable_keys VALUES (?, ?) ON CONFLICT DO NOTHING', [
        workspaceId,
        made,
      ]);
      return (await publishable(workspaceId)) ?? made;
    },
    byPublishable: (key) =>
      database.get(
        `SELECT workspaces.id AS workspace_id, ${workspaceColumns} FROM publishable_keys
         JOIN workspaces ON workspaces.id = publishable_keys.workspace_id WHERE key = ?`,
        [key],
        readWorkspace,
      ),
  };
}

const workspaceColumns = `workspaces.slug AS workspace_slug, workspaces.name AS workspace_name,
  workspaces.created AS workspace_created`;

async function countOf(database: AsyncDatabase, workspaceId: string): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM api_keys WHERE workspace_id = ?';
  return (await database.get(sql, [workspaceId], (row) => row.integer('n'))) ?? 0;
}

async function insert(database: AsyncDatabase, key: NewApiKey): Promise<void> {
  await database.run(
    `INSERT INTO api_keys (id, workspace_id, hash, prefix, name, scopes, folder_ids,
       custom_metadata, protected, disabled, created_by, created)
     VALUES (:id, :workspaceId, :hash, :prefix, :name, :scopes, :folderIds,
       :customMetadata, :isProtected, :isDisabled, :createdBy, :created)`,
    {
      id: key.id,
      workspaceId: key.workspaceId,
      hash: key.hash,
      prefix: key.prefix,
      folderIds: asJson(key.folderIds),
      createdBy: key.createdBy,
      created: key.created,
      ...changeable(key),
    },
  );
}

async function update(database: AsyncDatabase, key: ApiKey): Promise<void> {
  await database.run(
    `UPDATE api_keys SET name = :name, scopes = :scopes, custom_metadata = :customMetadata,
       protected = :isProtected, disabled = :isDisabled WHERE id = :id`,
    { id: key.id, ...changeable(key) },
  );
}

function changeable({ name, scopes, customMetadata, isProtected, isDisabled }: ApiKey) {
  return {
    name,
    scopes: asJson(scopes),
    customMetadata: JSON.stringify(customMetadata),
    isProtected,
    isDisabled,
  };
}

function asJson(texts: readonly string[] | undefined): string | undefined {
  return texts && JSON.stringify(texts);
}

function readKey(row: Row): ApiKey {
  return {
    id: row.text('id'),
    workspaceId: row.text('workspace_id'),
    prefix: row.text('prefix'),
    name: row.optionalText('name'),
    scopes: optionalTexts(row, 'scopes'),
    folderIds: optionalTexts(row, 'folder_ids'),
    customMetadata: row.json('custom_metadata'),
    isProtected: row.boolean('protected'),
    isDisabled: row.boolean('disabled'),
    createdBy: row.text('created_by'),
    created: row.integer('created'),
    lastUsed: row.optionalInteger('last_used'),
  };
}

/** A damaged list is an error and never NULL, which would be full access. */
function optionalTexts(row: Row, column: string): readonly string[] | undefined {
  return row.optionalText(column) === undefined ? undefined : readTexts(row, column);
}

function readWorkspace(row: Row): Workspace {
  return {
    id: row.text('workspace_id'),
    slug: row.text('workspace_slug'),
    name: row.text('workspace_name'),
    created: row.integer('workspace_created'),
  };
}
