// Evaluations, and the images that they judged.

import { labelMistakeKinds } from '../../contract/evaluations.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type {
  Evaluation,
  EvaluationSettings,
  EvaluationStore,
  FoundImage,
  JudgedImage,
  KeptMistake,
  MistakesPage,
  ResultsPage,
  WantedMistakes,
  WantedResults,
} from '../store/evaluations.ts';
import type { ImageIndex } from '../store/image-index.ts';
import { oneOf } from './column-readers.ts';
import { countImagesApart, readChanges } from './evaluation-changes.ts';
import { mendImage } from './evaluation-mends.ts';

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

export const labelMistakeTables: Migration = {
  name: 'label_mistakes',
  sql: `
ALTER TABLE evaluation_images ADD COLUMN image_id TEXT;

CREATE TABLE evaluation_mistakes (
  evaluation_id TEXT NOT NULL, ordinal INTEGER NOT NULL, place INTEGER NOT NULL,
  kind TEXT NOT NULL, score REAL NOT NULL, label TEXT, found TEXT NOT NULL, boxes TEXT NOT NULL,
  PRIMARY KEY (evaluation_id, ordinal, place),
  FOREIGN KEY (evaluation_id, ordinal) REFERENCES evaluation_images ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`,
};

export const judgedImageIndex: Migration = {
  name: 'judged_image_index',
  sql: `CREATE INDEX evaluation_images_image ON evaluation_images (image_id)
  WHERE image_id IS NOT NULL;`,
};

export const mendedPlaceColumn: Migration = {
  name: 'mended_place',
  sql: 'ALTER TABLE evaluation_mistakes ADD COLUMN mended_place INTEGER;',
};

export const confusionTables: Migration = {
  name: 'evaluation_confusions',
  sql: `
-- Cells of the confusion matrix that an image counts in; an empty class is the background.
CREATE TABLE evaluation_confusions (
  evaluation_id TEXT NOT NULL, ordinal INTEGER NOT NULL, truth TEXT NOT NULL, found TEXT NOT NULL,
  objects INTEGER NOT NULL,
  PRIMARY KEY (evaluation_id, ordinal, truth, found),
  FOREIGN KEY (evaluation_id, ordinal) REFERENCES evaluation_images ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
`,
};

/** Which of these rows point at a blob. Images that were judged may go: then none is drawn. */
export const evaluationBlobs: readonly string[] = [
  'SELECT 1 FROM evaluations WHERE predictions_hash = ?',
];

export function evaluationStore(
  database: AsyncDatabase,
  index: ImageIndex,
  queue: TaskQueue,
): EvaluationStore {
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
        for (const image of images) addImage(database, id, image);
      }),
    finish: async (id, figures, fenced) => {
      const sql = 'UPDATE evaluations SET figures = ? WHERE id = ?';
      await fenced(() => database.run(sql, [figures, id]));
    },
    remove: async (id) => {
      await database.run('DELETE FROM evaluations WHERE id = ?', [id]);
    },
    ofImage: (projectId, { imageId, hash }, id) =>
      database.get(
        `SELECT evaluations.*, image.boxes FROM evaluation_images AS image
         JOIN evaluations ON evaluations.id = image.evaluation_id
         WHERE image.image_id = ? AND image.hash = ? AND project_id = ? AND figures IS NOT NULL
           ${id === undefined ? '' : 'AND id = ?'}
         ORDER BY created DESC, id DESC LIMIT 1`,
        [imageId, hash, projectId, ...(id === undefined ? [] : [id])],
        (row) => ({ evaluation: readEvaluation(row), boxes: row.text('boxes') }),
      ),
    results: (id, wanted) => readResults(database, id, wanted),
    countTrained: (id, versionId) => countTrained(database, id, versionId),
    imagesApart: (ids) => countImagesApart(database, ids),
    changes: (ids, page) => readChanges(database, ids, page),
    mistakes: (id, wanted) => readMistakes(database, id, wanted),
    mend: (image, mend, now) =>
      database.transaction(() => mendImage(database, index, image, mend, now)),
  };
}

function addImage(
  database: AsyncDatabase,
  id: string,
  { ordinal, name, hash, imageId, boxes, outcomes, confusions, mistakes }: JudgedImage,
): void {
  database.send(
    `INSERT INTO evaluation_images (evaluation_id, ordinal, name, hash, image_id, boxes)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [id, ordinal, name, hash, imageId ?? null, boxes],
  );
  for (const { label, truePositives, falsePositives, misses } of outcomes) {
    database.send('INSERT INTO evaluation_outcomes VALUES (?, ?, ?, ?, ?, ?)', [
      ...[id, ordinal, label],
      ...[truePositives, falsePositives, misses],
    ]);
  }
  for (const { truth, found, count } of confusions) {
    database.send('INSERT INTO evaluation_confusions VALUES (?, ?, ?, ?, ?)', [
      ...[id, ordinal, truth],
      ...[found, count],
    ]);
  }
  for (const [place, mistake] of mistakes.entries()) {
    const { kind, score, label, found } = mistake;
    database.send(
      `INSERT INTO evaluation_mistakes
         (evaluation_id, ordinal, place, kind, score, label, found, boxes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [id, ordinal, place, kind, score, label, found, mistake.boxes],
    );
  }
}

/** Without a class, images in which nothing is and nothing was found are told as well. */
async function readResults(
  database: AsyncDatabase,
  id: string,
  { label, only, confused, limit, offset }: WantedResults,
): Promise<ResultsPage> {
  const joined = `FROM evaluation_images AS image
    ${label === undefined ? 'LEFT JOIN' : 'JOIN'} evaluation_outcomes AS outcome
      ON outcome.evaluation_id = image.evaluation_id AND outcome.ordinal = image.ordinal
    ${confused === undefined ? '' : inCell}
    WHERE image.evaluation_id = :id${label === undefined ? '' : ' AND label = :label'}
      ${only === undefined ? '' : `AND ${only} > 0`}`;
  const chosen = { id, ...(label !== undefined && { label }), ...confused };
  const total = await database.get(
    `SELECT count(DISTINCT image.ordinal) AS images ${joined}`,
    chosen,
    (row) => row.integer('images'),
  );
  const results = await database.all(
    `SELECT image.ordinal, name, hash, image_id, boxes,
       coalesce(sum(true_positives), 0) AS true_positives,
       coalesce(sum(false_positives), 0) AS false_positives, coalesce(sum(misses), 0) AS misses
     ${joined} GROUP BY image.ordinal, name, hash, image_id, boxes
     ORDER BY ${confused === undefined ? '' : 'max(cell.objects) DESC,'}
       ${only === undefined ? '' : `sum(${only}) DESC,`}
       coalesce(sum(false_positives), 0) + coalesce(sum(misses), 0) DESC, image.ordinal
     LIMIT :limit OFFSET :offset`,
    { ...chosen, limit, offset },
    (row) => ({
      ...readFoundImage(row),
      truePositives: row.integer('true_positives'),
      falsePositives: row.integer('false_positives'),
      misses: row.integer('misses'),
    }),
  );
  return { total: total ?? 0, results };
}

/** At most one row for each image. */
const inCell = `JOIN evaluation_confusions AS cell
  ON cell.evaluation_id = image.evaluation_id AND cell.ordinal = image.ordinal
    AND cell.truth = :truth AND cell.found = :found`;

async function countTrained(
  database: AsyncDatabase,
  id: string,
  versionId: string | undefined,
): Promise<number> {
  const trained =
    versionId === undefined
      ? `SELECT 1 FROM images WHERE images.id = judged.image_id AND images.split = 'train'`
      : `SELECT 1 FROM version_sources AS source WHERE source.version_id = :version
         AND source.image_id = judged.image_id AND source.split = 'train'`;
  const counted = await database.get(
    `SELECT count(*) AS images FROM evaluation_images AS judged
     WHERE evaluation_id = :id AND EXISTS (${trained})`,
    { id, ...(versionId !== undefined && { version: versionId }) },
    (row) => row.integer('images'),
  );
  return counted ?? 0;
}

/** Not without those that are of another class or kind, or less probable, than is wanted. */
async function readMistakes(
  database: AsyncDatabase,
  id: string,
  { label, kind, scoreMin, imageIds, limit, offset }: WantedMistakes,
): Promise<MistakesPage> {
  const chosen = {
    id,
    scoreMin,
    ...(label !== undefined && { label }),
    ...(kind !== undefined && { kind }),
    ...(imageIds && { imageIds: JSON.stringify(imageIds) }),
  };
  const meant = `evaluation_id = :id AND score >= :scoreMin
    ${label === undefined ? '' : 'AND (label = :label OR found = :label)'}
    ${kind === undefined ? '' : 'AND kind = :kind'}
    ${imageIds === undefined ? '' : `AND ordinal IN (${ordinalsOfImages})`}`;
  const ranked = `SELECT ordinal AS at, max(score) AS most FROM evaluation_mistakes
    WHERE ${meant} GROUP BY ordinal`;
  const total = await database.get(
    `SELECT count(*) AS images FROM (${ranked}) AS ranked`,
    chosen,
    (row) => row.integer('images'),
  );
  const kinds = await database.all(
    `SELECT kind, count(*) AS mistakes FROM evaluation_mistakes WHERE ${meant} GROUP BY kind`,
    chosen,
    (row) => [row.text('kind'), row.integer('mistakes')] as const,
  );
  const images = await database.all(
    `SELECT image.ordinal, name, hash, image_id, boxes FROM (${ranked}) AS ranked
     JOIN evaluation_images AS image ON image.evaluation_id = :id AND image.ordinal = at
     ORDER BY most DESC, at LIMIT :limit OFFSET :offset`,
    { ...chosen, limit, offset },
    readFoundImage,
  );
  const results: (FoundImage & { readonly mistakes: readonly KeptMistake[] })[] = [];
  for (const image of images) {
    const mistakes = await database.all(
      `SELECT * FROM evaluation_mistakes WHERE ${meant} AND ordinal = :ordinal ORDER BY place`,
      { ...chosen, ordinal: image.ordinal },
      readMistake,
    );
    results.push({ ...image, mistakes });
  }
  return { total: total ?? 0, kinds: Object.fromEntries(kinds), results };
}

const ordinalsOfImages = `SELECT chosen.ordinal FROM evaluation_images AS chosen
  WHERE chosen.evaluation_id = :id
    AND chosen.image_id IN (SELECT value FROM json_each(:imageIds))`;

function readMistake(row: Row): KeptMistake {
  return {
    kind: oneOf(labelMistakeKinds, row.text('kind')),
    score: row.real('score'),
    label: row.optionalText('label'),
    found: row.text('found'),
    boxes: row.text('boxes'),
    place: row.integer('place'),
    mendedPlace: row.optionalInteger('mended_place'),
    mendedRevision: row.optionalText('mended_revision'),
    mendedAt: row.optionalInteger('mended_at'),
  };
}

function readFoundImage(row: Row): FoundImage {
  return {
    ordinal: row.integer('ordinal'),
    name: row.text('name'),
    hash: row.text('hash'),
    imageId: row.optionalText('image_id'),
    boxes: row.text('boxes'),
  };
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
