// The parts of versions of many images: which batches each of them makes.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { FencedTransaction } from '../store/fenced-transaction.ts';
import type { VersionPart } from '../store/versions.ts';

export const versionPartTables: Migration = {
  name: 'version parts',
  sql: `
CREATE TABLE version_parts (
  task_id TEXT PRIMARY KEY, version_id TEXT NOT NULL REFERENCES versions ON DELETE CASCADE,
  -- Ordinals of the sources of each batch, as JSON.
  batches TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX version_parts_version ON version_parts (version_id);
`,
};

/** In place of those that the version has. A transaction for each, or others would wait for all. */
export async function keepParts(
  database: AsyncDatabase,
  versionId: string,
  parts: readonly VersionPart[],
  fenced: FencedTransaction,
): Promise<void> {
  await fenced(() => removeParts(database, versionId));
  for (const { taskId, batches } of parts) {
    await fenced(() =>
      database.run('INSERT INTO version_parts (task_id, version_id, batches) VALUES (?, ?, ?)', [
        taskId,
        versionId,
        JSON.stringify(batches),
      ]),
    );
  }
}

export function findPart(
  database: AsyncDatabase,
  taskId: string,
): Promise<VersionPart['batches'] | undefined> {
  return database.get('SELECT batches FROM version_parts WHERE task_id = ?', [taskId], (row) =>
    listOf(row.json('batches')).map((batch) => listOf(batch).map(Number)),
  );
}

export function removeParts(database: AsyncDatabase, versionId: string): Promise<number> {
  return database.run('DELETE FROM version_parts WHERE version_id = ?', [versionId]);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
