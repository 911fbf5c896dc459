// The batches in which images came.

import type { Database } from '../../storage/database.ts';
import { newId } from '../ids-and-slugs.ts';

/** The id of the batch of this name; creates it where it is missing. */
export function ensureBatch(
  database: Database,
  projectId: string,
  name: string,
  now: number,
): string {
  const id = newId();
  database.run(
    'INSERT INTO batches (id, project_id, name, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [id, projectId, name, now],
  );
  const kept = database.get(
    'SELECT id FROM batches WHERE project_id = ? AND name = ?',
    [projectId, name],
    (row) => row.text('id'),
  );
  return kept ?? id;
}
