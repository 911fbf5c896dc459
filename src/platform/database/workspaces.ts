// Workspaces, as rows.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import { newId } from '../ids-and-slugs.ts';
import type { Workspace, WorkspaceStore } from '../store/workspaces.ts';

export function workspaceStore(database: AsyncDatabase): WorkspaceStore {
  const find = (slug: string) =>
    database.get('SELECT * FROM workspaces WHERE slug = ?', [slug], readWorkspace);
  return {
    ensure: (slug, now) =>
      database.transaction(async () => {
        const known = await find(slug);
        if (known) return known;
        const workspace = { id: newId(), slug, name: slug, created: now };
        await database.run('INSERT INTO workspaces (id, slug, name, created) VALUES (?, ?, ?, ?)', [
          workspace.id,
          slug,
          slug,
          now,
        ]);
        return workspace;
      }),
    find: async (slug) => find(slug),
  };
}

function readWorkspace(row: Row): Workspace {
  return {
    id: row.text('id'),
    slug: row.text('slug'),
    name: row.text('name'),
    created: row.integer('created'),
  };
}
