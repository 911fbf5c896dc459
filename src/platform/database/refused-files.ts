// Files that an upload refused, kept so that the health of a project names them later.

import { limits } from '../../limits.ts';
import type { AsyncDatabase, AsyncReader } from '../../storage/async-database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { RefusedFile, RefusedFileStore } from '../store/refused-files.ts';

export const refusedFileTables: Migration = {
  name: 'refused_files',
  sql: `
CREATE TABLE refused_files (
  ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE, identity TEXT NOT NULL,
  file TEXT NOT NULL, name TEXT NOT NULL, reason TEXT NOT NULL, who TEXT, at INTEGER NOT NULL,
  UNIQUE (project_id, identity)
) STRICT;
CREATE INDEX refused_files_project ON refused_files (project_id, ordinal);
`,
};

export function refusedFileStore(database: AsyncDatabase): RefusedFileStore {
  return {
    add: (projectId, files) => database.transaction(() => keepRefused(database, projectId, files)),
  };
}

/** Within a transaction. Of a project that is gone, nothing is kept. */
export async function keepRefused(
  database: AsyncDatabase,
  projectId: string,
  files: readonly RefusedFile[],
): Promise<void> {
  // The first comes last, so that it is listed first.
  const kept = files.slice(0, limits.refusedFilesMax).toReversed();
  for (const { identity, file, name, reason, who, at } of kept) {
    const before = 'DELETE FROM refused_files WHERE project_id = ? AND identity = ?';
    await database.run(before, [projectId, identity]);
    await database.run(
      `INSERT INTO refused_files (project_id, identity, file, name, reason, who, at)
       SELECT id, ?, ?, ?, ?, ?, ? FROM projects WHERE id = ?`,
      [identity, file, name, reason, who, at, projectId],
    );
  }
  await database.run(
    `DELETE FROM refused_files WHERE project_id = :projectId AND ordinal <= (
       SELECT ordinal FROM refused_files WHERE project_id = :projectId
       ORDER BY ordinal DESC LIMIT 1 OFFSET :kept)`,
    { projectId, kept: limits.refusedFilesMax },
  );
}

/** The newest first. Left out are those of which an image of the same name came later. */
export async function listRefused(
  database: AsyncReader,
  projectId: string,
): Promise<readonly RefusedFile[]> {
  const refused = await database.all(
    'SELECT * FROM refused_files WHERE project_id = ? ORDER BY ordinal DESC',
    [projectId],
    (row) => ({
      file: row.text('file'),
      name: row.text('name'),
      identity: row.text('identity'),
      reason: row.text('reason'),
      at: row.integer('at'),
      who: row.optionalText('who'),
    }),
  );
  if (refused.length === 0) return [];
  const taken = new Map(
    await database.all(
      `SELECT name, max(created) AS created FROM images
       WHERE project_id = ? AND name IN (SELECT value FROM json_each(?)) GROUP BY name`,
      [projectId, JSON.stringify(refused.map(({ name }) => name))],
      (row): [string, number] => [row.text('name'), row.integer('created')],
    ),
  );
  return refused.filter(({ name, at }) => (taken.get(name) ?? 0) < at);
}
