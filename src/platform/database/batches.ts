// The batches in which images came.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import { newId } from '../ids-and-slugs.ts';

export interface NewBatch {
  readonly projectId: string;
  readonly name: string;
  readonly created: number;
}

/** Within a transaction: adds the batch of this name where it is missing. */
export function addBatch(database: AsyncDatabase, { projectId, name, created }: NewBatch): void {
  database.send(
    `INSERT INTO batches (id, project_id, name, created)
     SELECT :id, :projectId, :name, :created WHERE NOT EXISTS (
       SELECT 1 FROM batches WHERE project_id = :projectId AND name = :name)`,
    { id: newId(), projectId, name, created },
  );
}
