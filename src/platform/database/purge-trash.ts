// Deletes what is past its retention: items in the trash, old tasks and old records.

import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { DueItem, DueType, PurgeStore } from '../store/purge-trash.ts';
import { removeOldEvents } from './remove-old-events.ts';
import { changingImages } from './search-index/update-index.ts';

export function purgeStore(database: AsyncDatabase, index: ImageIndex): PurgeStore {
  return {
    due: (before, freezingSince) => listDue(database, before, freezingSince),
    purgeSome: async (item, before, countMax, fenced) =>
      fenced(async () => {
        if (!(await markPurged(database, item, before))) return 'done';
        if ((await removeInside(database, index, item, countMax)) > 0) return 'more';
        await database.run(`DELETE FROM ${tables[item.type]} WHERE id = ?`, [item.id]);
        return 'done';
      }),
    oldWork: async (before, countMax, fenced) =>
      fenced(() => removeOldWork(database, before, countMax)),
    oldInferences: async (before, countMax, fenced) =>
      fenced(() => database.run(oldInferences, [before, countMax])),
    oldEvents: async (before, countMax, fenced) =>
      fenced(() => removeOldEvents(database, before, countMax)),
    oldEventImages: async (usedBefore, countMax, fenced) =>
      fenced(() => database.run(oldEventImages, { before: usedBefore, countMax })),
    oldImages: async (before, countMax, fenced) =>
      fenced(() => database.run(oldImages, [before, countMax])),
    oldActivity: async (countMax, fenced) =>
      fenced(async () => {
        const kept = limits.activityImagesEntriesMax;
        const images = await database.run(oldActivityImages, { kept, countMax });
        return (
          images + (await database.run(oldActivity, { kept: limits.activityEntriesMax, countMax }))
        );
      }),
    oldClassChanges: async (before, countMax, fenced) =>
      fenced(async () => {
        const images = await database.run(oldClassChangeImages, [before, countMax]);
        return images + (await database.run(oldClassChanges, [before, countMax]));
      }),
    oldVideoJobs: async (before, countMax, fenced) =>
      fenced(() => database.run(oldVideoJobs, [before, countMax])),
  };
}

/** CROSS: by the workspaces, or the index of times is of no use. */
const oldInferences = `DELETE FROM inferences WHERE ordinal IN (
  SELECT ordinal FROM workspaces CROSS JOIN inferences ON workspace_id = workspaces.id
  WHERE inferences.created <= ? LIMIT ?)`;

const oldEventImages = `DELETE FROM vision_event_images WHERE id IN (
  SELECT id FROM vision_event_images WHERE used < :before AND created < :before LIMIT :countMax)`;

const oldImages = `DELETE FROM trashed_images WHERE image_id IN (
  SELECT image_id FROM trashed_images WHERE deleted_at <= ? LIMIT ?)`;

/**
 * Of each workspace those behind the newest ones. MATERIALIZED: PostgreSQL would look for the place
 * again for each entry.
 */
const behindNewest = `(
    WITH last AS MATERIALIZED (
      SELECT workspaces.id AS workspace, (SELECT newer.ordinal FROM activity AS newer
        WHERE newer.workspace_id = workspaces.id ORDER BY newer.ordinal DESC LIMIT 1 OFFSET :kept)
        AS place
      FROM workspaces)
    SELECT activity.ordinal FROM last
      CROSS JOIN activity ON workspace_id = workspace AND activity.ordinal <= place) AS old`;

const oldActivity = `DELETE FROM activity WHERE ordinal IN (
  SELECT old.ordinal FROM ${behindNewest} LIMIT :countMax)`;

const oldActivityImages = `DELETE FROM activity_images WHERE (entry, image_id) IN (
  SELECT entry, image_id FROM ${behindNewest}
    CROSS JOIN activity_images ON entry = old.ordinal
  LIMIT :countMax)`;

const oldClassChangeImages = `DELETE FROM class_change_images WHERE (change_id, image_id) IN (
  SELECT change_id, image_id FROM class_changes
    CROSS JOIN class_change_images ON change_id = class_changes.id
  WHERE created <= ? LIMIT ?)`;

const oldClassChanges = `DELETE FROM class_changes WHERE id IN (
  SELECT id FROM class_changes WHERE created <= ? AND NOT EXISTS (
    SELECT 1 FROM class_change_images WHERE change_id = class_changes.id) LIMIT ?)`;

const oldVideoJobs = `DELETE FROM video_jobs WHERE id IN (
  SELECT video_jobs.id FROM video_jobs JOIN work ON work.id = video_jobs.id
  WHERE status IN ('completed', 'failed') AND updated <= ? LIMIT ?)`;

const tables = {
  project: 'projects',
  version: 'versions',
  training: 'trainings',
  workflow: 'workflows',
} as const satisfies Record<DueType, string>;

function listDue(
  database: AsyncDatabase,
  before: number,
  freezingSince: number,
): Promise<readonly DueItem[]> {
  return database.all(
    `SELECT 'project' AS type, id FROM projects WHERE deleted_at <= :before
     UNION ALL SELECT 'version', versions.id FROM versions
       JOIN projects ON projects.id = versions.project_id
       WHERE versions.deleted_at <= :before AND ${isKept('projects')}
         AND versions.created <=
           CASE WHEN versions.deleted_at = 0 THEN :freezingSince ELSE :before END
     UNION ALL SELECT 'training', trainings.id FROM trainings
       JOIN versions ON versions.id = trainings.version_id
       JOIN projects ON projects.id = versions.project_id
       WHERE trainings.deleted_at <= :before AND ${isKept('versions')} AND ${isKept('projects')}
     UNION ALL SELECT 'workflow', id FROM workflows WHERE deleted_at <= :before`,
    { before, freezingSince },
    (row) => ({ type: typeOf(row.text('type')), id: row.text('id') }),
  );
}

function isKept(table: string): string {
  return `(${table}.deleted_at IS NULL OR ${table}.deleted_at > :before)`;
}

function typeOf(name: string): DueType {
  if (name === 'project' || name === 'version' || name === 'training') return name;
  return 'workflow';
}

/** False when it came back, or is gone. */
async function markPurged(
  database: AsyncDatabase,
  { type, id }: DueItem,
  before: number,
): Promise<boolean> {
  const sql = `UPDATE ${tables[type]} SET deleted_at = 0 WHERE id = ? AND deleted_at <= ?`;
  return (await database.run(sql, [id, before])) > 0;
}

/** Removes rows that belong to the item; gives their number, 0 at the end. */
async function removeInside(
  database: AsyncDatabase,
  index: ImageIndex,
  { type, id }: DueItem,
  countMax: number,
): Promise<number> {
  if (type === 'project') return removeInProject(database, index, id, countMax);
  return type === 'version' ? await removeInVersion(database, id, countMax) : 0;
}

async function removeInProject(
  database: AsyncDatabase,
  index: ImageIndex,
  id: string,
  countMax: number,
): Promise<number> {
  const version = await database.get(
    'SELECT id FROM versions WHERE project_id = ? LIMIT 1',
    [id],
    (row) => row.text('id'),
  );
  if (version !== undefined) {
    const rows = await removeInVersion(database, version, countMax);
    return rows > 0 ? rows : await database.run('DELETE FROM versions WHERE id = ?', [version]);
  }
  const trashed = await database.run(
    `DELETE FROM trashed_images WHERE image_id IN (
       SELECT image_id FROM trashed_images WHERE project_id = ? LIMIT ?)`,
    [id, countMax],
  );
  if (trashed > 0) return trashed;
  const judged = await database.run(
    `DELETE FROM evaluation_images WHERE (evaluation_id, ordinal) IN (
       SELECT evaluation_id, ordinal FROM evaluations
         JOIN evaluation_images ON evaluation_id = evaluations.id
       WHERE project_id = ? LIMIT ?)`,
    [id, countMax],
  );
  if (judged > 0) return judged;
  const unclassed = await database.run(
    `DELETE FROM class_change_images WHERE (change_id, image_id) IN (
       SELECT change_id, image_id FROM class_changes
         JOIN class_change_images ON change_id = class_changes.id
       WHERE project_id = ? LIMIT ?)`,
    [id, countMax],
  );
  if (unclassed > 0) return unclassed;
  const images = await removeImages(database, index, id, countMax);
  return images > 0 ? images : await database.run('DELETE FROM batches WHERE project_id = ?', [id]);
}

async function removeImages(
  database: AsyncDatabase,
  index: ImageIndex,
  projectId: string,
  countMax: number,
): Promise<number> {
  const ids = await database.all(
    'SELECT id FROM images WHERE project_id = ? LIMIT ?',
    [projectId, countMax],
    (row) => row.text('id'),
  );
  return changingImages(database, index, ids, async () => {
    const sql = 'DELETE FROM images WHERE id IN (SELECT value FROM json_each(?))';
    await database.run(sql, [JSON.stringify(ids)]);
    return ids.length;
  });
}

async function removeInVersion(
  database: AsyncDatabase,
  id: string,
  countMax: number,
): Promise<number> {
  for (const table of ['version_images', 'version_sources']) {
    // All images of one source have one ordinal, and go together.
    const removed = await database.run(
      `DELETE FROM ${table} WHERE version_id = ? AND ordinal <= (SELECT max(ordinal) FROM (
         SELECT ordinal FROM ${table} WHERE version_id = ? ORDER BY ordinal LIMIT ?) AS first)`,
      [id, id, countMax],
    );
    if (removed > 0) return removed;
  }
  return (
    (await database.run('DELETE FROM exports WHERE version_id = ?', [id])) +
    (await database.run('DELETE FROM trainings WHERE version_id = ?', [id]))
  );
}

/** Rows that a user still reaches, and that say by their work how they are. */
const pointers = [
  'SELECT task_id FROM versions',
  'SELECT task_id FROM exports',
  'SELECT id FROM trainings',
  'SELECT id FROM autolabel_jobs',
  'SELECT id FROM video_jobs',
  'SELECT id FROM evaluations',
] as const;

/** Results and notes that are of use as long as their work is known. */
const results = ['search_exports', 'zip_reports', 'rebalances', 'forks'] as const;

async function removeOldWork(
  database: AsyncDatabase,
  before: number,
  countMax: number,
): Promise<number> {
  const removed = await database.run(
    `DELETE FROM work WHERE ordinal IN (SELECT ordinal FROM work
       WHERE status IN ('completed', 'failed') AND updated <= ?
         ${pointers.map((ids) => `AND id NOT IN (${ids})`).join(' ')} LIMIT ?)`,
    [before, countMax],
  );
  if (removed === 0) return 0;
  for (const table of results) {
    await database.run(`DELETE FROM ${table} WHERE task_id NOT IN (SELECT id FROM work)`);
  }
  return removed;
}
