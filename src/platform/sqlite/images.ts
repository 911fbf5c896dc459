// Images, their annotations, tags and batches in SQLite.

import type { WrittenAnnotation } from '../../annotations/serialized-annotation.ts';
import { invalidInput, type Problem } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Database, Row } from '../../storage/database.ts';
import type {
  AddedImage,
  AnnotateOptions,
  Deletion,
  Image,
  ImageChange,
  ImageStore,
  NewImage,
  TagChange,
} from '../store/images.ts';
import { countForJob, markAnnotated } from './annotation-jobs.ts';
import { ensureBatch } from './batches.ts';
import {
  readAnnotation,
  readFormat,
  readMetadata,
  readSplit,
  readTexts,
} from './column-readers.ts';
import { readProject } from './projects.ts';
import { changingImages } from './search-index/update-index.ts';
import { keepInTrash } from './trashed-images.ts';

export function imageStore(database: Database): ImageStore {
  return {
    add: async (image) =>
      changingImages(database, [image.id], () => addImage(database, image), image.descriptor),
    findByHash: async (projectId, hash) => findByHash(database, projectId, hash),
    find: async (projectId, imageId) =>
      database.get(
        `SELECT *, (SELECT json_group_array(tag) FROM image_tags WHERE image_id = images.id) AS tags
         FROM images WHERE project_id = ? AND id = ?`,
        [projectId, imageId],
        readImage,
      ),
    projectOf: async (workspaceId, imageId) =>
      database.get(
        `SELECT projects.* FROM images JOIN projects ON projects.id = images.project_id
         WHERE images.id = ? AND projects.workspace_id = ? AND projects.deleted_at IS NULL`,
        [imageId, workspaceId],
        readProject,
      ),
    annotate: async (imageId, annotation, options, now) =>
      annotateInIndex(database, imageId, annotation, options, now),
    changeTags: async (imageId, change) =>
      changingImages(database, [imageId], () => changeTags(database, imageId, change)),
    change: async (imageId, change) =>
      changingImages(database, [imageId], () => changeImage(database, imageId, change)),
    remove: async (projectId, imageIds, deletion) =>
      changingImages(database, imageIds, () =>
        removeImages(database, projectId, imageIds, deletion),
      ),
    batches: async (projectId) =>
      database.all(
        `SELECT id, name, created, (SELECT count(*) FROM images WHERE batch_id = batches.id) AS n,
           (SELECT count(*) FROM annotation_jobs WHERE batch_id = batches.id) AS jobs
         FROM batches WHERE project_id = ? ORDER BY created, id`,
        [projectId],
        (row) => ({
          id: row.text('id'),
          name: row.text('name'),
          created: row.integer('created'),
          images: row.integer('n'),
          jobs: row.integer('jobs'),
        }),
      ),
  };
}

function addImage(database: Database, image: NewImage) {
  const known = findByHash(database, image.projectId, image.hash);
  if (known !== undefined) return known;
  const { id, projectId, name, hash, bytes, format, width, height, split, created } = image;
  const batchId = ensureBatch(database, projectId, image.batchName, created);
  const { sequenceNumber, sequenceSize, inferenceId } = image;
  database.run(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, sequence_number, sequence_size, inference_id, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      projectId,
      batchId,
      name,
      hash,
      bytes,
      format,
      width,
      height,
      split,
      JSON.stringify(image.metadata),
      sequenceNumber,
      sequenceSize,
      inferenceId,
      created,
    ],
  );
  addTags(database, id, image.tags);
  touchProject(database, projectId, created);
  return { id, name, duplicate: false, split };
}

function findByHash(database: Database, projectId: string, hash: string): AddedImage | undefined {
  return database.get(
    'SELECT id, name, split FROM images WHERE project_id = ? AND hash = ?',
    [projectId, hash],
    (row) => ({
      id: row.text('id'),
      name: row.text('name'),
      duplicate: true,
      split: readSplit(row),
    }),
  );
}

/** Annotates an image, in the transaction of the caller where there is one. */
export function annotateInIndex(
  database: Database,
  imageId: string,
  annotation: WrittenAnnotation,
  options: AnnotateOptions,
  now: number,
): Annotated {
  return changingImages(database, [imageId], () =>
    annotateImage(database, imageId, annotation, options, now),
  );
}

type Annotated = 'annotated' | 'was_annotated' | 'missing';

function annotateImage(
  database: Database,
  imageId: string,
  annotation: WrittenAnnotation,
  { overwrite, isPredicted, job }: AnnotateOptions,
  now: number,
): Annotated {
  const known = database.get(
    'SELECT project_id, batch_id, objects IS NOT NULL AS annotated FROM images WHERE id = ?',
    [imageId],
    (row) => ({
      projectId: row.text('project_id'),
      batchId: row.text('batch_id'),
      annotated: row.boolean('annotated'),
    }),
  );
  if (known === undefined) return 'missing';
  if (known.annotated && !overwrite) return 'was_annotated';
  const { json, labels, objects } = annotation;
  database.run(
    'UPDATE images SET annotation = ?, objects = ?, annotated_at = ?, predicted = ? WHERE id = ?',
    [json, objects, now, isPredicted, imageId],
  );
  database.run('DELETE FROM image_labels WHERE image_id = ?', [imageId]);
  for (const [label, n] of labels) {
    database.run('INSERT INTO image_labels (image_id, project_id, label, n) VALUES (?, ?, ?, ?)', [
      imageId,
      known.projectId,
      label,
      n,
    ]);
  }
  markAnnotated(database, imageId);
  if (job !== undefined) countForJob(database, { ...known, id: imageId }, job, now);
  touchProject(database, known.projectId, now);
  return 'annotated';
}

function changeTags(database: Database, imageId: string, { operation, tags }: TagChange) {
  if (!isThere(database, imageId)) return undefined;
  const added = operation === 'add' ? tags : [];
  const problem = tagProblem(listTags(database, imageId), added, [], 'tags');
  if (problem !== undefined) throw invalidInput([problem]);
  if (operation === 'set') database.run('DELETE FROM image_tags WHERE image_id = ?', [imageId]);
  if (operation === 'remove') removeTags(database, imageId, tags);
  else addTags(database, imageId, tags);
  return listTags(database, imageId);
}

/** What keeps an image from being changed so: it would have too much. */
export function changeProblems(
  database: Database,
  imageId: string,
  change: ImageChange,
): readonly Problem[] {
  const metadata = metadataOf(database, imageId);
  if (metadata === undefined) return [];
  const tags = listTags(database, imageId);
  return [
    keyProblem(Object.keys(metadata), change),
    tagProblem(tags, change.addTags, change.removeTags, 'addTags'),
  ].filter((problem) => problem !== undefined);
}

/** False when there is no such image. Throws `invalid_input` where it would have too much. */
export function changeImage(database: Database, imageId: string, change: ImageChange): boolean {
  const metadata = metadataOf(database, imageId);
  if (metadata === undefined) return false;
  const problems = changeProblems(database, imageId, change);
  if (problems.length > 0) throw invalidInput(problems);
  const removed = new Set(change.removeMetadata);
  const kept = Object.entries(metadata).filter(([key]) => !removed.has(key));
  const next = { ...Object.fromEntries(kept), ...change.metadata };
  database.run('UPDATE images SET metadata = ? WHERE id = ?', [JSON.stringify(next), imageId]);
  addTags(database, imageId, change.addTags);
  removeTags(database, imageId, change.removeTags);
  return true;
}

function metadataOf(database: Database, imageId: string) {
  return database.get('SELECT metadata FROM images WHERE id = ?', [imageId], readMetadata);
}

function keyProblem(
  keys: readonly string[],
  { metadata, removeMetadata }: ImageChange,
): Problem | undefined {
  const next = new Set(keys);
  for (const key of removeMetadata) next.delete(key);
  for (const key of Object.keys(metadata)) next.add(key);
  return tooMany(keys.length, next.size, limits.metadataKeysMax, 'metadata', 'keys');
}

function tagProblem(
  tags: readonly string[],
  added: readonly string[],
  removed: readonly string[],
  path: string,
): Problem | undefined {
  const next = new Set([...tags, ...added]);
  for (const tag of removed) next.delete(tag);
  return tooMany(tags.length, next.size, limits.imageTagsMax, path, 'tags');
}

/** An image from before there were bounds may have more, and get fewer. */
function tooMany(
  before: number,
  after: number,
  most: number,
  path: string,
  things: string,
): Problem | undefined {
  if (after <= most || after <= before) return undefined;
  return { path, message: `the image would have ${after} ${things}; at most ${most} are taken` };
}

function isThere(database: Database, imageId: string): boolean {
  const sql = 'SELECT 1 AS n FROM images WHERE id = ?';
  return database.get(sql, [imageId], (row) => row.integer('n')) !== undefined;
}

function touchProject(database: Database, projectId: string, now: number): void {
  database.run('UPDATE projects SET updated = ? WHERE id = ?', [now, projectId]);
}

function removeImages(
  database: Database,
  projectId: string,
  imageIds: readonly string[],
  deletion: Deletion,
): readonly string[] {
  const missing = imageIds.filter(
    (id) =>
      database.get(
        'SELECT 1 AS n FROM images WHERE project_id = ? AND id = ?',
        [projectId, id],
        (row) => row.integer('n'),
      ) === undefined,
  );
  if (missing.length > 0) return missing;
  keepInTrash(database, imageIds, deletion);
  for (const id of imageIds) database.run('DELETE FROM images WHERE id = ?', [id]);
  touchProject(database, projectId, deletion.now);
  return [];
}

function addTags(database: Database, imageId: string, tags: readonly string[]): void {
  for (const tag of tags) {
    database.run('INSERT INTO image_tags (image_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING', [
      imageId,
      tag,
    ]);
  }
}

function removeTags(database: Database, imageId: string, tags: readonly string[]): void {
  for (const tag of tags) {
    database.run('DELETE FROM image_tags WHERE image_id = ? AND tag = ?', [imageId, tag]);
  }
}

function listTags(database: Database, imageId: string): readonly string[] {
  return database.all(
    'SELECT tag FROM image_tags WHERE image_id = ? ORDER BY tag',
    [imageId],
    (row) => row.text('tag'),
  );
}

function readImage(row: Row): Image {
  return {
    id: row.text('id'),
    projectId: row.text('project_id'),
    batchId: row.text('batch_id'),
    name: row.text('name'),
    hash: row.text('hash'),
    bytes: row.integer('bytes'),
    format: readFormat(row),
    width: row.integer('width'),
    height: row.integer('height'),
    split: readSplit(row),
    tags: readTexts(row, 'tags'),
    metadata: readMetadata(row),
    sequenceNumber: row.optionalInteger('sequence_number'),
    sequenceSize: row.optionalInteger('sequence_size'),
    inferenceId: row.optionalText('inference_id'),
    annotation: readAnnotation(row),
    isPredicted: row.boolean('predicted'),
    created: row.integer('created'),
  };
}
