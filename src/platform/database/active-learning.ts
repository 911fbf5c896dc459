// Active Learning settings, and the images that they collected.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import { defaultLimits, type LearningSettings } from '../active-learning/collection-rules.ts';
import type {
  ActiveLearning,
  ActiveLearningStore,
  CollectBound,
  Collected,
  QueueRequest,
  ReviewQueue,
} from '../store/active-learning.ts';

export const activeLearningTables: Migration = {
  name: 'active_learning',
  sql: `
CREATE TABLE active_learning (
  project_id TEXT PRIMARY KEY REFERENCES projects ON DELETE CASCADE, enabled INTEGER NOT NULL,
  settings TEXT NOT NULL, updated INTEGER NOT NULL
) STRICT;
-- The row comes before the image, so that limits hold for several processes.
CREATE TABLE collected_images (
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
  image_id TEXT REFERENCES images ON DELETE CASCADE, inference_id TEXT NOT NULL,
  -- Of the image as the model saw it: an event may have several.
  seen_hash TEXT NOT NULL, created INTEGER NOT NULL, UNIQUE (project_id, inference_id, seen_hash)
) STRICT;
CREATE INDEX collected_images_time ON collected_images (project_id, created);
CREATE INDEX collected_images_image ON collected_images (image_id);
`,
};

export function activeLearningStore(database: AsyncDatabase): ActiveLearningStore {
  /** Both members are set on their own, on a row that is made with the first. */
  const ensure = (projectId: string) =>
    database.run(
      `INSERT INTO active_learning (project_id, enabled, settings, updated)
       VALUES (?, 0, '{}', 0) ON CONFLICT (project_id) DO NOTHING`,
      [projectId],
    );
  return {
    get: async (projectId) =>
      (await database.get(
        'SELECT * FROM active_learning WHERE project_id = ?',
        [projectId],
        readSettings,
      )) ?? unset(projectId),
    enable: (projectId, isEnabled, now) =>
      database.transaction(async () => {
        await ensure(projectId);
        await database.run(
          'UPDATE active_learning SET enabled = ?, updated = ? WHERE project_id = ?',
          [isEnabled, now, projectId],
        );
      }),
    configure: (projectId, { collectionLimits, filters }, now) =>
      database.transaction(async () => {
        const settings = JSON.stringify({ collectionLimits, filters });
        await ensure(projectId);
        await database.run(
          'UPDATE active_learning SET settings = ?, updated = ? WHERE project_id = ?',
          [settings, now, projectId],
        );
      }),
    enabledFor: (workspaceId, modelName) =>
      database.all(
        `SELECT active_learning.* FROM active_learning
           JOIN projects ON projects.id = active_learning.project_id
           LEFT JOIN deployments ON deployments.project_id = projects.id
         WHERE enabled = 1 AND workspace_id = ? AND deleted_at IS NULL
           AND (deployments.model ->> 'modelId' = ? OR slug = ?)`,
        [workspaceId, modelName, modelName],
        readSettings,
      ),
    claim: (collected, bounds) =>
      database.transaction(() => claimPlace(database, collected, bounds)),
    settle: async (id, imageId) => {
      if (imageId === undefined)
        await database.run('DELETE FROM collected_images WHERE id = ?', [id]);
      else
        await database.run('UPDATE collected_images SET image_id = ? WHERE id = ?', [imageId, id]);
    },
    queues: (projectId, request) => findQueues(database, projectId, request),
  };
}

async function claimPlace(
  database: AsyncDatabase,
  { id, projectId, inferenceId, seenHash, created }: Collected,
  bounds: readonly CollectBound[],
): Promise<boolean> {
  for (const { count, withinMs } of bounds) {
    const taken = await database.get(
      'SELECT count(*) AS n FROM collected_images WHERE project_id = ? AND created > ?',
      [projectId, created - withinMs],
      (row) => row.integer('n'),
    );
    if ((taken ?? 0) >= count) return false;
  }
  return (
    (await database.run(
      `INSERT INTO collected_images (id, project_id, inference_id, seen_hash, created)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [id, projectId, inferenceId, seenHash, created],
    )) > 0
  );
}

/** Batches with collected images. Who reviews one is said by its newest annotation job. */
const queueRows = `SELECT batches.id, batches.name, batches.created, count(*) AS images,
    count(*) FILTER (WHERE objects IS NOT NULL AND predicted = 0) AS annotated,
    (SELECT reviewer FROM annotation_jobs WHERE batch_id = batches.id
     ORDER BY created DESC, id DESC LIMIT 1) AS reviewer
  FROM batches JOIN images ON images.batch_id = batches.id
  WHERE batches.project_id = ? AND EXISTS (SELECT 1 FROM collected_images
    JOIN images AS own ON own.id = image_id WHERE own.batch_id = batches.id)
  GROUP BY batches.id`;

const order = {
  created: 'created',
  images: 'images',
  progress: '1.0 * annotated / images',
} as const;

async function findQueues(
  database: AsyncDatabase,
  projectId: string,
  { page, pageSize, search, status, sortBy, isAscending, reviewer }: QueueRequest,
) {
  const where = `instr(lower(name), ?) > 0
    AND (? = 'all' OR (? = 'not_started' AND annotated = 0)
      OR (? = 'in_progress' AND annotated > 0 AND annotated < images))
    AND (? IS NULL OR reviewer = ?) AND (? = 0 OR reviewer IS NULL)`;
  const values = [
    projectId,
    lowerAscii(search ?? ''),
    status,
    status,
    status,
    reviewer ?? null,
    reviewer ?? null,
    reviewer === null,
  ];
  const total = await database.get(
    `SELECT count(*) AS n FROM (${queueRows}) AS queues WHERE ${where}`,
    values,
    (row) => row.integer('n'),
  );
  const direction = isAscending ? 'ASC' : 'DESC';
  const queues = await database.all(
    `SELECT * FROM (${queueRows}) AS queues WHERE ${where}
     ORDER BY ${order[sortBy]} ${direction}, created ${direction}, id LIMIT ? OFFSET ?`,
    [...values, pageSize, (page - 1) * pageSize],
    readQueue,
  );
  const withSamples: ReviewQueue[] = [];
  for (const queue of queues) {
    withSamples.push({ ...queue, samples: await samplesOf(database, queue.batchId) });
  }
  return { total: total ?? 0, queues: withSamples };
}

/** As `lower` of the database does it. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function readQueue(row: Row): Omit<ReviewQueue, 'samples'> {
  return {
    batchId: row.text('id'),
    name: row.text('name'),
    images: row.integer('images'),
    annotated: row.integer('annotated'),
    reviewer: row.optionalText('reviewer'),
    created: row.integer('created'),
  };
}

function samplesOf(database: AsyncDatabase, batchId: string): Promise<ReviewQueue['samples']> {
  return database.all(
    'SELECT id, name, hash, format FROM images WHERE batch_id = ? ORDER BY created, id LIMIT 4',
    [batchId],
    (row) => ({
      id: row.text('id'),
      name: row.text('name'),
      hash: row.text('hash'),
      format: row.text('format'),
    }),
  );
}

function unset(projectId: string): ActiveLearning {
  return { projectId, isEnabled: false, collectionLimits: defaultLimits, filters: [] };
}

function readSettings(row: Row): ActiveLearning {
  const settings = row.json('settings');
  return {
    ...unset(row.text('project_id')),
    ...(isSettings(settings) && settings),
    isEnabled: row.boolean('enabled'),
  };
}

/** As `configure` wrote it. */
function isSettings(value: unknown): value is LearningSettings {
  return (
    typeof value === 'object' && value !== null && 'collectionLimits' in value && 'filters' in value
  );
}
