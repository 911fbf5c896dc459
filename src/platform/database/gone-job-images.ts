// How many images an annotation job has lost before anybody decided about them: a job whose images
// are deleted is completed, and must not seem reviewed.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Migration } from '../../storage/migrations.ts';

export const goneJobImageColumn: Migration = {
  name: 'gone_job_images',
  sql: 'ALTER TABLE annotation_jobs ADD COLUMN gone_undecided INTEGER NOT NULL DEFAULT 0;',
};

/** Within the transaction that deletes these images, before it does. */
export async function countGoneImages(
  database: AsyncDatabase,
  imageIds: readonly string[],
): Promise<void> {
  const lost = `SELECT job_id, count(*) AS n FROM annotation_job_images
    WHERE image_id IN (SELECT value FROM json_each(?)) AND state NOT IN ('approved', 'rejected')
    GROUP BY job_id`;
  await database.run(
    `UPDATE annotation_jobs SET gone_undecided = gone_undecided + lost.n
     FROM (${lost}) AS lost WHERE annotation_jobs.id = lost.job_id`,
    [JSON.stringify(imageIds)],
  );
}

/** Within the transaction that restores the images of a deletion, while they are in the trash. */
export async function countRestoredImages(
  database: AsyncDatabase,
  deletionId: string,
): Promise<void> {
  const back = `SELECT each.value ->> 0 AS job_id, count(*) AS n
    FROM trashed_images, json_each(content, '$.jobs') AS each
    WHERE deletion_id = ? AND each.value ->> 1 NOT IN ('approved', 'rejected')
    GROUP BY each.value ->> 0`;
  // Deletions from before this column was there are not in it.
  await database.run(
    `UPDATE annotation_jobs
     SET gone_undecided = CASE WHEN gone_undecided > back.n THEN gone_undecided - back.n ELSE 0 END
     FROM (${back}) AS back WHERE annotation_jobs.id = back.job_id`,
    [deletionId],
  );
}
