// The batches in which images came.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import { newId } from '../ids-and-slugs.ts';

/** The id of the batch of this name; creates it where it is missing. */
export async function ensureBatch(
  database: AsyncDatabase,
  projectId: string,
  name: string,
  now: number,
): Promise<string> {
  const known = await findBatch(database, projectId, name);
  if (known !== undefined) return known;
  const id = newId();
  await database.run(
    'INSERT INTO batches (id, project_id, name, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [id, projectId, name, now],
  );
  return (await findBatch(database, projectId, name)) ?? id;
}

/** The id of the batch of this name. */
function findBatch(database: AsyncDatabase, projectId: string, name: string) {
  return database.get(
    'SELECT id FROM batches WHERE project_id = ? AND name = ?',
    [projectId, name],
    (row) => row.text('id'),
  );
}
