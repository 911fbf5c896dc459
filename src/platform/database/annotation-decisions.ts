// What people decided about the images of annotation jobs, and the labels that these had before.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import { FoveaError } from '../../errors.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type {
  AskedReview,
  Decider,
  Decision,
  ImageState,
  JobImage,
  JobImagesPage,
} from '../store/annotation-jobs.ts';
import type { ImageIndex } from '../store/image-index.ts';
import { byPosition } from './job-order.ts';
import { keepDecidedLabels, keepLabelsBefore } from './review-labels.ts';
import { changingImages } from './search-index/update-index.ts';

export const annotationDecisionTables: Migration = {
  name: 'annotation_decisions',
  sql: `
ALTER TABLE annotation_job_images ADD COLUMN decided_by TEXT;
ALTER TABLE annotation_job_images ADD COLUMN decided_at INTEGER;
ALTER TABLE annotation_job_images ADD COLUMN comment TEXT;
-- How many there were: who decides says which they have seen.
ALTER TABLE annotation_job_images ADD COLUMN decisions INTEGER NOT NULL DEFAULT 0;
-- Labels as they were when their job began, to tell what became of them.
CREATE TABLE annotation_job_labels (
  job_id TEXT NOT NULL REFERENCES annotation_jobs ON DELETE CASCADE,
  image_id TEXT NOT NULL REFERENCES images ON DELETE CASCADE,
  annotation TEXT,
  PRIMARY KEY (job_id, image_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX annotation_job_labels_image ON annotation_job_labels (image_id);
`,
};

/** Of a job that is complete: an open one is asked again. */
export const labelsChangedColumn: Migration = {
  name: 'labels_changed_since_decision',
  sql: 'ALTER TABLE annotation_job_images ADD COLUMN labels_changed INTEGER NOT NULL DEFAULT 0;',
};

export function readJobImages(
  database: AsyncDatabase,
  jobId: string,
  { imageId, state, limit, offset }: JobImagesPage,
): Promise<readonly JobImage[]> {
  return database.all(
    `${selectImages} WHERE job_id = ? AND (CAST(? AS TEXT) IS NULL OR image_id = ?)
       AND (CAST(? AS TEXT) IS NULL OR state = ?)
     ${byPosition} LIMIT ? OFFSET ?`,
    [jobId, imageId, imageId, state, state, limit, offset],
    readJobImage,
  );
}

/** As `newestDecision` of the store. */
export function readNewestDecision(
  database: AsyncDatabase,
  imageId: string,
): Promise<JobImage | undefined> {
  return database.get(
    `${selectImages} WHERE image_id = ? AND state IN ('approved', 'rejected')
     ORDER BY decided_at DESC, job_id LIMIT 1`,
    [imageId],
    readJobImage,
  );
}

/** As `deciders` of the store. */
export function readDeciders(
  database: AsyncDatabase,
  jobId: string,
  countMax: number,
): Promise<readonly Decider[]> {
  return database.all(
    `SELECT decided_by, count(*) FILTER (WHERE state = 'approved') AS approved,
       count(*) FILTER (WHERE state = 'rejected') AS rejected
     FROM annotation_job_images WHERE job_id = ? AND state IN ('approved', 'rejected')
     GROUP BY decided_by ORDER BY count(*) DESC, decided_by LIMIT ?`,
    [jobId, countMax],
    (row) => ({
      by: row.optionalText('decided_by'),
      approved: row.integer('approved'),
      rejected: row.integer('rejected'),
    }),
  );
}

const selectImages = `
  SELECT job_id, image_id, images.name, state, comment, decided_by, decided_at, decisions,
    labels_changed
  FROM annotation_job_images JOIN images ON images.id = image_id`;

/** As `decide` of the store. */
export function decideImage(
  database: AsyncDatabase,
  index: ImageIndex,
  { jobId, imageId }: { readonly jobId: string; readonly imageId: string },
  decision: Decision,
  now: number,
): Promise<JobImage | undefined> {
  const read = async () =>
    (await readJobImages(database, jobId, { imageId, limit: 1, offset: 0 }))[0];
  return database.transaction(async () => {
    const known = await read();
    if (known === undefined) return undefined;
    const { seenRevision, state, comment, seenDecisions } = decision;
    const labels = await labelsOf(database, imageId);
    if (seenRevision !== undefined && seenRevision !== revisionOf(labels)) {
      throw changed('The labels of this image have changed meanwhile.');
    }
    // Two people of one opinion are no conflict; nor is an answer that was lost.
    const isSame = known.state === state && known.comment === comment;
    if (isSame && !known.labelsChanged) return known;
    if (known.decisions !== seenDecisions) {
      throw changed('Somebody decided about this image meanwhile.');
    }
    // A complete job keeps the state of what was decided.
    const isUnannotated = known.labelsChanged
      ? labels === undefined
      : known.state === 'unannotated';
    if (state === 'approved' && isUnannotated) {
      throw new FoveaError('conflict', 'Nobody has annotated this image yet.', {
        hint: 'Draw its boxes, mark it as empty, or send it back.',
      });
    }
    await changingImages(database, index, [imageId], () =>
      setDecision(database, jobId, [imageId], decision, now),
    );
    return read();
  });
}

function changed(message: string): FoveaError {
  const hint = 'Nothing was changed: look at the image again first.';
  return new FoveaError('conflict', message, { hint });
}

/** As JSON; undefined: nobody has annotated the image. */
function labelsOf(database: AsyncDatabase, imageId: string): Promise<string | undefined> {
  const sql = 'SELECT annotation FROM images WHERE id = ?';
  return database.get(sql, [imageId], (row) => row.optionalText('annotation'));
}

/** Within a transaction that brings the index along: of images that are in the job. */
export async function setDecision(
  database: AsyncDatabase,
  jobId: string,
  imageIds: readonly string[],
  { state, comment, by }: Pick<Decision, 'state' | 'comment' | 'by'>,
  now: number,
): Promise<void> {
  const ids = JSON.stringify(imageIds);
  // The log tells this decision too, where it is the same as the one about other labels.
  await database.run(
    `UPDATE annotation_job_images SET state = 'annotated', labels_changed = 0
     WHERE job_id = ? AND image_id IN (SELECT value FROM json_each(?)) AND labels_changed = 1`,
    [jobId, ids],
  );
  await database.run(
    `UPDATE annotation_job_images
     SET state = ?, comment = ?, decided_by = ?, decided_at = ?, decisions = decisions + 1
     WHERE job_id = ? AND image_id IN (SELECT value FROM json_each(?))`,
    [state, comment, by, now, jobId, ids],
  );
  await keepDecidedLabels(database, jobId, imageIds);
  if (state !== 'approved') return;
  // Who approves an annotation has looked at it.
  await database.run(
    'UPDATE images SET predicted = 0 WHERE id IN (SELECT value FROM json_each(?))',
    [ids],
  );
}

/** Within a transaction. As `askReview` of the store. */
export async function askReview(
  database: AsyncDatabase,
  jobId: string,
  { instructions, reviewer }: AskedReview,
): Promise<void> {
  await database.run(
    `UPDATE annotation_jobs SET instructions = coalesce(?, instructions),
       reviewer = coalesce(?, reviewer) WHERE id = ?`,
    [instructions, reviewer, jobId],
  );
  await keepLabelsBefore(database, jobId);
}

export function readState(row: Row): ImageState {
  const state = row.text('state');
  switch (state) {
    case 'unannotated':
    case 'annotated':
    case 'approved':
    case 'rejected':
      return state;
    default:
      throw new FoveaError('internal', 'The state of an image in a job is not known.');
  }
}

function readJobImage(row: Row): JobImage {
  return {
    jobId: row.text('job_id'),
    imageId: row.text('image_id'),
    name: row.text('name'),
    state: readState(row),
    comment: row.optionalText('comment'),
    decidedBy: row.optionalText('decided_by'),
    decidedAt: row.optionalInteger('decided_at'),
    decisions: row.integer('decisions'),
    labelsChanged: row.boolean('labels_changed'),
  };
}
