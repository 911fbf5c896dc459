// Labels that one person made apart from those of the images, as rows.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { AnnotationJob, JobImage } from '../store/annotation-jobs.ts';
import type {
  ComparedWith,
  IndependentLabelStore,
  IndependentLabels,
  LabelledTwice,
} from '../store/independent-labels.ts';
import { serverIndependentNote } from './activity/change-triggers.ts';
import { insertJob, unknownAmong } from './annotation-jobs.ts';
import { readAnnotation } from './column-readers.ts';
import { byPosition, positionIn } from './job-order.ts';
import { findJob } from './read-annotation-jobs.ts';

const tables = `
ALTER TABLE annotation_jobs ADD COLUMN independent INTEGER NOT NULL DEFAULT 0;
-- An image may go to the trash and come back: no key of images.
CREATE TABLE independent_labels (
  job_id TEXT NOT NULL REFERENCES annotation_jobs ON DELETE CASCADE, image_id TEXT NOT NULL,
  -- NULL: the person has not labelled it yet.
  annotation TEXT, objects INTEGER, labelled_by TEXT, labelled_at INTEGER,
  PRIMARY KEY (job_id, image_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX independent_labels_image ON independent_labels (image_id);
`;

export const independentLabelTables: Migration = {
  name: 'independent_labels',
  sql: tables,
  postgres: tables + serverIndependentNote,
};

export function independentLabelStore(database: AsyncDatabase): IndependentLabelStore {
  return {
    add: (job, imageIds) =>
      database.transaction(async () => {
        const unknown = await unknownAmong(database, job.projectId, imageIds);
        if (unknown.length > 0) return { kind: 'unknown', imageIds: unknown };
        await insertJob(database, { ...job, isIndependent: true });
        await database.run(
          `INSERT INTO independent_labels (job_id, image_id, position)
           SELECT ?, value, ${positionIn(job)} FROM json_each(?)`,
          [job.id, JSON.stringify(imageIds)],
        );
        const added = await findJob(database, job.projectId, job.id);
        if (added === undefined) throw new FoveaError('internal', 'A job was not added.');
        return added;
      }),
    images: (jobId, { imageId, limit, offset }) =>
      database.all(
        `SELECT job_id, image_id, images.name, independent_labels.annotation IS NOT NULL AS labelled
         FROM independent_labels JOIN images ON images.id = image_id
         WHERE job_id = ? AND (CAST(? AS TEXT) IS NULL OR image_id = ?)
         ${byPosition} LIMIT ? OFFSET ?`,
        [jobId, imageId, imageId, limit, offset],
        readJobImage,
      ),
    find: (jobId, imageId) =>
      database.get(
        `${selectLabels} WHERE job_id = ? AND image_id = ?`,
        [jobId, imageId],
        readLabels,
      ),
    label: ({ jobId, imageId }, { json, objects }, { revision, by }, now) =>
      database.transaction(async () => {
        const known = await database.get(
          'SELECT annotation FROM independent_labels WHERE job_id = ? AND image_id = ?',
          [jobId, imageId],
          (row) => ({ json: row.optionalText('annotation') }),
        );
        if (known === undefined) return 'missing';
        if (revision !== undefined && revision !== revisionOf(known.json)) return 'was_changed';
        await database.run(
          `UPDATE independent_labels
           SET annotation = ?, objects = ?, labelled_by = ?, labelled_at = ?
           WHERE job_id = ? AND image_id = ?`,
          [json, objects, by, now, jobId, imageId],
        );
        return 'labelled';
      }),
    ofImage: (imageId, before) =>
      database.all(
        `${selectLabels} WHERE image_id = ? AND annotation IS NOT NULL AND created < ?
         ORDER BY created, job_id LIMIT ?`,
        [imageId, before, limits.comparedJobsMax],
        readLabels,
      ),
    countWithClasses: (projectId, classes) => countWithClasses(database, projectId, classes),
    comparedWith: (job) => comparedWith(database, job),
    labelledTwice: async (job, other, { after, limit }) => {
      const [one, theirs] = [labelsOfJob(job), labelsOfJob(other)];
      return database.all(
        `SELECT images.id, images.name, ${bounded('one')} AS one, ${bounded('other')} AS other
         FROM images JOIN (${one.sql}) AS one ON one.image_id = images.id
           JOIN (${theirs.sql}) AS other ON other.image_id = images.id
         WHERE images.id > ? ORDER BY images.id LIMIT ?`,
        [...one.values, ...theirs.values, after, limit],
        readTwice,
      );
    },
  };
}

const selectLabels = `
  SELECT job_id, labeler, annotation FROM independent_labels
    JOIN annotation_jobs ON annotation_jobs.id = job_id`;

async function countWithClasses(
  database: AsyncDatabase,
  projectId: string,
  classes: readonly string[],
): Promise<number> {
  // Names of classes stand in the annotation as JSON texts.
  const texts = JSON.stringify(classes.map((name) => JSON.stringify(name)));
  const found = await database.get(
    `SELECT count(*) AS n FROM independent_labels
       JOIN annotation_jobs ON annotation_jobs.id = job_id
     WHERE project_id = ? AND annotation IS NOT NULL AND EXISTS (
       SELECT 1 FROM json_each(?) AS wanted WHERE instr(annotation, wanted.value) > 0)`,
    [projectId, texts],
    (row) => row.integer('n'),
  );
  return found ?? 0;
}

async function comparedWith(
  database: AsyncDatabase,
  { id, projectId, isIndependent }: AnnotationJob,
): Promise<readonly ComparedWith[]> {
  const mine = isIndependent ? 'independent_labels' : 'annotation_job_images';
  const others = await database.all(
    `SELECT id, name, labeler FROM annotation_jobs AS other
     WHERE project_id = ? AND independent = 1 AND id <> ? AND EXISTS (
       SELECT 1 FROM independent_labels AS theirs
         JOIN ${mine} AS mine ON mine.image_id = theirs.image_id AND mine.job_id = ?
       WHERE theirs.job_id = other.id)
     ORDER BY created DESC, id LIMIT ?`,
    [projectId, id, id, limits.comparedJobsMax],
    (row) => ({ id: row.text('id'), name: row.text('name'), labeler: row.optionalText('labeler') }),
  );
  return isIndependent ? [undefined, ...others] : others;
}

/**
 * Labels by image: of an independent job its own, else those that people gave the images. A job
 * that is not independent is compared by the images that it has.
 */
function labelsOfJob(job: ComparedWith | AnnotationJob) {
  const ofPeople = 'SELECT id AS image_id, annotation, objects FROM images WHERE predicted = 0';
  const labelled = 'annotation IS NOT NULL';
  if (job === undefined) return { sql: `${ofPeople} AND ${labelled}`, values: [] };
  if ('isIndependent' in job && !job.isIndependent) {
    const inJob = 'SELECT image_id FROM annotation_job_images WHERE job_id = ?';
    return { sql: `${ofPeople} AND ${labelled} AND id IN (${inJob})`, values: [job.id] };
  }
  const own = 'SELECT image_id, annotation, objects FROM independent_labels';
  return { sql: `${own} WHERE job_id = ? AND ${labelled}`, values: [job.id] };
}

/** NULL: too large to be compared while others wait. */
function bounded(table: string): string {
  return `CASE WHEN ${table}.objects <= ${limits.comparedObjectsMax}
    AND length(${table}.annotation) <= ${limits.comparedCharactersMax}
    THEN ${table}.annotation END`;
}

function readTwice(row: Row): LabelledTwice {
  const [one, other] = [readColumn(row, 'one'), readColumn(row, 'other')];
  const isLarge = one === undefined || other === undefined;
  const labels = isLarge ? 'tooLarge' : ([one, other] as const);
  return { imageId: row.text('id'), name: row.text('name'), labels };
}

function readColumn(row: Row, column: string) {
  return readAnnotation({ optionalText: () => row.optionalText(column) });
}

function readJobImage(row: Row): JobImage {
  return {
    jobId: row.text('job_id'),
    imageId: row.text('image_id'),
    name: row.text('name'),
    state: row.boolean('labelled') ? 'annotated' : 'unannotated',
    comment: undefined,
    decidedBy: undefined,
    decidedAt: undefined,
    decisions: 0,
    labelsChanged: false,
  };
}

function readLabels(row: Row): IndependentLabels {
  return {
    jobId: row.text('job_id'),
    labeler: row.optionalText('labeler'),
    annotation: readAnnotation(row),
  };
}
