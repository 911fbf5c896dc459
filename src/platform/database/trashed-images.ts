// Deleted images: kept apart from all others, so that no search, count or export can see them.

import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import { newId } from '../ids-and-slugs.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { Deletion } from '../store/images.ts';
import type { ReplacedImages, TrashItem } from '../store/trash.ts';
import { addBatch } from './batches.ts';
import { countGoneImages, countRestoredImages } from './gone-job-images.ts';
import { changingImages } from './search-index/update-index.ts';

export const trashedImageTables: Migration = {
  name: 'trashed_images',
  sql: `
-- One deletion is one item of the trash.
CREATE TABLE trashed_images (
  image_id TEXT PRIMARY KEY, deletion_id TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects, name TEXT NOT NULL, hash TEXT NOT NULL,
  deleted_at INTEGER NOT NULL, deleted_by TEXT NOT NULL,
  -- The rows of the image as JSON, and how it looks.
  content TEXT NOT NULL, vector BLOB, likeness_hash BLOB
) STRICT;
CREATE INDEX trashed_images_deletion ON trashed_images (deletion_id);
CREATE INDEX trashed_images_project ON trashed_images (project_id, deleted_at);
CREATE INDEX trashed_images_time ON trashed_images (deleted_at);
CREATE INDEX trashed_images_hash ON trashed_images (hash);
CREATE INDEX version_sources_image ON version_sources (image_id);
`,
};

/** Which of these rows point at a blob. */
export const trashedBlobs: readonly string[] = ['SELECT 1 FROM trashed_images WHERE hash = ?'];

const texts = [
  ...['id', 'project_id', 'name', 'hash', 'format', 'split', 'metadata'],
  ...['inference_id', 'annotation', 'refused_predictions'],
] as const;
const numbers = [
  ...['bytes', 'width', 'height', 'sequence_number', 'sequence_size', 'objects'],
  ...['annotated_at', 'created', 'predicted'],
] as const;
const columns = [...texts, ...numbers];

const content = `json_object(${columns.map((name) => `'${name}', ${name}`).join(', ')},
  'ordinal', (SELECT ordinal FROM image_ordinals WHERE image_id = images.id),
  'batch', (SELECT name FROM batches WHERE id = images.batch_id),
  'tags', json((SELECT json_group_array(tag) FROM image_tags WHERE image_id = images.id)),
  'labels', json((SELECT json_group_array(json_array(label, n)) FROM image_labels
                  WHERE image_id = images.id)),
  'jobs', json((SELECT json_group_array(json_array(
                  job_id, state, decided_by, decided_at, comment, decisions, changed, position,
                  labels_changed))
                FROM annotation_job_images WHERE image_id = images.id)),
  'reviews', json((SELECT json_group_array(json_array(job_id, annotation, decided))
                   FROM annotation_job_labels AS kept WHERE kept.image_id = images.id)),
  'changers', json((SELECT json_group_array(json_array(job_id, who, counted))
                    FROM annotation_job_changers WHERE image_id = images.id)))`;

/** Within the transaction that deletes these images, before it does. */
export async function keepInTrash(
  database: AsyncDatabase,
  index: ImageIndex,
  imageIds: readonly string[],
  { now, deletedBy }: Deletion,
): Promise<void> {
  await countGoneImages(database, imageIds);
  const deletionId = newId();
  const looks = await Promise.all(imageIds.map((id) => index.descriptorOf(database, id)));
  for (const [place, id] of imageIds.entries()) {
    const { vector, hash } = looks[place] ?? {};
    database.send(
      `INSERT INTO trashed_images SELECT id, ?, project_id, name, hash, ?, ?, ${content}, ?, ?
       FROM images WHERE id = ?`,
      [
        deletionId,
        now,
        deletedBy,
        vector && new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
        hash,
        id,
      ],
    );
  }
}

/** One item for each deletion; `versions`: the frozen ones that still hold some of its images. */
export function listTrashedImages(
  database: AsyncDatabase,
  workspaceId: string,
  before: number,
): Promise<readonly TrashItem[]> {
  return database.all(
    `SELECT deletion_id, project_id, slug, projects.name AS project_name, count(*) AS n,
       max(trashed_images.deleted_at) AS deleted_at, max(trashed_images.deleted_by) AS deleted_by,
       (SELECT string_agg(name, ', ') FROM (SELECT name FROM trashed_images AS same
          WHERE same.deletion_id = trashed_images.deletion_id LIMIT 3) AS first) AS names,
       (SELECT json_group_array(number) FROM (SELECT DISTINCT number
          FROM trashed_images AS held
          JOIN version_sources ON version_sources.image_id = held.image_id
          JOIN versions ON versions.id = version_sources.version_id
          WHERE held.deletion_id = trashed_images.deletion_id AND versions.deleted_at IS NULL
          ORDER BY number) AS holding) AS versions
     FROM trashed_images JOIN projects ON projects.id = project_id
     WHERE workspace_id = ? AND trashed_images.deleted_at > ?
       AND (projects.deleted_at IS NULL OR projects.deleted_at > ?)
     GROUP BY deletion_id, project_id, slug, projects.name`,
    [workspaceId, before, before],
    readItem,
  );
}

function readItem(row: Row): TrashItem {
  const n = row.integer('n');
  const path = [row.text('slug')];
  const projectId = row.text('project_id');
  const versions = row.json('versions');
  return {
    type: 'image',
    id: row.text('deletion_id'),
    name: `${n} ${n === 1 ? 'image' : 'images'}: ${row.text('names')}${n > 3 ? ', …' : ''}`,
    path,
    deletedAt: row.integer('deleted_at'),
    deletedBy: row.text('deleted_by'),
    projectId,
    parent: { id: projectId, name: row.text('project_name'), path },
    images: n,
    versions: Array.isArray(versions) ? versions.map(Number) : [],
  };
}

export type ImagesOutcome =
  | 'restored'
  | 'missing'
  | ReplacedImages
  | { readonly type: 'project'; readonly projectId: string };

/**
 * Within a transaction: brings the images of a deletion back as they were. Where the same
 * bytes were uploaded again meanwhile, nothing changes.
 */
export async function restoreImages(
  database: AsyncDatabase,
  index: ImageIndex,
  workspaceId: string,
  deletionId: string,
  before: number,
): Promise<ImagesOutcome> {
  const found = await database.all(
    `SELECT image_id, trashed_images.project_id, vector, likeness_hash, vector IS NOT NULL AS is_described,
       projects.deleted_at IS NOT NULL AS gone,
       content ->> 'batch' AS batch, CAST(content ->> 'created' AS BIGINT) AS created,
       images.id AS new_id, images.name AS new_name
     FROM trashed_images JOIN projects ON projects.id = trashed_images.project_id
       LEFT JOIN images ON images.project_id = trashed_images.project_id
         AND images.hash = trashed_images.hash
     WHERE deletion_id = ? AND workspace_id = ? AND trashed_images.deleted_at > ?`,
    [deletionId, workspaceId, before],
    (row) => ({
      id: row.text('image_id'),
      projectId: row.text('project_id'),
      isProjectGone: row.boolean('gone'),
      newId: row.optionalText('new_id'),
      newName: row.optionalText('new_name') ?? '',
      batch: row.text('batch'),
      created: row.integer('created'),
      descriptor: readKept(row),
    }),
  );
  const [first] = found;
  if (first === undefined) return 'missing';
  if (first.isProjectGone) return { type: 'project', projectId: first.projectId };
  const by = found.flatMap(({ newId, newName }) =>
    newId === undefined ? [] : [{ id: newId, name: newName }],
  );
  if (by.length > 0) return { type: 'replaced', count: by.length, by: by.slice(0, newImagesNamed) };
  const descriptors = new Map<string, Descriptor>();
  for (const { id, descriptor } of found) if (descriptor) descriptors.set(id, descriptor);
  const ids = found.map(({ id }) => id);
  for (const [batch, [one]] of Map.groupBy(found, (image) => image.batch)) {
    if (one) addBatch(database, { projectId: one.projectId, name: batch, created: one.created });
  }
  await changingImages(database, index, ids, () => insertBack(database, deletionId), {
    descriptors,
  });
  await countRestoredImages(database, deletionId);
  await database.run('DELETE FROM trashed_images WHERE deletion_id = ?', [deletionId]);
  return 'restored';
}

/** Enough names to see which images are meant. */
const newImagesNamed = 3;

function readKept(row: Row): Descriptor | undefined {
  if (!row.boolean('is_described')) return undefined;
  const vector = row.bytes('vector');
  return {
    vector: new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength),
    hash: row.bytes('likeness_hash'),
  };
}

async function insertBack(database: AsyncDatabase, deletionId: string): Promise<void> {
  const values = [
    ...texts.map((name) => `content ->> '${name}'`),
    ...numbers.map((name) => `CAST(content ->> '${name}' AS BIGINT)`),
  ].join(', ');
  await database.run(
    `INSERT INTO images (${columns.join(', ')}, batch_id)
     SELECT ${values}, (SELECT id FROM batches
       WHERE project_id = trashed_images.project_id AND name = content ->> 'batch')
     FROM trashed_images WHERE deletion_id = ?`,
    [deletionId],
  );
  // Its place among all images: the order of searches. Ordinals are never given to others.
  await database.run(
    `INSERT INTO image_ordinals (ordinal, image_id, indexed)
     SELECT CAST(content ->> 'ordinal' AS BIGINT), image_id, 0 FROM trashed_images
     WHERE deletion_id = ? AND content ->> 'ordinal' IS NOT NULL`,
    [deletionId],
  );
  const from = (member: string) =>
    `FROM trashed_images, json_each(content, '$.${member}') AS each WHERE deletion_id = ?`;
  await database.run(
    `INSERT INTO image_tags (image_id, tag) SELECT image_id, each.value ${from('tags')}`,
    [deletionId],
  );
  await database.run(
    `INSERT INTO image_labels (image_id, project_id, label, n)
     SELECT image_id, project_id, each.value ->> 0, CAST(each.value ->> 1 AS BIGINT)
       ${from('labels')}`,
    [deletionId],
  );
  const jobIsThere = 'AND EXISTS (SELECT 1 FROM annotation_jobs WHERE id = each.value ->> 0)';
  await database.run(
    `INSERT INTO annotation_job_images
       (job_id, image_id, state, decided_by, decided_at, comment, decisions, changed, position,
        labels_changed)
     SELECT each.value ->> 0, image_id, each.value ->> 1, each.value ->> 2,
       CAST(each.value ->> 3 AS BIGINT), each.value ->> 4,
       coalesce(CAST(each.value ->> 5 AS BIGINT), 0), CAST(each.value ->> 6 AS BIGINT),
       CAST(each.value ->> 7 AS BIGINT), coalesce(CAST(each.value ->> 8 AS BIGINT), 0)
       ${from('jobs')} ${jobIsThere}`,
    [deletionId],
  );
  await database.run(
    `INSERT INTO annotation_job_labels (job_id, image_id, annotation, decided)
     SELECT each.value ->> 0, image_id, each.value ->> 1, each.value ->> 2
       ${from('reviews')} ${jobIsThere}`,
    [deletionId],
  );
  await database.run(
    `INSERT INTO annotation_job_changers (job_id, image_id, who, counted)
     SELECT each.value ->> 0, image_id, each.value ->> 1, CAST(each.value ->> 2 AS BIGINT)
       ${from('changers')} ${jobIsThere}`,
    [deletionId],
  );
}
