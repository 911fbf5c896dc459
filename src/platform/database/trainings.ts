// Trainings of versions, and the weights that they produced.

import { check } from '../../contract/check.ts';
import { stretchedSize } from '../../contract/stretched-size.ts';
import { versionSettings } from '../../contract/version-settings.ts';
import { membersOf } from '../../json-object.ts';
import type { Weights } from '../../model-inference/detection-models.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { Metrics } from '../../trainers/trainer-protocol.ts';
import {
  type NewTraining,
  statuses,
  type TrainedWeights,
  type Training,
  type TrainingOutcome,
  type TrainingStatus,
  type TrainingStore,
} from '../store/trainings.ts';
import { readTexts } from './column-readers.ts';

export const trainingTables: Migration = {
  name: 'trainings',
  sql: `
CREATE TABLE trainings (
  -- Also the id of its task.
  id TEXT PRIMARY KEY, version_id TEXT NOT NULL REFERENCES versions ON DELETE CASCADE,
  project_id TEXT NOT NULL REFERENCES projects, model_type TEXT NOT NULL, recipe TEXT NOT NULL,
  status TEXT NOT NULL, wanted TEXT, epochs INTEGER NOT NULL, epoch INTEGER NOT NULL,
  metrics TEXT, log TEXT, error TEXT, weights_hash TEXT, weights_bytes INTEGER, classes TEXT,
  created INTEGER NOT NULL, started INTEGER, ended INTEGER, deleted_at INTEGER, deleted_by TEXT
) STRICT;
CREATE INDEX trainings_version ON trainings (version_id, created);
CREATE INDEX trainings_project ON trainings (project_id, created);
CREATE INDEX trainings_weights ON trainings (weights_hash);
`,
};

export const trainingEpochTable: Migration = {
  name: 'training_epochs',
  sql: `
CREATE TABLE training_epochs (
  training_id TEXT NOT NULL REFERENCES trainings ON DELETE CASCADE, epoch INTEGER NOT NULL,
  metrics TEXT NOT NULL, PRIMARY KEY (training_id, epoch)
) STRICT, WITHOUT ROWID;
`,
};

/** Which of these rows point at a blob. */
export const trainingBlobs: readonly string[] = ['SELECT 1 FROM trainings WHERE weights_hash = ?'];

const withWork = `SELECT trainings.*, work.status AS work_status, work.error AS work_error,
  work.updated AS work_updated
  FROM trainings JOIN work ON work.id = trainings.id`;

const live = 'trainings.deleted_at IS NULL';

const open = "status IN ('queued', 'running')";

export function trainingStore(database: AsyncDatabase, queue: TaskQueue): TrainingStore {
  const get = (id: string) =>
    database.get(`${withWork} WHERE trainings.id = ?`, [id], readTraining);
  return {
    add: (training) =>
      database.transaction(async () => {
        await addTraining(database, queue, training);
        const { workspaceId: _, ...known } = training;
        return { ...known, ...untouched };
      }),
    list: (versionId) =>
      database.all(
        `${withWork} WHERE ${live} AND trainings.version_id = ?
         ORDER BY trainings.created DESC, trainings.id DESC`,
        [versionId],
        readTraining,
      ),
    find: (versionId, id) =>
      database.get(
        `${withWork} WHERE ${live} AND trainings.version_id = ? AND trainings.id = ?`,
        [versionId, id],
        readTraining,
      ),
    get: async (id) => get(id),
    epochs: (id) =>
      database.all(
        'SELECT epoch, metrics FROM training_epochs WHERE training_id = ? ORDER BY epoch',
        [id],
        (row) => ({ epoch: row.integer('epoch'), metrics: readMetrics(row) ?? {} }),
      ),
    trained: (projectId) =>
      database.all(
        `SELECT trainings.*, work.status AS work_status, work.error AS work_error,
           work.updated AS work_updated, versions.number
         FROM trainings JOIN work ON work.id = trainings.id
           JOIN versions ON versions.id = trainings.version_id
         WHERE ${live} AND versions.deleted_at IS NULL AND trainings.project_id = ?
           AND trainings.weights_hash IS NOT NULL
         ORDER BY trainings.created DESC, trainings.id DESC`,
        [projectId],
        (row) => ({ ...readTraining(row), versionNumber: row.integer('number') }),
      ),
    ...running(database, queue),
    trash: (id, now, deletedBy) =>
      database.transaction(async () => {
        await cancelTraining(database, queue, id, now);
        const sql =
          'UPDATE trainings SET deleted_at = ?, deleted_by = ? WHERE id = ? AND deleted_at IS NULL';
        return (await database.run(sql, [now, deletedBy, id])) > 0;
      }),
    weights: (workspaceId, modelId) => findWeights(database, workspaceId, modelId),
  };
}

type Running = 'begin' | 'stop' | 'cancel' | 'wanted' | 'report' | 'finish';

function running(database: AsyncDatabase, queue: TaskQueue): Pick<TrainingStore, Running> {
  return {
    begin: async (id, now, fenced) => fenced(() => beginTraining(database, queue, id, now)),
    stop: async (id) =>
      (await database.run(
        `UPDATE trainings SET wanted = 'stop' WHERE id = ? AND status = 'running'
         AND EXISTS (SELECT 1 FROM work WHERE id = trainings.id AND status != 'failed')`,
        [id],
      )) > 0,
    cancel: (id, now) => database.transaction(() => cancelTraining(database, queue, id, now)),
    wanted: (id) => readWanted(database, id),
    report: async (id, { epoch, epochs, metrics }, fenced) =>
      fenced(async () => {
        await database.run(
          `UPDATE trainings SET epoch = max(epoch, ?), epochs = ?, metrics = coalesce(?, metrics)
           WHERE id = ? AND ${open}`,
          [epoch, epochs, metrics && JSON.stringify(metrics), id],
        );
        if (metrics === undefined) return;
        // An attempt that goes on where another ended may do an epoch once more.
        await database.run(
          `INSERT INTO training_epochs (training_id, epoch, metrics)
           SELECT id, ?, ? FROM trainings WHERE id = ? AND ${open}
           ON CONFLICT (training_id, epoch) DO UPDATE SET metrics = excluded.metrics`,
          [epoch, JSON.stringify(metrics), id],
        );
      }),
    finish: async (id, outcome, now, fenced) =>
      fenced(() => finishTraining(database, id, outcome, now)),
  };
}

const untouched = {
  ...({ status: 'queued', epoch: 0 } as const),
  metrics: undefined,
  log: undefined,
  error: undefined,
  weights: undefined,
  started: undefined,
  ended: undefined,
};

async function addTraining(
  database: AsyncDatabase,
  queue: TaskQueue,
  training: NewTraining,
): Promise<void> {
  const { id, versionId, projectId, workspaceId, modelType, recipe, epochs, created } = training;
  await database.run(
    `INSERT INTO trainings (id, version_id, project_id, model_type, recipe, status, epochs, epoch,
       created) VALUES (?, ?, ?, ?, ?, 'queued', ?, 0, ?)`,
    [id, versionId, projectId, modelType, JSON.stringify(recipe), epochs, created],
  );
  const payload = { workspaceId, projectId, versionId, trainingId: id };
  await queue.add({ id, kind: 'training', payload });
}

async function beginTraining(
  database: AsyncDatabase,
  queue: TaskQueue,
  id: string,
  now: number,
): Promise<boolean> {
  const isWanted = await database.get(
    `SELECT trainings.deleted_at IS NULL AND versions.deleted_at IS NULL
       AND projects.deleted_at IS NULL AS wanted
     FROM trainings JOIN versions ON versions.id = version_id
       JOIN projects ON projects.id = versions.project_id WHERE trainings.id = ?`,
    [id],
    (row) => row.boolean('wanted'),
  );
  if (isWanted !== true) {
    await cancelTraining(database, queue, id, now);
    return false;
  }
  const sql = `UPDATE trainings SET status = 'running', started = coalesce(started, ?)
    WHERE id = ? AND ${open}`;
  return (await database.run(sql, [now, id])) > 0;
}

/**
 * Those that run or wait end: their project, or one version of it, goes to the trash in the same
 * transaction.
 */
export async function cancelTrainingsOf(
  database: AsyncDatabase,
  queue: TaskQueue,
  projectId: string,
  versionId: string | undefined,
  now: number,
): Promise<void> {
  const ids = await database.all(
    `SELECT id FROM trainings WHERE project_id = ? AND ${open}
     AND version_id = coalesce(?, version_id)`,
    [projectId, versionId],
    (row) => row.text('id'),
  );
  for (const id of ids) await cancelTraining(database, queue, id, now);
}

/** The task of one that waits ends here; whoever runs it sees the row and ends it. */
async function cancelTraining(
  database: AsyncDatabase,
  queue: TaskQueue,
  id: string,
  now: number,
): Promise<boolean> {
  const cancelled = await database.run(
    `UPDATE trainings SET status = 'cancelled', wanted = 'cancel', ended = ?
     WHERE id = ? AND ${open}
     AND EXISTS (SELECT 1 FROM work WHERE id = trainings.id AND status != 'failed')`,
    [now, id],
  );
  if (cancelled === 0) return false;
  await queue.failUnclaimed(id, 'The training was cancelled.', 'cancelled');
  return true;
}

async function readWanted(
  database: AsyncDatabase,
  id: string,
): Promise<'stop' | 'cancel' | undefined> {
  const wanted = await database.get(
    'SELECT wanted, deleted_at IS NOT NULL AS gone FROM trainings WHERE id = ?',
    [id],
    (row) => (row.boolean('gone') ? 'cancel' : row.optionalText('wanted')),
  );
  return wanted === 'stop' || wanted === 'cancel' ? wanted : undefined;
}

async function finishTraining(
  database: AsyncDatabase,
  id: string,
  { status, weights, metrics, error, log }: TrainingOutcome,
  now: number,
): Promise<boolean> {
  return (
    (await database.run(
      `UPDATE trainings SET status = ?, weights_hash = ?, weights_bytes = ?, classes = ?,
         metrics = coalesce(?, metrics), error = ?, log = ?, ended = ?
       WHERE id = ? AND ${open}`,
      [
        status,
        weights?.hash,
        weights?.bytes,
        weights && JSON.stringify(weights.classes),
        metrics && JSON.stringify(metrics),
        error,
        log,
        now,
        id,
      ],
    )) > 0
  );
}

/** Project and version must be live; a version in the trash has no model. */
const modelIdPattern =
  /^(?<slug>[^/]+)\/(?:(?<number>[0-9]{1,9})(?:\/(?<training>[^/]+))?|(?<alone>[0-9a-f]{20}))$/;

async function findWeights(
  database: AsyncDatabase,
  workspaceId: string,
  modelId: string,
): Promise<Weights | undefined> {
  const id = modelIdPattern.exec(modelId)?.groups;
  if (id?.slug === undefined) return undefined;
  return database.get(
    `SELECT weights_hash, trainings.classes, versions.settings FROM trainings
       JOIN versions ON versions.id = trainings.version_id
       JOIN projects ON projects.id = versions.project_id
     WHERE projects.workspace_id = ? AND projects.slug = ? AND projects.deleted_at IS NULL
       AND versions.number = coalesce(?, versions.number) AND versions.deleted_at IS NULL
       AND ${live} AND weights_hash IS NOT NULL AND trainings.id = coalesce(?, trainings.id)
     ORDER BY trainings.created DESC, trainings.id DESC LIMIT 1`,
    [
      workspaceId,
      id.slug,
      id.number === undefined ? undefined : Number(id.number),
      id.training ?? id.alone,
    ],
    (row) => ({
      hash: row.text('weights_hash'),
      classes: readTexts(row, 'classes'),
      stretchedTo: stretchedSize(check(versionSettings, row.json('settings'))),
    }),
  );
}

function readTraining(row: Row): Training {
  return {
    id: row.text('id'),
    versionId: row.text('version_id'),
    projectId: row.text('project_id'),
    modelType: row.text('model_type'),
    recipe: { ...membersOf(row.json('recipe')) },
    status: statusOf(row),
    epochs: row.integer('epochs'),
    epoch: row.integer('epoch'),
    metrics: readMetrics(row),
    log: row.optionalText('log'),
    error: row.optionalText('error') ?? row.optionalText('work_error'),
    weights: readWeights(row),
    created: row.integer('created'),
    started: row.optionalInteger('started'),
    ended: endOf(row),
  };
}

/** A task whose process died each time has failed without its row. */
function statusOf(row: Row): TrainingStatus {
  const status = statuses.find((name) => name === row.text('status')) ?? 'failed';
  if (status !== 'queued' && status !== 'running') return status;
  if (row.text('work_status') === 'failed') return 'failed';
  return status === 'running' && row.optionalText('wanted') === 'stop' ? 'stopping' : status;
}

/** Not each row that ended was told when. */
function endOf(row: Row): number | undefined {
  const isOpen = ['queued', 'running', 'stopping'].includes(statusOf(row));
  return row.optionalInteger('ended') ?? (isOpen ? undefined : row.integer('work_updated'));
}

function readWeights(row: Row): TrainedWeights | undefined {
  const hash = row.optionalText('weights_hash');
  if (hash === undefined) return undefined;
  return { hash, bytes: row.integer('weights_bytes'), classes: readTexts(row, 'classes') };
}

function readMetrics(row: Row): Metrics | undefined {
  const value = row.optionalJson('metrics');
  if (value === undefined) return undefined;
  const figures = Object.entries(membersOf(value)).flatMap(([name, figure]): [string, number][] =>
    typeof figure === 'number' ? [[name, figure]] : [],
  );
  return Object.fromEntries(figures);
}
