// Images of which it is not known how they look: not looked at yet, or, with a problem, unreadable.

import { limits } from '../../../limits.ts';
import type { AsyncDatabase, AsyncReader } from '../../../storage/async-database.ts';
import type { Migration } from '../../../storage/migrations.ts';
import type { ImageIndex } from '../../store/image-index.ts';
import type { UnreadableImages } from '../../store/projects.ts';
import type { DescribedScope, ImageLook, UndescribedImage } from '../../store/search.ts';
import { readSplit } from '../column-readers.ts';

export const undescribedImageTables: Migration = {
  name: 'undescribed_images',
  sql: `
CREATE TABLE undescribed_images (
  image_id TEXT PRIMARY KEY REFERENCES images ON DELETE CASCADE, project_id TEXT NOT NULL,
  problem TEXT, tries INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX undescribed_images_open ON undescribed_images (project_id) WHERE problem IS NULL;
CREATE INDEX undescribed_images_unreadable ON undescribed_images (project_id)
  WHERE problem IS NOT NULL;
`,
};

const sharpnessColumnOf = (looks: string) => `
ALTER TABLE ${looks} ADD COLUMN sharpness REAL;
-- Described before there was one: they are looked at once more.
CREATE INDEX ${looks}_unmeasured ON ${looks} (ordinal) WHERE sharpness IS NULL;
`;

export const sharpnessColumn: Migration = {
  name: 'sharpness',
  sql: sharpnessColumnOf('likeness_vectors'),
  postgres: sharpnessColumnOf('image_looks'),
};

/** Within a transaction: these images are to be looked at. */
export function addUndescribed(
  database: AsyncDatabase,
  images: readonly { readonly imageId: string; readonly projectId: string }[],
): void {
  if (images.length === 0) return;
  database.send(
    `INSERT INTO undescribed_images (image_id, project_id)
     SELECT value ->> 'imageId', value ->> 'projectId' FROM json_each(?) WHERE true
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(images)],
  );
}

/** Some of those of a scope; their order is that of an index, which unreadable ones are not in. */
export async function listUndescribed(
  database: AsyncDatabase,
  countMax: number,
  scope: DescribedScope,
): Promise<readonly UndescribedImage[]> {
  return database.all(
    `SELECT u.image_id, u.tries, i.hash FROM undescribed_images u JOIN images i ON i.id = u.image_id
     WHERE u.problem IS NULL AND ${isInScope}
     ORDER BY u.project_id, u.image_id LIMIT :countMax`,
    { ...parametersOf(scope), countMax },
    (row) => ({
      imageId: row.text('image_id'),
      hash: row.text('hash'),
      tries: row.integer('tries'),
    }),
  );
}

/** Some of the images whose sharpness is still to be measured; not those that cannot be read. */
export async function listUnmeasured(
  database: AsyncDatabase,
  { vectors }: Pick<ImageIndex, 'vectors'>,
  countMax: number,
): Promise<readonly UndescribedImage[]> {
  return database.all(
    `SELECT i.id, i.hash FROM ${vectors} AS v
     CROSS JOIN image_ordinals o ON o.ordinal = v.ordinal
     CROSS JOIN images i ON i.id = o.image_id
     WHERE v.sharpness IS NULL
       AND NOT EXISTS (SELECT 1 FROM undescribed_images u WHERE u.image_id = i.id)
     ORDER BY v.ordinal LIMIT ?`,
    [countMax],
    (row) => ({ imageId: row.text('id'), hash: row.text('hash'), tries: 0 }),
  );
}

/** Counts that an image is about to be looked at. */
export async function countTry(database: AsyncDatabase, imageId: string): Promise<void> {
  await database.run(
    `INSERT INTO undescribed_images AS u (image_id, project_id, tries)
     SELECT id, project_id, 1 FROM images WHERE id = ?
     ON CONFLICT (image_id) DO UPDATE SET tries = u.tries + 1`,
    [imageId],
  );
}

/** Whether some images of a scope have still to be looked at. */
export async function hasUndescribed(
  database: AsyncDatabase,
  scope: DescribedScope,
): Promise<boolean> {
  return (await listUndescribed(database, 1, scope)).length > 0;
}

/** Of a row `u`. */
const isInScope = `(:kind = 'all' OR u.project_id IN (
  SELECT id FROM projects WHERE deleted_at IS NULL
    AND CASE WHEN :kind = 'public' THEN public = 1 ELSE workspace_id = :workspaceId END
    AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))))`;

function parametersOf(scope: DescribedScope) {
  if (scope === 'all' || scope === 'public') {
    return { kind: scope, workspaceId: undefined, ids: undefined };
  }
  const { workspaceId, projectIds } = scope;
  return { kind: 'some', workspaceId, ids: projectIds && JSON.stringify(projectIds) };
}

/** Within a transaction: these images were looked at. */
export async function settleUndescribed(
  database: AsyncDatabase,
  looks: readonly ImageLook[],
): Promise<void> {
  const problems = looks.map(({ imageId, problem }) => ({ imageId, problem }));
  await database.run(
    `INSERT INTO undescribed_images (image_id, project_id, problem)
     SELECT i.id, i.project_id, look.value ->> 'problem' FROM json_each(?) AS look
     JOIN images i ON i.id = look.value ->> 'imageId'
     WHERE look.value ->> 'problem' IS NOT NULL
     ON CONFLICT (image_id) DO UPDATE SET problem = excluded.problem`,
    [JSON.stringify(problems)],
  );
  await database.run(
    `DELETE FROM undescribed_images WHERE image_id IN (
       SELECT value ->> 'imageId' FROM json_each(?) WHERE value ->> 'problem' IS NULL)`,
    [JSON.stringify(problems)],
  );
}

/** Asks first, since hardly any upload is of an image with a problem, and writes take turns. */
export async function lookAgain(
  database: AsyncDatabase,
  imageIds: readonly string[],
): Promise<void> {
  const ids = JSON.stringify(imageIds);
  const problem = await database.get(
    `SELECT 1 AS n FROM undescribed_images WHERE ${hasProblem} LIMIT 1`,
    [ids],
    (row) => row.integer('n'),
  );
  if (problem === undefined) return;
  await database.run(`UPDATE undescribed_images SET problem = NULL WHERE ${hasProblem}`, [ids]);
}

const hasProblem = 'problem IS NOT NULL AND image_id IN (SELECT value FROM json_each(?))';

/** The oldest first. */
export async function listUnreadable(
  database: AsyncReader,
  projectId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number } = {
    limit: limits.healthImagesShownMax,
    offset: 0,
  },
): Promise<UnreadableImages> {
  const images = await database.all(
    `SELECT i.id, i.name, i.split, u.problem FROM undescribed_images u
     JOIN images i ON i.id = u.image_id
     WHERE u.project_id = ? AND u.problem IS NOT NULL ORDER BY i.created, i.id LIMIT ? OFFSET ?`,
    [projectId, limit, offset],
    (row) => ({
      id: row.text('id'),
      name: row.text('name'),
      split: readSplit(row),
      reason: row.text('problem'),
    }),
  );
  const total = await database.get(
    `SELECT count(*) AS n FROM undescribed_images WHERE project_id = ? AND problem IS NOT NULL`,
    [projectId],
    (row) => row.integer('n'),
  );
  return { images, total: total ?? 0 };
}
