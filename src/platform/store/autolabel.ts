// Auto Label jobs: what a model labels, and how far it is.

import type { Annotation } from '../../annotations/annotation.ts';
import { writeAnnotation } from '../../annotations/serialized-annotation.ts';
import type { ErrorCode } from '../../errors.ts';
import type { Database, Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { addAnnotationJob, freeUnannotated, type NewAnnotationJob } from './annotation-jobs.ts';
import { annotateInIndex } from './images.ts';
import { addInferences, type NewInference } from './inferences.ts';
import type { FencedTransaction } from './store.ts';

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

export interface AutolabelSettings {
  /** As it was asked for. */
  readonly modelType: string;
  /** What the platform runs; undefined: nothing that it could. */
  readonly modelId: string | undefined;
  /** Class of the model to class of the project. */
  readonly ontology: Readonly<Record<string, string>>;
  readonly defaultConfidence: number;
  /** Class of the project to least confidence. */
  readonly confidenceThresholds: Readonly<Record<string, number>>;
  readonly runNms: boolean;
}

export interface AutolabelCounts {
  /** All that it is to look at. */
  readonly images: number;
  readonly labelled: number;
  /** In which the model saw nothing; they stay without annotation. */
  readonly empty: number;
  /** Which somebody annotated in the meantime, or removed; or which cannot be read. */
  readonly skipped: number;
  readonly boxes: number;
}

export interface AutolabelJob extends AutolabelCounts {
  readonly id: string;
  readonly projectId: string;
  readonly annotationJobId: string | undefined;
  readonly settings: AutolabelSettings;
  readonly created: number;
}

export interface NewAutolabelJob {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly settings: AutolabelSettings;
  readonly created: number;
}

/** What the model saw in one image. */
export interface LabelledImage {
  readonly imageId: string;
  /** Undefined: nothing, or it could not be looked at. */
  readonly annotation: Annotation | undefined;
  /** Undefined: the model had nothing to look at. With an error: the image cannot be read. */
  readonly inference: NewInference | undefined;
}

export interface AutolabelStore {
  /**
   * Adds a job, with an annotation job of at most `imagesMax` images and its task; undefined where
   * the batch has no image that waits for labels.
   */
  add(
    job: NewAutolabelJob,
    annotationJob: NewAnnotationJob,
    imagesMax: number,
  ): Promise<AutolabelJob | undefined>;
  /** Adds a job whose task has failed already. */
  addFailed(job: NewAutolabelJob, message: string, code: ErrorCode): Promise<AutolabelJob>;
  /** By id, in any project. */
  get(id: string): Promise<AutolabelJob | undefined>;
  /** Images that are still to be looked at, in their order. */
  open(id: string, countMax: number): Promise<readonly string[]>;
  /** Keeps what came of an image; nothing replaces what somebody annotated. */
  keep(
    id: string,
    image: LabelledImage,
    fenced: FencedTransaction,
    now: number,
  ): Promise<AutolabelCounts>;
  /**
   * Its run is over, well or not: images without an annotation are free again, be it that the model
   * saw nothing in them or did not get to them. Where none is left, its annotation job goes.
   */
  end(id: string, fenced: FencedTransaction): Promise<void>;
}

export function autolabelStore(database: Database, queue: TaskQueue): AutolabelStore {
  return {
    add: async (job, annotationJob, imagesMax) =>
      database.transaction(() => {
        const taken = addAnnotationJob(database, annotationJob, imagesMax);
        if (taken === undefined) return undefined;
        addJob(database, queue, job, annotationJob.id, taken.images);
        return getJob(database, job.id);
      }),
    addFailed: async (job, message, code) =>
      database.transaction(() => {
        addJob(database, queue, job, undefined, 0);
        queue.failUnclaimed(job.id, message, code);
        const { id, projectId, settings, created } = job;
        const counts = { images: 0, labelled: 0, empty: 0, skipped: 0, boxes: 0 };
        return { id, projectId, settings, created, annotationJobId: undefined, ...counts };
      }),
    get: async (id) => getJob(database, id),
    open: async (id, countMax) =>
      database.all(
        `SELECT image_id FROM annotation_job_images
         JOIN autolabel_jobs ON annotation_job_id = job_id
         WHERE autolabel_jobs.id = ? AND image_id > done_to ORDER BY image_id LIMIT ?`,
        [id, countMax],
        (row) => row.text('image_id'),
      ),
    keep: async (id, image, fenced, now) => fenced(() => keepImage(database, id, image, now)),
    end: async (id, fenced) =>
      fenced(() => {
        const job = getJob(database, id);
        if (job?.annotationJobId !== undefined) freeUnannotated(database, job.annotationJobId);
      }),
  };
}

function addJob(
  database: Database,
  queue: TaskQueue,
  { id, workspaceId, projectId, settings, created }: NewAutolabelJob,
  annotationJobId: string | undefined,
  images: number,
): void {
  queue.add({ id, kind: 'autolabel', payload: { workspaceId, projectId, autolabelId: id } });
  database.run(
    `INSERT INTO autolabel_jobs (id, project_id, annotation_job_id, settings, images, labelled,
       empty, skipped, boxes, done_to, created) VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, '', ?)`,
    [id, projectId, annotationJobId, JSON.stringify(settings), images, created],
  );
}

function keepImage(
  database: Database,
  id: string,
  { imageId, annotation, inference }: LabelledImage,
  now: number,
): AutolabelCounts {
  if (inference) addInferences(database, [inference]);
  const options = { overwrite: false, isPredicted: true };
  const written = inference && annotation && writeAnnotation(annotation);
  const outcome = written && annotateInIndex(database, imageId, written, options, now);
  const hasRun = inference !== undefined && inference.error === undefined;
  const isEmpty = hasRun && annotation === undefined;
  const isLabelled = outcome === 'annotated';
  const boxes = isLabelled && annotation?.kind === 'detection' ? annotation.boxes.length : 0;
  database.run(
    `UPDATE autolabel_jobs SET labelled = labelled + ?, empty = empty + ?, skipped = skipped + ?,
       boxes = boxes + ?, done_to = ? WHERE id = ?`,
    [isLabelled, isEmpty, !isLabelled && !isEmpty, boxes, imageId, id],
  );
  const job = getJob(database, id);
  if (job === undefined) throw new Error(`the Auto Label job ${id} is gone`);
  return job;
}

function getJob(database: Database, id: string): AutolabelJob | undefined {
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
