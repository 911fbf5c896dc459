// Images, their annotations, tags and batches, as rows.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import type { WrittenAnnotation } from '../../annotations/serialized-annotation.ts';
import { invalidInput, type Problem } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type {
  AddedImage,
  Annotated,
  AnnotatedNewImage,
  AnnotateOptions,
  Deletion,
  Image,
  ImageChange,
  ImageStore,
  NewImage,
  TagChange,
} from '../store/images.ts';
import { countForJob, findCountingJob, markAnnotated } from './annotation-jobs.ts';
import { addBatch, type NewBatch } from './batches.ts';
import { readClassesSince } from './class-change-reads.ts';
import {
  readAnnotation,
  readFormat,
  readMetadata,
  readSplit,
  readTexts,
} from './column-readers.ts';
import { readProject } from './projects.ts';
import { changeRefused, readRefused } from './refused-predictions.ts';
import { SharedChanges } from './search-index/shared-changes.ts';
import { changingImages } from './search-index/update-index.ts';
import { keepInTrash } from './trashed-images.ts';

export function imageStore(database: AsyncDatabase, index: ImageIndex): ImageStore {
  const shared = new SharedChanges(database, index);
  return {
    add: (image, annotation) => shared.add(image.id, () => addImage(database, image, annotation)),
    addAll: async (projectId, images) => {
      const ids = images.map(({ image }) => image.id);
      const writes = () => addImages(database, projectId, images);
      const added = new Set(ids);
      return changingImages(database, index, ids, writes, { added, areSentAtOnce: true });
    },
    findByHash: async (projectId, hash) => findByHash(database, projectId, hash),
    find: async (projectId, imageId) =>
      database.get(
        `${selectImages} WHERE project_id = ? AND id = ?`,
        [projectId, imageId],
        readImage,
      ),
    findAll: async (projectId, imageIds) => {
      const found = await database.all(
        `${selectImages} WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))`,
        [projectId, JSON.stringify(imageIds)],
        readImage,
      );
      return new Map(found.map((image) => [image.id, image]));
    },
    projectOf: async (workspaceId, imageId) =>
      database.get(
        `SELECT projects.* FROM images JOIN projects ON projects.id = images.project_id
         WHERE images.id = ? AND projects.workspace_id = ? AND projects.deleted_at IS NULL`,
        [imageId, workspaceId],
        readProject,
      ),
    annotate: (imageId, annotation, options, now) =>
      shared.change(
        imageId,
        () => annotateImage(database, imageId, annotation, options, now),
        // Two may make the same job.
        options.job !== undefined,
      ),
    removeAnnotation: (imageId, revision, now) => {
      const options = { overwrite: true, replaces: revision, isPredicted: false };
      return annotateInIndex(database, index, imageId, undefined, options, now);
    },
    refused: (imageId) => readRefused(database, imageId),
    changeRefused: (imageId, change) => changeRefused(database, imageId, change),
    changeTags: async (imageId, change) =>
      changingImages(database, index, [imageId], () => changeTags(database, imageId, change)),
    change: async (imageId, change) =>
      changingImages(database, index, [imageId], () => changeImage(database, imageId, change)),
    remove: async (projectId, imageIds, deletion) =>
      changingImages(database, index, imageIds, () =>
        removeImages(database, index, projectId, imageIds, deletion),
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

async function addImage(
  database: AsyncDatabase,
  image: NewImage,
  annotation: WrittenAnnotation | undefined,
): Promise<AddedImage> {
  addBatch(database, batchOf(image));
  insertImage(database, image, annotation);
  const stored = await findByHash(database, image.projectId, image.hash);
  return addedAs(image, stored);
}

/** With their tags. */
const selectImages = `SELECT *, (SELECT json_group_array(tag ORDER BY tag) FROM image_tags
  WHERE image_id = images.id) AS tags FROM images`;

/** The same bytes twice among them are one image: the first. */
async function addImages(
  database: AsyncDatabase,
  projectId: string,
  images: readonly AnnotatedNewImage[],
): Promise<readonly AddedImage[]> {
  const batches = new Map(images.map(({ image }) => [image.batchName, image]));
  for (const image of batches.values()) addBatch(database, batchOf(image));
  for (const { image, annotation } of images) insertImage(database, image, annotation);
  const stored = new Map(
    await database.all(
      `SELECT hash, id, name, split FROM images
       WHERE project_id = ? AND hash IN (SELECT value FROM json_each(?))`,
      [projectId, JSON.stringify(images.map(({ image }) => image.hash))],
      (row): [string, AddedImage] => [row.text('hash'), readDuplicate(row)],
    ),
  );
  return images.map(({ image }) => addedAs(image, stored.get(image.hash)));
}

/** `stored`: the image that is there with its bytes, which may have been there before. */
function addedAs(
  { id, name, split }: Pick<NewImage, 'id' | 'name' | 'split'>,
  stored: AddedImage | undefined,
): AddedImage {
  if (stored !== undefined && stored.id !== id) return stored;
  return { id, name, duplicate: false, split };
}

function batchOf({ projectId, batchName, created }: NewImage): NewBatch {
  return { projectId, name: batchName, created };
}

/** Into its batch, which is there. Leaves what there is with the same bytes as it is. */
function insertImage(
  database: AsyncDatabase,
  image: NewImage,
  annotation: WrittenAnnotation | undefined,
): void {
  const { id, projectId, name, hash, bytes, format, width, height, split, created } = image;
  const { sequenceNumber, sequenceSize, inferenceId, batchName } = image;
  database.send(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, sequence_number, sequence_size, inference_id, created, annotation, objects,
       annotated_at)
     VALUES (?, ?, (SELECT id FROM batches WHERE project_id = ? AND name = ?), ?, ?, ?, ?, ?, ?, ?,
       ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (project_id, hash) DO NOTHING`,
    [
      id,
      projectId,
      projectId,
      batchName,
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
      annotation?.json,
      annotation?.objects,
      annotation && created,
    ],
  );
  if (image.tags.length > 0) {
    database.send(
      `INSERT INTO image_tags (image_id, tag) SELECT images.id, value FROM images, json_each(?)
       WHERE images.id = ? ON CONFLICT DO NOTHING`,
      [JSON.stringify(image.tags), id],
    );
  }
  addLabels(database, labelRows(image, annotation));
}

async function findByHash(
  database: AsyncDatabase,
  projectId: string,
  hash: string,
): Promise<AddedImage | undefined> {
  return database.get(
    'SELECT id, name, split FROM images WHERE project_id = ? AND hash = ?',
    [projectId, hash],
    readDuplicate,
  );
}

function readDuplicate(row: Row): AddedImage {
  return { id: row.text('id'), name: row.text('name'), duplicate: true, split: readSplit(row) };
}

/** Annotates an image, or takes its annotation away, in the transaction of a caller who has one. */
export async function annotateInIndex(
  database: AsyncDatabase,
  index: ImageIndex,
  imageId: string,
  annotation: WrittenAnnotation | undefined,
  options: AnnotateOptions,
  now: number,
): Promise<Annotated> {
  return changingImages(database, index, [imageId], () =>
    annotateImage(database, imageId, annotation, options, now),
  );
}

async function annotateImage(
  database: AsyncDatabase,
  imageId: string,
  annotation: WrittenAnnotation | undefined,
  { overwrite, replaces, classState, isPredicted, annotatedAt, job }: AnnotateOptions,
  now: number,
): Promise<Annotated> {
  const known = await database.get(
    'SELECT project_id, batch_id, annotation FROM images WHERE id = ?',
    [imageId],
    (row) => ({
      projectId: row.text('project_id'),
      batchId: row.text('batch_id'),
      json: row.optionalText('annotation'),
    }),
  );
  if (known === undefined) return 'missing';
  if (replaces !== undefined && replaces !== revisionOf(known.json)) return 'was_changed';
  const { projectId } = known;
  if (classState !== undefined && annotation !== undefined) {
    const { targets } = await readClassesSince(database, projectId, classState);
    if (annotation.labels.some(([label]) => targets.has(label))) return 'classes_were_changed';
  }
  // Before what else is in the way: who gives leave to overwrite may lose labels for nothing.
  const jobId = job && (await findCountingJob(database, projectId, job.name));
  if (known.json !== undefined && !overwrite) return 'was_annotated';
  replaceLabels(database, { id: imageId, projectId }, annotation, {
    isPredicted,
    annotatedAt: annotatedAt ?? now,
  });
  const state = annotation === undefined ? 'unannotated' : 'annotated';
  markAnnotated(database, imageId, state, annotation?.json !== known.json);
  if (job !== undefined) await countForJob(database, { ...known, id: imageId }, jobId, job, now);
  touchProject(database, known.projectId, now);
  return 'annotated';
}

/**
 * Gives an image this annotation in place of its own, whatever it is; undefined: it has none then.
 * In the transaction of a caller who brings the index along.
 */
export function replaceLabels(
  database: AsyncDatabase,
  image: Pick<NewImage, 'id' | 'projectId'>,
  annotation: WrittenAnnotation | undefined,
  how: { readonly isPredicted: boolean; readonly annotatedAt: number },
): void {
  database.send(
    'UPDATE images SET annotation = ?, objects = ?, annotated_at = ?, predicted = ? WHERE id = ?',
    [
      annotation?.json,
      annotation?.objects,
      annotation && how.annotatedAt,
      annotation !== undefined && how.isPredicted,
      image.id,
    ],
  );
  database.send('DELETE FROM image_labels WHERE image_id = ?', [image.id]);
  addLabels(database, labelRows(image, annotation));
}

type LabelRow = readonly [imageId: string, projectId: string, label: string, count: number];

function labelRows(
  { id, projectId }: Pick<NewImage, 'id' | 'projectId'>,
  annotation: WrittenAnnotation | undefined,
): readonly LabelRow[] {
  return annotation?.labels.map(([label, n]): LabelRow => [id, projectId, label, n]) ?? [];
}

/** Of images that are there. */
function addLabels(database: AsyncDatabase, rows: readonly LabelRow[]): void {
  if (rows.length === 0) return;
  database.send(
    `INSERT INTO image_labels (image_id, project_id, label, n)
     SELECT images.id, value ->> 1, value ->> 2, CAST(value ->> 3 AS BIGINT)
     FROM json_each(?) JOIN images ON images.id = value ->> 0`,
    [JSON.stringify(rows)],
  );
}

async function changeTags(
  database: AsyncDatabase,
  imageId: string,
  { operation, tags }: TagChange,
) {
  if (!(await isThere(database, imageId))) return undefined;
  const added = operation === 'add' ? tags : [];
  const problem = tagProblem(await listTags(database, imageId), added, [], 'tags');
  if (problem !== undefined) throw invalidInput([problem]);
  if (operation === 'set')
    await database.run('DELETE FROM image_tags WHERE image_id = ?', [imageId]);
  if (operation === 'remove') await removeTags(database, imageId, tags);
  else await addTags(database, imageId, tags);
  return listTags(database, imageId);
}

/** What keeps an image from being changed so: it would have too much. */
export async function changeProblems(
  database: AsyncDatabase,
  imageId: string,
  change: ImageChange,
): Promise<readonly Problem[]> {
  const metadata = await metadataOf(database, imageId);
  if (metadata === undefined) return [];
  const tags = await listTags(database, imageId);
  return [
    keyProblem(Object.keys(metadata), change),
    tagProblem(tags, change.addTags, change.removeTags, 'addTags'),
  ].filter((problem) => problem !== undefined);
}

/** False when there is no such image. Throws `invalid_input` where it would have too much. */
export async function changeImage(
  database: AsyncDatabase,
  imageId: string,
  change: ImageChange,
): Promise<boolean> {
  const metadata = await metadataOf(database, imageId);
  if (metadata === undefined) return false;
  const problems = await changeProblems(database, imageId, change);
  if (problems.length > 0) throw invalidInput(problems);
  const removed = new Set(change.removeMetadata);
  const kept = Object.entries(metadata).filter(([key]) => !removed.has(key));
  const next = { ...Object.fromEntries(kept), ...change.metadata };
  await database.run('UPDATE images SET metadata = ? WHERE id = ?', [
    JSON.stringify(next),
    imageId,
  ]);
  await addTags(database, imageId, change.addTags);
  await removeTags(database, imageId, change.removeTags);
  return true;
}

function metadataOf(database: AsyncDatabase, imageId: string) {
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

async function isThere(database: AsyncDatabase, imageId: string): Promise<boolean> {
  const sql = 'SELECT 1 AS n FROM images WHERE id = ?';
  return (await database.get(sql, [imageId], (row) => row.integer('n'))) !== undefined;
}

function touchProject(database: AsyncDatabase, projectId: string, now: number): void {
  database.send('UPDATE projects SET updated = ? WHERE id = ?', [now, projectId]);
}

async function removeImages(
  database: AsyncDatabase,
  index: ImageIndex,
  projectId: string,
  imageIds: readonly string[],
  deletion: Deletion,
): Promise<readonly string[]> {
  const missing = await database.all(
    `SELECT value AS id FROM json_each(:ids) AS wanted WHERE NOT EXISTS (SELECT 1 FROM images
       WHERE project_id = :projectId AND id = wanted.value) ORDER BY wanted.key`,
    { ids: JSON.stringify(imageIds), projectId },
    (row) => row.text('id'),
  );
  if (missing.length > 0) return missing;
  await keepInTrash(database, index, imageIds, deletion);
  // In this order, which is that of the names in the log of changes.
  for (const id of imageIds) database.send('DELETE FROM images WHERE id = ?', [id]);
  touchProject(database, projectId, deletion.now);
  return [];
}

async function addTags(
  database: AsyncDatabase,
  imageId: string,
  tags: readonly string[],
): Promise<void> {
  const sql = 'INSERT INTO image_tags (image_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING';
  await Promise.all(tags.map((tag) => database.run(sql, [imageId, tag])));
}

async function removeTags(
  database: AsyncDatabase,
  imageId: string,
  tags: readonly string[],
): Promise<void> {
  const sql = 'DELETE FROM image_tags WHERE image_id = ? AND tag = ?';
  await Promise.all(tags.map((tag) => database.run(sql, [imageId, tag])));
}

async function listTags(database: AsyncDatabase, imageId: string): Promise<readonly string[]> {
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
    annotatedAt: row.optionalInteger('annotated_at'),
    created: row.integer('created'),
  };
}
