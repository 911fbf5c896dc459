// What became of the labels of a review: as they were when it was asked for, as they were when each
// image was decided, and who changed them between. What is changed later is no part of it.

import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type {
  ChangedImage,
  ChangedLabels,
  OpenChanger,
  ReviewCoverage,
} from '../store/annotation-jobs.ts';
import { readTexts } from './column-readers.ts';

export const reviewLabelTables: Migration = {
  name: 'review_labels',
  sql: `
-- The labels that were decided about, where they are others than those before; NULL: none.
ALTER TABLE annotation_job_labels ADD COLUMN decided TEXT;
-- Whether they are others; NULL: those before are not known. Beside what is small, to be counted.
ALTER TABLE annotation_job_images ADD COLUMN changed INTEGER;
-- Who changed labels since their review was asked for; counted: before the last decision.
CREATE TABLE annotation_job_changers (
  job_id TEXT NOT NULL REFERENCES annotation_jobs ON DELETE CASCADE,
  image_id TEXT NOT NULL REFERENCES images ON DELETE CASCADE,
  who TEXT NOT NULL, counted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (job_id, image_id, who)
) STRICT, WITHOUT ROWID;
CREATE INDEX annotation_job_changers_image ON annotation_job_changers (image_id);
-- Of decisions from before: nobody knows the labels of that time, so those of now stand for them.
UPDATE annotation_job_images SET changed = (
  SELECT CASE WHEN state IN ('approved', 'rejected')
    AND images.annotation IS DISTINCT FROM kept.annotation THEN 1 ELSE 0 END
  FROM annotation_job_labels AS kept JOIN images ON images.id = kept.image_id
  WHERE kept.job_id = annotation_job_images.job_id
    AND kept.image_id = annotation_job_images.image_id);
UPDATE annotation_job_labels SET decided = images.annotation
FROM images, annotation_job_images AS of_job
WHERE images.id = annotation_job_labels.image_id AND of_job.image_id = images.id
  AND of_job.job_id = annotation_job_labels.job_id AND of_job.changed = 1;
`,
};

/** Within a transaction: keeps the labels of the images of a job that it does not have yet. */
export async function keepLabelsBefore(database: AsyncDatabase, jobId: string): Promise<void> {
  await database.run(
    `INSERT INTO annotation_job_labels (job_id, image_id, annotation)
     SELECT job_id, image_id, annotation FROM annotation_job_images
       JOIN images ON images.id = image_id
     WHERE job_id = ? AND changed IS NULL ON CONFLICT (job_id, image_id) DO NOTHING`,
    [jobId],
  );
  await database.run(
    'UPDATE annotation_job_images SET changed = 0 WHERE job_id = ? AND changed IS NULL',
    [jobId],
  );
}

/** Within the transaction that decides about these images of a job, after it changed labels. */
export async function keepDecidedLabels(
  database: AsyncDatabase,
  jobId: string,
  imageIds: readonly string[],
): Promise<void> {
  const ofThese = 'job_id = ? AND image_id IN (SELECT value FROM json_each(?))';
  const which = [jobId, JSON.stringify(imageIds)];
  await database.run(
    `UPDATE annotation_job_labels
     SET decided = CASE WHEN images.annotation IS DISTINCT FROM annotation_job_labels.annotation
       THEN images.annotation END
     FROM images WHERE images.id = image_id AND ${ofThese}
       AND (decided IS NOT NULL
         OR images.annotation IS DISTINCT FROM annotation_job_labels.annotation)`,
    which,
  );
  await database.run(
    `UPDATE annotation_job_images SET changed = (
       SELECT CASE WHEN kept.annotation IS DISTINCT FROM images.annotation THEN 1 ELSE 0 END
       FROM annotation_job_labels AS kept JOIN images ON images.id = kept.image_id
       WHERE kept.job_id = annotation_job_images.job_id
         AND kept.image_id = annotation_job_images.image_id)
     WHERE ${ofThese}`,
    which,
  );
  await database.run(`UPDATE annotation_job_changers SET counted = 1 WHERE ${ofThese}`, which);
}

/** SQL: `:who` changed the labels of images; `imageIds` selects their ids. */
export function addChanger(imageIds: string): string {
  return `INSERT INTO annotation_job_changers (job_id, image_id, who)
    SELECT job_id, image_id, :who FROM annotation_job_labels WHERE image_id IN (${imageIds})
    ON CONFLICT DO NOTHING`;
}

/** As `openChangers` of the store. */
export function readOpenChangers(
  database: AsyncDatabase,
  imageId: string,
  otherThan: string,
  countMax: number,
): Promise<readonly OpenChanger[]> {
  return database.all(
    `SELECT changers.job_id, changers.who
     FROM annotation_job_changers AS changers
       JOIN annotation_job_images AS of_job
         ON of_job.job_id = changers.job_id AND of_job.image_id = changers.image_id
     WHERE changers.image_id = ? AND changers.who <> ?
       AND of_job.state IN ('unannotated', 'annotated')
     ORDER BY changers.job_id, changers.who LIMIT ?`,
    [imageId, otherThan, countMax],
    (row) => ({ jobId: row.text('job_id'), who: row.text('who') }),
  );
}

/** As `reviewCoverage` of the store. */
export async function readCoverage(
  database: AsyncDatabase,
  jobId: string,
): Promise<ReviewCoverage> {
  const found = await database.get(
    `SELECT count(*) FILTER (WHERE changed = 1) AS changed,
       count(*) FILTER (WHERE changed IS NULL) AS unknown
     FROM annotation_job_images WHERE job_id = ?`,
    [jobId],
    (row) => ({ changed: row.integer('changed'), unknown: row.integer('unknown') }),
  );
  return found ?? { changed: 0, unknown: 0 };
}

/** As `changedImages` of the store. */
export function readChangedImages(
  database: AsyncDatabase,
  jobId: string,
  countMax: number,
): Promise<readonly ChangedImage[]> {
  return database.all(
    `SELECT image_id, images.name, decided_by,
       (SELECT json_group_array(who) FROM (
          SELECT who FROM annotation_job_changers AS changers
          WHERE changers.job_id = of_job.job_id AND changers.image_id = of_job.image_id
            AND counted = 1 ORDER BY who LIMIT ?) AS changing) AS changed_by
     FROM (SELECT job_id, image_id, decided_by FROM annotation_job_images
           WHERE job_id = ? AND changed = 1 ORDER BY image_id LIMIT ?) AS of_job
       JOIN images ON images.id = image_id
     ORDER BY images.name, image_id`,
    [limits.reviewChangersToldMax + 1, jobId, countMax],
    (row) => ({
      imageId: row.text('image_id'),
      name: row.text('name'),
      changedBy: readTexts(row, 'changed_by'),
      decidedBy: row.optionalText('decided_by'),
    }),
  );
}

/** As `changedLabels` of the store. */
export function readChangedLabels(
  database: AsyncDatabase,
  jobId: string,
  imageIds: readonly string[],
): Promise<readonly ChangedLabels[]> {
  return database.all(
    `SELECT kept.image_id, ${bounded('kept.annotation')} AS before, ${bounded('decided')} AS after,
       ${tooLong} AS too_long
     FROM annotation_job_labels AS kept
     WHERE job_id = ? AND image_id IN (SELECT value FROM json_each(?))`,
    [jobId, JSON.stringify(imageIds)],
    readLabels,
  );
}

const tooLong = `coalesce(length(kept.annotation), 0) + coalesce(length(decided), 0)
  > ${limits.comparedCharactersMax}`;

function bounded(labels: string): string {
  return `CASE WHEN NOT (${tooLong}) THEN ${labels} END`;
}

function readLabels(row: Row): ChangedLabels {
  const imageId = row.text('image_id');
  if (row.boolean('too_long')) return { imageId, labels: 'tooLong' };
  const [before, after] = [row.optionalText('before'), row.optionalText('after')];
  return { imageId, labels: [before, after] };
}
