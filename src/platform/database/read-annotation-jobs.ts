// Annotation jobs with their progress, as they are read from rows.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { AnnotationJob, AnnotationJobStatus, ImageState } from '../store/annotation-jobs.ts';

export function findJob(
  database: AsyncDatabase,
  projectId: string,
  jobId: string,
): Promise<AnnotationJob | undefined> {
  return database.get(
    `${selectJobs} WHERE project_id = ? AND annotation_jobs.id = ? GROUP BY annotation_jobs.id`,
    [projectId, jobId],
    readJob,
  );
}

/** The oldest first. */
export function listJobs(
  database: AsyncDatabase,
  projectId: string,
): Promise<readonly AnnotationJob[]> {
  return database.all(
    `${selectJobs} WHERE project_id = ? GROUP BY annotation_jobs.id ORDER BY created, id`,
    [projectId],
    readJob,
  );
}

const ofIndependent = `FROM independent_labels AS apart
      JOIN images ON images.id = apart.image_id WHERE apart.job_id = annotation_jobs.id`;

const selectJobs = `
  SELECT annotation_jobs.*, count(image_id) AS images,
    count(image_id) FILTER (WHERE state = 'unannotated') AS unannotated,
    count(image_id) FILTER (WHERE state = 'annotated') AS annotated,
    count(image_id) FILTER (WHERE state = 'approved') AS approved,
    count(image_id) FILTER (WHERE state = 'rejected') AS rejected,
    (SELECT count(*) ${ofIndependent}) AS apart,
    (SELECT count(*) FROM independent_labels AS apart WHERE apart.job_id = annotation_jobs.id
      AND annotation IS NULL
      AND NOT EXISTS (SELECT 1 FROM images WHERE id = apart.image_id)) AS gone_apart,
    (SELECT count(*) ${ofIndependent} AND apart.annotation IS NOT NULL) AS labelled_apart
  FROM annotation_jobs LEFT JOIN annotation_job_images ON job_id = annotation_jobs.id`;

function readJob(row: Row): AnnotationJob {
  const isIndependent = row.boolean('independent');
  const [apart, labelledApart] = [row.integer('apart'), row.integer('labelled_apart')];
  const states = {
    unannotated: row.integer('unannotated') + apart - labelledApart,
    annotated: row.integer('annotated') + labelledApart,
    approved: row.integer('approved'),
    rejected: row.integer('rejected'),
  };
  const images = row.integer('images') + apart;
  return {
    id: row.text('id'),
    projectId: row.text('project_id'),
    name: row.text('name'),
    batchId: row.optionalText('batch_id'),
    labeler: row.optionalText('labeler'),
    reviewer: row.optionalText('reviewer'),
    createdBy: row.text('created_by'),
    instructions: row.optionalText('instructions'),
    created: row.integer('created'),
    status: statusOf(images, states, isIndependent),
    isIndependent,
    images,
    goneUndecided: row.integer('gone_undecided') + row.integer('gone_apart'),
    states,
  };
}

/** A job whose images were all deleted has nothing left to do; labels apart are not reviewed. */
function statusOf(
  images: number,
  { unannotated, annotated }: Readonly<Record<ImageState, number>>,
  isIndependent: boolean,
): AnnotationJobStatus {
  if (unannotated + (isIndependent ? 0 : annotated) === 0) return 'completed';
  if (unannotated === 0) return 'in_review';
  return unannotated === images ? 'assigned' : 'in_progress';
}
