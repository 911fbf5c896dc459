// Evaluations, and the images that they judged.

import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type {
  Evaluation,
  EvaluationSettings,
  EvaluationStore,
  JudgedImage,
  ResultsPage,
  WantedResults,
} from '../store/evaluations.ts';

export const evaluationTables: Migration = {
  name: 'evaluations',
  sql: `
CREATE TABLE evaluations (
  -- Also the id of its task.
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
  settings TEXT NOT NULL, predictions_hash TEXT, figures TEXT, created INTEGER NOT NULL
) STRICT;
CREATE INDEX evaluations_project ON evaluations (project_id, created);
CREATE INDEX evaluations_predictions ON evaluations (predictions_hash)
  WHERE predictions_hash IS NOT NULL;

CREATE TABLE evaluation_images (
  evaluation_id TEXT NOT NULL REFERENCES evaluations ON DELETE CASCADE, ordinal INTEGER NOT NULL,
  name TEXT NOT NULL, hash TEXT NOT NULL, boxes TEXT NOT NULL,
  PRIMARY KEY (evaluation_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Of each image the classes that are in it or were found.
CREATE TABLE evaluation_outcomes (
  evaluation_id TEXT NOT NULL, ordinal INTEGER NOT NULL, label TEXT NOT NULL,
  true_positives INTEGER NOT NULL, false_positives INTEGER NOT NULL, misses INTEGER NOT NULL,
  PRIMARY KEY (evaluation_id, ordinal, label),
  FOREIGN KEY (evaluation_id, ordinal) REFERENCES evaluation_images ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`,
};

/** Which of these rows point at a blob. Images that were judged may go: then none is drawn. */
export const evaluationBlobs: readonly string[] = [
  'SELECT 1 FROM evaluations WHERE predictions_hash = ?',
];

export function evaluationStore(database: AsyncDatabase, queue: TaskQueue): EvaluationStore {
  return {
    add: ({ id, projectId, settings, predictionsHash, created }, task) =>
      database.transaction(async () => {
        await database.run(
          `INSERT INTO evaluations (id, project_id, settings, predictions_hash, created)
           VALUES (?, ?, ?, ?, ?)`,
          [id, projectId, JSON.stringify(settings), predictionsHash ?? null, created],
        );
        await queue.add(task);
      }),
    get: (id) => database.get('SELECT * FROM evaluations WHERE id = ?', [id], readEvaluation),
    list: (projectId) =>
      database.all(
        `SELECT * FROM evaluations WHERE project_id = ?
         ORDER BY created DESC, id DESC LIMIT ${limits.evaluationsListedMax}`,
        [projectId],
        readEvaluation,
      ),
    begin: async (id, fenced) => {
      const sql = 'DELETE FROM evaluation_images WHERE evaluation_id = ?';
      await fenced(() => database.run(sql, [id]));
    },
    addImages: async (id, images, fenced) =>
      fenced(async () => {
        for (const image of images) await addImage(database, id, image);
      }),
    finish: async (id, figures, fenced) => {
      const sql = 'UPDATE evaluations SET figures = ? WHERE id = ?';
      await fenced(() => database.run(sql, [figures, id]));
    },
    results: (id, wanted) => readResults(database, id, wanted),
  };
}

async function addImage(
  database: AsyncDatabase,
  id: string,
  { ordinal, name, hash, boxes, outcomes }: JudgedImage,
): Promise<void> {
  await database.run(
    `INSERT INTO evaluation_images (evaluation_id, ordinal, name, hash, boxes)
     VALUES (?, ?, ?, ?, ?)`,
    [id, ordinal, name, hash, boxes],
  );
  for (const { label, truePositives, falsePositives, misses } of outcomes) {
    await database.run('INSERT INTO evaluation_outcomes VALUES (?, ?, ?, ?, ?, ?)', [
      ...[id, ordinal, label],
      ...[truePositives, falsePositives, misses],
    ]);
  }
}

/** Without a class, images in which nothing is and nothing was found are told as well. */
async function readResults(
  database: AsyncDatabase,
  id: string,
  { label, limit, offset }: WantedResults,
): Promise<ResultsPage> {
  const joined = `FROM evaluation_images AS image
    ${label === undefined ? 'LEFT JOIN' : 'JOIN'} evaluation_outcomes AS outcome
      ON outcome.evaluation_id = image.evaluation_id AND outcome.ordinal = image.ordinal
    WHERE image.evaluation_id = :id${label === undefined ? '' : ' AND label = :label'}`;
  const chosen = { id, ...(label !== undefined && { label }) };
  const total = await database.get(
    `SELECT count(DISTINCT image.ordinal) AS images ${joined}`,
    chosen,
    (row) => row.integer('images'),
  );
  const results = await database.all(
    `SELECT image.ordinal, name, hash, boxes,
       coalesce(sum(true_positives), 0) AS true_positives,
       coalesce(sum(false_positives), 0) AS false_positives, coalesce(sum(misses), 0) AS misses
     ${joined} GROUP BY image.ordinal, name, hash, boxes
     ORDER BY coalesce(sum(false_positives), 0) + coalesce(sum(misses), 0) DESC, image.ordinal
     LIMIT :limit OFFSET :offset`,
    { ...chosen, limit, offset },
    (row) => ({
      ordinal: row.integer('ordinal'),
      name: row.text('name'),
      hash: row.text('hash'),
      boxes: row.text('boxes'),
      truePositives: row.integer('true_positives'),
      falsePositives: row.integer('false_positives'),
      misses: row.integer('misses'),
    }),
  );
  return { total: total ?? 0, results };
}

function readEvaluation(row: Row): Evaluation {
  const settings: EvaluationSettings = JSON.parse(row.text('settings'));
  return {
    id: row.text('id'),
    projectId: row.text('project_id'),
    settings,
    predictionsHash: row.optionalText('predictions_hash'),
    created: row.integer('created'),
    figures: row.optionalText('figures'),
  };
}
