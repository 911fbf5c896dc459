// Images, their annotations, tags and batches in SQLite.

import type { Database, Row } from '../../storage/database.ts';
import type { Annotation } from '../annotations/annotation.ts';
import { newId } from '../ids.ts';
import { readProject } from './projects.ts';
import { readAnnotation, readFormat, readMetadata, readSplit, readTexts } from './rows.ts';
import type { Image, ImageStore, NewImage } from './store.ts';

export function imageStore(database: Database): ImageStore {
  return {
    add: async (image) => database.transaction(() => addImage(database, image)),
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
    annotate: async (imageId, annotation, overwrite, now) =>
      database.transaction(() => annotateImage(database, imageId, annotation, overwrite, now)),
    changeTags: async (imageId, { operation, tags }) =>
      database.transaction(() => {
        if (operation === 'set')
          database.run('DELETE FROM image_tags WHERE image_id = ?', [imageId]);
        if (operation === 'remove') removeTags(database, imageId, tags);
        else addTags(database, imageId, tags);
        return listTags(database, imageId);
      }),
    change: async (imageId, change) =>
      database.transaction(() => {
        const keep = (metadata: Image['metadata']) =>
          Object.entries(metadata).filter(([key]) => !change.removeMetadata.includes(key));
        const metadata = database.get(
          'SELECT metadata FROM images WHERE id = ?',
          [imageId],
          readMetadata,
        );
        const next = { ...Object.fromEntries(keep(metadata ?? {})), ...change.metadata };
        database.run('UPDATE images SET metadata = ? WHERE id = ?', [
          JSON.stringify(next),
          imageId,
        ]);
        addTags(database, imageId, change.addTags);
        removeTags(database, imageId, change.removeTags);
      }),
    remove: async (projectId, imageIds) =>
      database.transaction(() => removeImages(database, projectId, imageIds)),
    batches: async (projectId) =>
      database.all(
        `SELECT id, name, created, (SELECT count(*) FROM images WHERE batch_id = batches.id) AS n
         FROM batches WHERE project_id = ? ORDER BY created, id`,
        [projectId],
        (row) => ({
          id: row.text('id'),
          name: row.text('name'),
          created: row.integer('created'),
          images: row.integer('n'),
        }),
      ),
  };
}

function addImage(database: Database, image: NewImage) {
  const known = findByHash(database, image.projectId, image.hash);
  if (known !== undefined) return { id: known, duplicate: true };
  const { id, projectId, name, hash, bytes, format, width, height, split, created } = image;
  const batchId = ensureBatch(database, projectId, image.batchName, created);
  database.run(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      ...[id, projectId, batchId, name, hash, bytes, format, width, height, split],
      ...[JSON.stringify(image.metadata), created],
    ],
  );
  addTags(database, id, image.tags);
  database.run('UPDATE projects SET updated = ? WHERE id = ?', [created, projectId]);
  return { id, duplicate: false };
}

function findByHash(database: Database, projectId: string, hash: string): string | undefined {
  return database.get(
    'SELECT id FROM images WHERE project_id = ? AND hash = ?',
    [projectId, hash],
    (row) => row.text('id'),
  );
}

function ensureBatch(database: Database, projectId: string, name: string, now: number): string {
  const id = newId();
  database.run(
    'INSERT INTO batches (id, project_id, name, created) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [id, projectId, name, now],
  );
  const kept = database.get(
    'SELECT id FROM batches WHERE project_id = ? AND name = ?',
    [projectId, name],
    (row) => row.text('id'),
  );
  return kept ?? id;
}

function annotateImage(
  database: Database,
  imageId: string,
  annotation: Annotation,
  overwrite: boolean,
  now: number,
): boolean {
  const changed = database.run(
    `UPDATE images SET annotation = ?, annotated_at = ?
     WHERE id = ? AND (annotation IS NULL OR ?)`,
    [JSON.stringify(annotation), now, imageId, overwrite ? 1 : 0],
  );
  if (changed === 0) return false;
  database.run('DELETE FROM image_labels WHERE image_id = ?', [imageId]);
  for (const [label, n] of countLabels(annotation)) {
    database.run(
      `INSERT INTO image_labels (image_id, project_id, label, n)
       SELECT id, project_id, ?, ? FROM images WHERE id = ?`,
      [label, n, imageId],
    );
  }
  database.run(
    'UPDATE projects SET updated = ? WHERE id = (SELECT project_id FROM images WHERE id = ?)',
    [now, imageId],
  );
  return true;
}

function countLabels(annotation: Annotation): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const labels =
    annotation.kind === 'detection'
      ? annotation.boxes.map(({ label }) => label)
      : annotation.labels;
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

function removeImages(database: Database, projectId: string, imageIds: readonly string[]) {
  const missing = imageIds.filter(
    (id) =>
      database.get(
        'SELECT 1 AS n FROM images WHERE project_id = ? AND id = ?',
        [projectId, id],
        (row) => row.integer('n'),
      ) === undefined,
  );
  if (missing.length > 0) return missing;
  for (const id of imageIds) database.run('DELETE FROM images WHERE id = ?', [id]);
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
    annotation: readAnnotation(row),
    created: row.integer('created'),
  };
}
