// Annotation jobs, their images and their progress.

import { FoveaError, invalidArgument, invalidInput } from '../../errors.ts';
import { term } from '../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Migration } from '../../storage/migrations.ts';
import { newId } from '../ids-and-slugs.ts';
import type {
  AnnotationJob,
  AnnotationJobStore,
  ImageState,
  JobReview,
  NamedJob,
  NewAnnotationJob,
  NewChosenJob,
  NotFree,
} from '../store/annotation-jobs.ts';
import type { ImageIndex, TermChange } from '../store/image-index.ts';
import {
  askReview,
  decideImage,
  readDeciders,
  readJobImages,
  readNewestDecision,
  readState,
  setDecision,
} from './annotation-decisions.ts';
import { positionIn } from './job-order.ts';
import { findJob, listJobs } from './read-annotation-jobs.ts';
import {
  addChanger,
  readChangedImages,
  readChangedLabels,
  readCoverage,
  readOpenChangers,
} from './review-labels.ts';
import { changingImages } from './search-index/update-index.ts';

export const annotationJobTables: Migration = {
  name: 'annotation_jobs',
  sql: `
CREATE TABLE annotation_jobs (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
  name TEXT NOT NULL, batch_id TEXT, labeler TEXT, reviewer TEXT, created_by TEXT NOT NULL,
  instructions TEXT, created INTEGER NOT NULL
) STRICT;
CREATE INDEX annotation_jobs_project ON annotation_jobs (project_id, created);
CREATE INDEX annotation_jobs_batch ON annotation_jobs (batch_id);
CREATE TABLE annotation_job_images (
  job_id TEXT NOT NULL REFERENCES annotation_jobs ON DELETE CASCADE,
  image_id TEXT NOT NULL REFERENCES images ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('unannotated', 'annotated', 'approved', 'rejected')),
  PRIMARY KEY (job_id, image_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX annotation_job_images_image ON annotation_job_images (image_id);
-- Tells whether a job is open without reading all of its images.
CREATE INDEX annotation_job_images_open ON annotation_job_images (job_id)
  WHERE state IN ('unannotated', 'annotated');
`,
};

export function annotationJobStore(database: AsyncDatabase, index: ImageIndex): AnnotationJobStore {
  return {
    add: (job, images) => database.transaction(() => addWhole(database, index, job, images)),
    addChosen: (job, imageIds) =>
      database.transaction(() => addChosen(database, index, job, imageIds)),
    addReview: (job, imageIds, asked) =>
      database.transaction(async () => {
        const added = await addChosen(database, index, job, imageIds);
        if ('kind' in added) return added;
        await askReview(database, job.id, asked);
        return { ...added, instructions: asked.instructions };
      }),
    askReview: (jobId, asked) => database.transaction(() => askReview(database, jobId, asked)),
    reviewCoverage: (jobId) => readCoverage(database, jobId),
    changedImages: (jobId, countMax) => readChangedImages(database, jobId, countMax),
    changedLabels: (jobId, imageIds) => readChangedLabels(database, jobId, imageIds),
    list: (projectId) => listJobs(database, projectId),
    find: (projectId, jobId) => findJob(database, projectId, jobId),
    openJobOf: async (imageIds) => (await inOpenJobs(database, imageIds))[0]?.jobId,
    findAnywhere: async (workspaceId, jobId) => {
      const projectId = await database.get(
        `SELECT project_id FROM annotation_jobs JOIN projects ON projects.id = project_id
         WHERE annotation_jobs.id = ? AND workspace_id = ? AND deleted_at IS NULL`,
        [jobId, workspaceId],
        (row) => row.text('project_id'),
      );
      return projectId === undefined ? undefined : findJob(database, projectId, jobId);
    },
    images: (jobId, page) => readJobImages(database, jobId, page),
    deciders: (jobId, countMax) => readDeciders(database, jobId, countMax),
    openChangers: (imageId, otherThan, countMax) =>
      readOpenChangers(database, imageId, otherThan, countMax),
    newestDecision: (imageId) => readNewestDecision(database, imageId),
    review: async (projectId, jobId, review, now) => {
      if ((await findJob(database, projectId, jobId)) === undefined) return undefined;
      const changed = [...review.approve, ...review.reject];
      await changingImages(database, index, changed, () =>
        reviewImages(database, jobId, review, now),
      );
      return findJob(database, projectId, jobId);
    },
    decide: (jobId, imageId, decision, now) =>
      decideImage(database, index, { jobId, imageId }, decision, now),
  };
}

/**
 * Adds a job within a transaction, with at most `imagesMax` images that are free; undefined: there
 * is none.
 */
export async function addAnnotationJob(
  database: AsyncDatabase,
  index: ImageIndex,
  job: NewAnnotationJob,
  imagesMax: number,
): Promise<{ readonly images: number } | undefined> {
  const imageIds = await freeImages(database, index, job.batchId, imagesMax);
  if (imageIds.length === 0) return undefined;
  await insertWithImages(database, index, job, imageIds);
  return { images: imageIds.length };
}

/**
 * Within a transaction: the images of a job that nobody annotated are free for another one. A job
 * to which none is left goes.
 */
export async function freeUnannotated(
  database: AsyncDatabase,
  index: ImageIndex,
  jobId: string,
): Promise<void> {
  const sql = `SELECT image_id FROM annotation_job_images
    WHERE job_id = ? AND state = 'unannotated'`;
  const imageIds = await database.all(sql, [jobId], (row) => row.text('image_id'));
  await database.run(
    `DELETE FROM annotation_job_images WHERE job_id = ? AND state = 'unannotated'`,
    [jobId],
  );
  await database.run(
    `DELETE FROM annotation_jobs WHERE id = ?
     AND NOT EXISTS (SELECT 1 FROM annotation_job_images WHERE job_id = annotation_jobs.id)`,
    [jobId],
  );
  await database.run(
    `UPDATE autolabel_jobs SET annotation_job_id = NULL WHERE annotation_job_id = ?
     AND NOT EXISTS (SELECT 1 FROM annotation_jobs WHERE id = annotation_job_id)`,
    [jobId],
  );
  await indexJob(database, index, jobId, imageIds);
}

/**
 * The image was annotated, or is not any more, in this transaction: its open jobs see that. What
 * was decided about other labels in a job that is complete stays there, and stands no more.
 */
export function markAnnotated(
  database: AsyncDatabase,
  imageId: string,
  state: 'annotated' | 'unannotated',
  areOther: boolean,
): void {
  database.send(
    `UPDATE annotation_job_images SET state = ?
     WHERE image_id = ? AND state <> ? AND EXISTS (
       SELECT 1 FROM annotation_job_images AS other
       WHERE other.job_id = annotation_job_images.job_id
         AND other.state IN ('unannotated', 'annotated'))`,
    [state, imageId, state],
  );
  if (!areOther) return;
  database.send(
    `UPDATE annotation_job_images SET labels_changed = 1
     WHERE image_id = ? AND state IN ('approved', 'rejected')`,
    [imageId],
  );
}

/**
 * The newest job of a name for which labels of images can count; undefined: there is none. Throws
 * `invalid_input` where an independent job alone has the name.
 */
export async function findCountingJob(
  database: AsyncDatabase,
  projectId: string,
  name: string,
): Promise<string | undefined> {
  const known = await database.get(
    `SELECT id, independent FROM annotation_jobs WHERE project_id = ? AND name = ?
     ORDER BY independent, created DESC, id LIMIT 1`,
    [projectId, name],
    (row) => ({ id: row.text('id'), isIndependent: row.boolean('independent') }),
  );
  if (!known?.isIndependent) return known?.id;
  throw invalidArgument(
    'jobName',
    'names an independent job, whose labels are apart from those of the image: label on the page of the job',
  );
}

/**
 * Within a transaction that annotated an image: it counts for this job, or for one that is made of
 * this name.
 */
export async function countForJob(
  database: AsyncDatabase,
  image: { readonly id: string; readonly projectId: string; readonly batchId: string },
  known: string | undefined,
  { name, createdBy }: NamedJob,
  now: number,
): Promise<void> {
  const id = known ?? newId();
  if (known === undefined) {
    const { projectId, batchId } = image;
    const [labeler, reviewer] = [undefined, undefined];
    await insertJob(database, {
      id,
      projectId,
      name,
      batchId,
      labeler,
      reviewer,
      createdBy,
      created: now,
    });
  }
  await setState(database, id, [image.id], 'annotated');
}

async function addWhole(
  database: AsyncDatabase,
  index: ImageIndex,
  job: NewAnnotationJob,
  images: number,
) {
  const imageIds = await freeImages(database, index, job.batchId, images);
  const free = imageIds.length;
  if (free < images) return { job: undefined, free };
  await insertWithImages(database, index, job, imageIds);
  return { job: await findJob(database, job.projectId, job.id), free };
}

async function addChosen(
  database: AsyncDatabase,
  index: ImageIndex,
  job: NewChosenJob,
  imageIds: readonly string[],
): Promise<AnnotationJob | NotFree> {
  const unknown = await unknownAmong(database, job.projectId, imageIds);
  if (unknown.length > 0) return { kind: 'unknown', imageIds: unknown };
  const batches = await database.all(
    `SELECT DISTINCT batch_id FROM images WHERE id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(imageIds)],
    (row) => row.text('batch_id'),
  );
  for (const batchId of batches) await freeOfEndedRuns(database, index, batchId);
  const taken = await inOpenJobs(database, imageIds);
  const [first] = taken;
  if (first !== undefined) {
    const ids = taken.map(({ imageId }) => imageId);
    return { kind: 'in-open-job', imageIds: ids, jobId: first.jobId };
  }
  await insertWithImages(database, index, job, imageIds);
  const added = await findJob(database, job.projectId, job.id);
  if (added === undefined) throw new FoveaError('internal', 'A job was not added.');
  return added;
}

/** The images that open jobs have, each with one of these jobs. */
function inOpenJobs(database: AsyncDatabase, imageIds: readonly string[]) {
  return database.all(
    `SELECT value, (${openJobOf('value')} LIMIT 1) AS job_id
     FROM json_each(?) WHERE EXISTS (${openJobOf('value')})`,
    [JSON.stringify(imageIds)],
    (row) => ({ imageId: row.text('value'), jobId: row.text('job_id') }),
  );
}

/** Those that are not in the project. */
export function unknownAmong(
  database: AsyncDatabase,
  projectId: string,
  imageIds: readonly string[],
): Promise<readonly string[]> {
  return database.all(
    `SELECT value FROM json_each(?) WHERE NOT EXISTS (
       SELECT 1 FROM images WHERE id = value AND project_id = ?)`,
    [JSON.stringify(imageIds), projectId],
    (row) => row.text('value'),
  );
}

function openJobOf(imageId: string): string {
  return `SELECT own.job_id FROM annotation_job_images AS own
    JOIN annotation_job_images AS other ON other.job_id = own.job_id
    WHERE own.image_id = ${imageId} AND other.state IN ('unannotated', 'annotated')`;
}

type JobRow = NewChosenJob & { readonly batchId?: string; readonly isIndependent?: boolean };

async function insertWithImages(
  database: AsyncDatabase,
  index: ImageIndex,
  job: JobRow,
  imageIds: readonly string[],
): Promise<void> {
  await insertJob(database, job);
  await database.run(
    `INSERT INTO annotation_job_images (job_id, image_id, state, position)
     SELECT ?, value, CASE WHEN objects IS NULL THEN 'unannotated' ELSE 'annotated' END,
       ${positionIn(job)}
     FROM json_each(?) JOIN images ON images.id = value`,
    [job.id, JSON.stringify(imageIds)],
  );
  await indexJob(database, index, job.id, imageIds);
}

/**
 * Brings the search index along for images that came into a job, or left it, without a look at all
 * else that it has of them: jobs are large. Images that are not in it yet come into it later.
 */
async function indexJob(
  database: AsyncDatabase,
  index: ImageIndex,
  jobId: string,
  imageIds: readonly string[],
): Promise<void> {
  const changes: TermChange[] = [];
  const places = await database.all(
    `SELECT ordinal,
       EXISTS (SELECT 1 FROM annotation_job_images
               WHERE image_id = image_ordinals.image_id AND job_id = ?) AS is_in_it,
       EXISTS (SELECT 1 FROM annotation_job_images
               WHERE image_id = image_ordinals.image_id) AS is_in_any
     FROM image_ordinals WHERE indexed = 1 AND image_id IN (SELECT value FROM json_each(?))`,
    [jobId, JSON.stringify(imageIds)],
    (row) => ({
      ordinal: row.integer('ordinal'),
      isInIt: row.boolean('is_in_it'),
      isInAny: row.boolean('is_in_any'),
    }),
  );
  for (const { ordinal, isInIt, isInAny } of places) {
    changes.push({ ordinal, term: term('job', jobId), isSet: isInIt });
    changes.push({ ordinal, term: term('is', 'in-job'), isSet: isInAny });
  }
  await index.changeTerms(database, changes);
}

/** Within a transaction. */
async function freeImages(
  database: AsyncDatabase,
  index: ImageIndex,
  batchId: string,
  countMax: number,
): Promise<readonly string[]> {
  await freeOfEndedRuns(database, index, batchId);
  return database.all(
    `SELECT id FROM images WHERE batch_id = ? AND objects IS NULL
       AND NOT EXISTS (${openJobOf('images.id')})
     ORDER BY created, id LIMIT ?`,
    [batchId, countMax],
    (row) => row.text('id'),
  );
}

/**
 * A run of Auto Label gives its images back where it ends. It cannot where its processes died too
 * often, or where the disk refused that: then its task has ended, and they are still in its job.
 */
async function freeOfEndedRuns(
  database: AsyncDatabase,
  index: ImageIndex,
  batchId: string,
): Promise<void> {
  const jobIds = await database.all(
    `SELECT annotation_jobs.id FROM annotation_jobs
     JOIN autolabel_jobs ON autolabel_jobs.project_id = annotation_jobs.project_id
       AND autolabel_jobs.annotation_job_id = annotation_jobs.id
     WHERE annotation_jobs.batch_id = ?
       AND EXISTS (SELECT 1 FROM annotation_job_images
                   WHERE job_id = annotation_jobs.id AND state = 'unannotated')
       AND NOT EXISTS (SELECT 1 FROM work WHERE work.id = autolabel_jobs.id
                       AND work.status IN ('created', 'running'))`,
    [batchId],
    (row) => row.text('id'),
  );
  for (const jobId of jobIds) await freeUnannotated(database, index, jobId);
}

export async function insertJob(database: AsyncDatabase, job: JobRow): Promise<void> {
  const { id, projectId, name, batchId, labeler, reviewer, createdBy, created } = job;
  const independent = job.isIndependent === true;
  await database.run(
    `INSERT INTO annotation_jobs
       (id, project_id, name, batch_id, labeler, reviewer, created_by, created, independent)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, projectId, name, batchId, labeler, reviewer, createdBy, created, independent],
  );
}

/** Of images that are in the job, or come into it. */
async function setState(
  database: AsyncDatabase,
  jobId: string,
  imageIds: readonly string[],
  state: ImageState,
): Promise<void> {
  await database.run(
    `INSERT INTO annotation_job_images (job_id, image_id, state)
     SELECT ?, value, ? FROM json_each(?) WHERE true
     ON CONFLICT (job_id, image_id) DO UPDATE SET state = excluded.state`,
    [jobId, state, JSON.stringify(imageIds)],
  );
}

async function reviewImages(
  database: AsyncDatabase,
  jobId: string,
  { approve, reject, by }: JobReview,
  now: number,
): Promise<void> {
  const known = new Map(
    await database.all(
      'SELECT image_id, state FROM annotation_job_images WHERE job_id = ?',
      [jobId],
      (row) => [row.text('image_id'), readState(row)] as const,
    ),
  );
  const problems = [
    ...unknownImages('approve', approve, known),
    ...unknownImages('reject', reject, known),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  const open = approve.filter((id) => known.get(id) === 'unannotated');
  if (open.length > 0) {
    throw new FoveaError('conflict', `${open.length} of these images are not annotated yet.`, {
      hint: 'Annotate them first, or reject them. Nothing was changed.',
    });
  }
  await setDecision(database, jobId, approve, { state: 'approved', comment: undefined, by }, now);
  await removePredictions(database, reject, by, now);
  await setDecision(database, jobId, reject, { state: 'rejected', comment: undefined, by }, now);
}

function predictedAmong(
  database: AsyncDatabase,
  imageIds: readonly string[],
): Promise<readonly string[]> {
  return database.all(
    `SELECT images.id FROM json_each(?) AS wanted
       CROSS JOIN images ON images.id = wanted.value WHERE predicted = 1`,
    [JSON.stringify(imageIds)],
    (row) => row.text('id'),
  );
}

function unknownImages(path: string, ids: readonly string[], known: ReadonlyMap<string, unknown>) {
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length === 0) return [];
  const some = missing.slice(0, 3).join(', ');
  return [{ path, message: `${missing.length} of ${ids.length} are not in this job (${some})` }];
}

async function removePredictions(
  database: AsyncDatabase,
  imageIds: readonly string[],
  who: string,
  now: number,
): Promise<void> {
  const predicted = await predictedAmong(database, imageIds);
  if (predicted.length === 0) return;
  const ids = JSON.stringify(predicted);
  const among = 'IN (SELECT value FROM json_each(?))';
  await database.run(
    `UPDATE images SET annotation = NULL, objects = NULL, annotated_at = NULL, predicted = 0
     WHERE id ${among}`,
    [ids],
  );
  await database.run(`DELETE FROM image_labels WHERE image_id ${among}`, [ids]);
  // The log tells it at the end of the transaction: too late for the decision that follows.
  await database.run(addChanger('SELECT value FROM json_each(:ids)'), { ids, who });
  await database.run(
    `UPDATE projects SET updated = ?
     WHERE id IN (SELECT project_id FROM images WHERE id ${among})`,
    [now, ids],
  );
}
