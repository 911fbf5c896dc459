// The terms of workspaces: a search in all projects of one reads a single term, however many
// projects there are.

import { term } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { Migration } from '../../../storage/migrations.ts';
import { addUnion, findTerms } from './term-bitmaps.ts';

/** Changes nothing, but keeps out an older Fovea: its images would be missing in these terms. */
export const workspaceTerms: Migration = { name: 'search-workspaces', sql: '' };

/**
 * Makes those that are missing, from the terms of their projects, within the caller's transaction:
 * in a database from before there were any. Comes before images of these workspaces change.
 */
export async function ensureWorkspaceTerms(
  database: AsyncDatabase,
  workspaceIds: readonly string[],
): Promise<void> {
  const terms = workspaceIds.map((id) => term('workspace', id));
  const known = await findTerms(database, terms);
  if (known.size === terms.length) return;
  for (const id of workspaceIds) {
    const name = term('workspace', id);
    if (known.has(name)) continue;
    const projects = await database.all(
      'SELECT id FROM projects WHERE workspace_id = ?',
      [id],
      (row) => term('project', row.text('id')),
    );
    await addUnion(database, name, projects);
  }
}
