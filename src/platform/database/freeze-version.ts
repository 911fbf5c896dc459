// Freezes the images of a project into a new version, in short transactions.

import type { Candidate, ImageFilter } from '../../dataset-versions/filter-and-remap.ts';
import { FoveaError } from '../../errors.ts';
import type { AsyncDatabase, AsyncReader, AsyncSnapshot } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { readInSlices, slicesOf } from '../../storage/time-sliced-query.ts';
import type { NewVersion, Version, VersionCandidate } from '../store/versions.ts';
import { readSplit, readTexts, splitCountsOf } from './column-readers.ts';

/**
 * Adds a version of the images as they are now, those that the filter keeps, and the work that
 * makes it. Undefined where none is left. What others write meanwhile is not in it. Nobody sees the
 * version before all of it is there; one that a crash left half-made is purged after `freezeMsMax`.
 * Throws `conflict` where this took so long, as on a machine that slept meanwhile.
 */
export function addVersion(
  database: AsyncDatabase,
  queue: TaskQueue,
  version: NewVersion,
  filter: ImageFilter | undefined,
): Promise<Version | undefined> {
  const add = () => freeze(database, queue, version, filter);
  // One at a time of a project: each has a database connection of its own for its snapshot.
  const before = freezes.get(version.projectId);
  const added = before ? before.then(add, add) : add();
  freezes.set(version.projectId, added);
  const forget = () => {
    if (freezes.get(version.projectId) === added) freezes.delete(version.projectId);
  };
  added.then(forget, forget);
  return added;
}

const freezes = new Map<string, Promise<unknown>>();

async function freeze(
  database: AsyncDatabase,
  queue: TaskQueue,
  version: NewVersion,
  filter: ImageFilter | undefined,
): Promise<Version | undefined> {
  // Before the snapshot: from here on no file of an image is swept.
  const outline = await database.transaction(() => addOutline(database, version));
  try {
    const sources = await freezeImages(database, version, filter);
    if (sources === 0) return undefined;
    await database.transaction(() => publish(database, queue, version, sources));
    return {
      ...outline,
      state: 'generating',
      waitsFor: undefined,
      progress: 0,
      error: undefined,
      images: 0,
      classes: [],
      splits: splitCountsOf({}),
    };
  } finally {
    await removeEmptyOutline(database, version);
  }
}

/** As `candidates` of the store. */
export async function* listCandidates(
  database: Pick<AsyncReader, 'each'>,
  projectId: string,
  filter: ImageFilter | undefined,
): AsyncGenerator<readonly VersionCandidate[]> {
  await lookFirst(database, projectId, filter);
  for await (const images of allCandidates(database, projectId)) {
    yield filter === undefined ? images : images.filter(filter.keeps);
  }
}

async function lookFirst(
  database: Pick<AsyncReader, 'each'>,
  projectId: string,
  filter: ImageFilter | undefined,
): Promise<void> {
  if (filter?.look === undefined) return;
  for await (const images of allCandidates(database, projectId)) images.forEach(filter.look);
}

/** What a filter looks at beside the id and the hash of an image. */
const lookedAt = `objects,
  (SELECT json_group_array(tag) FROM image_tags WHERE image_id = images.id) AS tags`;

function allCandidates(
  database: Pick<AsyncReader, 'each'>,
  projectId: string,
): AsyncIterable<readonly VersionCandidate[]> {
  return slicesOf<VersionCandidate>(database, {
    sql: `SELECT id, created, hash, split, ${lookedAt}
          FROM images WHERE project_id = ? AND (created, id) > (?, ?) ORDER BY created, id`,
    after: (last) => [projectId, last?.created ?? -1, last?.id ?? ''],
    read: (row) => ({
      ...readCandidate(row),
      created: row.integer('created'),
      split: readSplit(row),
    }),
  });
}

function readCandidate(row: Row): Candidate {
  return {
    id: row.text('id'),
    hash: row.text('hash'),
    tags: readTexts(row, 'tags'),
    annotation: annotationState(row.optionalInteger('objects')),
  };
}

function annotationState(objects: number | undefined): Candidate['annotation'] {
  if (objects === undefined) return 'none';
  return objects === 0 ? 'empty' : 'labelled';
}

/** The row of the version. Others take it for one that is being purged: `deleted_at` is 0. */
async function addOutline(database: AsyncDatabase, version: NewVersion) {
  const { id, projectId, settings, taskId, created } = version;
  const number =
    (await database.get(
      'SELECT coalesce(max(number), 0) + 1 AS number FROM versions WHERE project_id = ?',
      [projectId],
      (row) => row.integer('number'),
    )) ?? 1;
  const name = version.name ?? `Version ${number}`;
  await database.run(
    `INSERT INTO versions (id, project_id, number, name, settings, task_id, ready, images, splits,
       classes, created, deleted_at) VALUES (?, ?, ?, ?, ?, ?, 0, 0, '{}', '[]', ?, 0)`,
    [id, projectId, number, name, JSON.stringify(settings), taskId, created],
  );
  return { id, projectId, number, name, created, settings, taskId };
}

export async function isFreezing(database: AsyncDatabase, since: number): Promise<boolean> {
  const sql = 'SELECT 1 AS found FROM versions WHERE deleted_at = 0 AND created > ? LIMIT 1';
  return (await database.get(sql, [since], (row) => row.integer('found'))) !== undefined;
}

/** So that its number is free again. */
async function removeEmptyOutline(database: AsyncDatabase, { id }: NewVersion): Promise<void> {
  await database.run(
    `DELETE FROM versions WHERE id = ? AND deleted_at = 0
       AND NOT EXISTS (SELECT 1 FROM version_sources WHERE version_id = versions.id)`,
    [id],
  );
}

/** Copies the rows of the images that the filter keeps, and gives their number. */
async function freezeImages(
  database: AsyncDatabase,
  version: NewVersion,
  filter: ImageFilter | undefined,
): Promise<number> {
  const snapshot = await database.snapshot();
  try {
    await lookFirst(snapshot, version.projectId, filter);
    return await copyImages(database, snapshot, version, filter);
  } finally {
    await snapshot.close();
  }
}

async function copyImages(
  database: AsyncDatabase,
  snapshot: AsyncSnapshot,
  { id, projectId }: NewVersion,
  filter: ImageFilter | undefined,
): Promise<number> {
  let ordinal = 0;
  const images = {
    sql: `SELECT id, created, name, hash, format, split, width, height, annotation
            ${filter ? `, ${lookedAt}` : ''} FROM images
          WHERE project_id = ? AND (created, id) > (?, ?) ORDER BY created, id`,
    after: (last: ImageRow | undefined) => [projectId, last?.created ?? -1, last?.id ?? ''],
    read: (row: Row) => readImage(row, filter),
  };
  await readInSlices(snapshot, images, (rows) =>
    database.transaction(async () => {
      await requireOutline(database, id);
      for (const row of rows) {
        if (!row.isKept) continue;
        ordinal += 1;
        addSource(database, id, ordinal, row);
      }
    }),
  );
  return ordinal;
}

async function requireOutline(database: AsyncDatabase, id: string): Promise<void> {
  const sql = 'SELECT 1 AS found FROM versions WHERE id = ?';
  if ((await database.get(sql, [id], (row) => row.integer('found'))) === undefined) throw removed();
}

function removed(): FoveaError {
  const message = 'The version was removed while it was made: nothing of it is left.';
  return new FoveaError('conflict', message, { retry: 'safe' });
}

/** A row of `images` as it is stored: the annotation is copied as text, not parsed. */
interface ImageRow {
  readonly id: string;
  readonly created: number;
  readonly isKept: boolean;
  readonly values: readonly (string | number | undefined)[];
}

function readImage(row: Row, filter: ImageFilter | undefined): ImageRow {
  const id = row.text('id');
  const texts = ['name', 'hash', 'format', 'split'].map((column) => row.text(column));
  const size = [row.integer('width'), row.integer('height')];
  const values = [id, ...texts, ...size, row.optionalText('annotation')];
  const isKept = filter?.keeps(readCandidate(row)) ?? true;
  return { id, created: row.integer('created'), isKept, values };
}

function addSource(
  database: AsyncDatabase,
  versionId: string,
  ordinal: number,
  image: ImageRow,
): void {
  database.send(
    `INSERT INTO version_sources (version_id, ordinal, image_id, name, hash, format, split, width,
       height, annotation, done) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    [versionId, ordinal, ...image.values],
  );
}

async function publish(
  database: AsyncDatabase,
  queue: TaskQueue,
  { id, projectId, taskId }: NewVersion,
  sources: number,
): Promise<void> {
  const published = await database.run(
    `UPDATE versions SET deleted_at = NULL WHERE id = ? AND deleted_at = 0
       AND (SELECT count(*) FROM version_sources WHERE version_id = versions.id) = ?`,
    [id, sources],
  );
  if (published === 0) throw removed();
  const workspaceId = await database.get(
    'SELECT workspace_id FROM projects WHERE id = ?',
    [projectId],
    (row) => row.text('workspace_id'),
  );
  await queue.add({ id: taskId, kind: 'version', payload: { versionId: id, workspaceId } });
}
