// Auto Label jobs and their progress.

import { writeAnnotation } from '../../annotations/serialized-annotation.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type {
  AutolabelCounts,
  AutolabelJob,
  AutolabelSettings,
  AutolabelStore,
  LabelledImage,
  NewAutolabelJob,
} from '../store/autolabel.ts';
import type { ImageIndex } from '../store/image-index.ts';
import { addAnnotationJob, freeUnannotated } from './annotation-jobs.ts';
import { annotateInIndex } from './images.ts';
import { addInferences } from './inferences.ts';

export const autolabelTables: Migration = {
  name: 'autolabel',
  sql: `
CREATE TABLE autolabel_jobs (
  -- Also the id of its task.
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- NULL: it failed at once, and took no images.
  annotation_job_id TEXT, settings TEXT NOT NULL, images INTEGER NOT NULL,
  labelled INTEGER NOT NULL, empty INTEGER NOT NULL, skipped INTEGER NOT NULL,
  boxes INTEGER NOT NULL,
  -- Images are taken in the order of their ids: up to here all are done.
  done_to TEXT NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX autolabel_jobs_project ON autolabel_jobs (project_id, created);
`,
};

export function autolabelStore(
  database: AsyncDatabase,
  index: ImageIndex,
  queue: TaskQueue,
): AutolabelStore {
  return {
    add: (job, annotationJob, imagesMax) =>
      database.transaction(async () => {
        const taken = await addAnnotationJob(database, index, annotationJob, imagesMax);
        if (taken === undefined) return undefined;
        await addJob(database, queue, job, annotationJob.id, taken.images);
        return getJob(database, job.id);
      }),
    addFailed: (job, message, code) =>
      database.transaction(async () => {
        await addJob(database, queue, job, undefined, 0);
        await queue.failUnclaimed(job.id, message, code);
        const { id, projectId, settings, created } = job;
        const counts = { images: 0, labelled: 0, empty: 0, skipped: 0, boxes: 0 };
        return { id, projectId, settings, created, annotationJobId: undefined, ...counts };
      }),
    get: (id) => getJob(database, id),
    open: (id, countMax) =>
      database.all(
        `SELECT image_id FROM annotation_job_images
         JOIN autolabel_jobs ON annotation_job_id = job_id
         WHERE autolabel_jobs.id = ? AND image_id > done_to ORDER BY image_id LIMIT ?`,
        [id, countMax],
        (row) => row.text('image_id'),
      ),
    keep: async (id, image, fenced, now) =>
      fenced(() => keepImage(database, index, id, image, now)),
    end: async (id, fenced) =>
      fenced(async () => {
        const job = await getJob(database, id);
        if (job?.annotationJobId !== undefined)
          await freeUnannotated(database, index, job.annotationJobId);
      }),
  };
}

async function addJob(
  database: AsyncDatabase,
  queue: TaskQueue,
  { id, workspaceId, projectId, settings, created }: NewAutolabelJob,
  annotationJobId: string | undefined,
  images: number,
): Promise<void> {
  await queue.add({ id, kind: 'autolabel', payload: { workspaceId, projectId, autolabelId: id } });
  await database.run(
    `INSERT INTO autolabel_jobs (id, project_id, annotation_job_id, settings, images, labelled,
       empty, skipped, boxes, done_to, created) VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, '', ?)`,
    [id, projectId, annotationJobId, JSON.stringify(settings), images, created],
  );
}

async function keepImage(
  database: AsyncDatabase,
  index: ImageIndex,
  id: string,
  { imageId, annotation, inference }: LabelledImage,
  now: number,
): Promise<AutolabelCounts> {
  if (inference) await addInferences(database, [inference]);
  const options = { overwrite: false, isPredicted: true };
  const written = inference && annotation && writeAnnotation(annotation);
  const outcome =
    written && (await annotateInIndex(database, index, imageId, written, options, now));
  const hasRun = inference !== undefined && inference.error === undefined;
  const isEmpty = hasRun && annotation === undefined;
  const isLabelled = outcome === 'annotated';
  const boxes = isLabelled && annotation?.kind === 'detection' ? annotation.boxes.length : 0;
  await database.run(
    `UPDATE autolabel_jobs SET labelled = labelled + ?, empty = empty + ?, skipped = skipped + ?,
       boxes = boxes + ?, done_to = ? WHERE id = ?`,
    [isLabelled, isEmpty, !isLabelled && !isEmpty, boxes, imageId, id],
  );
  const job = await getJob(database, id);
  if (job === undefined) throw new Error(`the Auto Label job ${id} is gone`);
  return job;
}

function getJob(database: AsyncDatabase, id: string): Promise<AutolabelJob | undefined> {
  return database.get('SELECT * FROM autolabel_jobs WHERE id = ?', [id], readJob);
}

function readJob(row: Row): AutolabelJob {
  return {
    id: row.text('id'),
    projectId: row.text('project_id'),
    annotationJobId: row.optionalText('annotation_job_id'),
    settings: readSettings(row),
    images: row.integer('images'),
    labelled: row.integer('labelled'),
    empty: row.integer('empty'),
    skipped: row.integer('skipped'),
    boxes: row.integer('boxes'),
    created: row.integer('created'),
  };
}

/** Settings as we wrote them. */
function readSettings(row: Row): AutolabelSettings {
  const value = row.json('settings');
  if (isSettings(value)) return value;
  throw new Error('the settings of an Auto Label job are damaged');
}

function isSettings(value: unknown): value is AutolabelSettings {
  return typeof value === 'object' && value !== null && 'ontology' in value && 'runNms' in value;
}
