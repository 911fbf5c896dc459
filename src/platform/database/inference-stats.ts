// Statistics over the records of inferences.

import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { Row, SqlValue } from '../../storage/database.ts';
import type {
  InferenceStats,
  InferenceTotals,
  SeenClass,
  StatsWindow,
} from '../store/inference-stats.ts';

/** Undefined: the window has more records than are counted at once; so in readTotals. */
export async function readStats(
  database: AsyncReader,
  window: StatsWindow,
): Promise<InferenceStats | undefined> {
  const totals = await readTotals(database, window);
  if (totals === undefined) return undefined;
  return { totals, classes: totals.inferences === 0 ? [] : await readClasses(database, window) };
}

/** Records of a window; `:all` is 1 where no models were named. */
const inWindow = `workspace_id = :workspace AND created >= :from AND created < :to
  AND (:all = 1 OR model_name IN (SELECT value FROM json_each(:models)))`;

function valuesOf({ workspaceId, from, to, models }: StatsWindow): Record<string, SqlValue> {
  return {
    workspace: workspaceId,
    from,
    to,
    all: models === undefined,
    models: JSON.stringify(models ?? []),
  };
}

export async function readTotals(
  database: AsyncReader,
  window: StatsWindow,
): Promise<InferenceTotals | undefined> {
  const values = valuesOf(window);
  const most = limits.inferenceStatsRecordsMax;
  const count = `SELECT count(*) AS n FROM
    (SELECT 1 FROM inferences WHERE ${inWindow} LIMIT ${most + 1}) AS found`;
  const found = (await database.get(count, values, (row) => row.integer('n'))) ?? 0;
  if (found > most) return undefined;
  const totals = await database.get(
    `SELECT count(*) AS n, count(error) AS errors, avg(response_ms) AS ms,
       (SELECT avg(confidence) FROM inference_classes WHERE inference IN
         (SELECT ordinal FROM inferences WHERE ${inWindow})) AS confidence
     FROM inferences WHERE ${inWindow}`,
    values,
    (row) => ({
      inferences: row.integer('n'),
      errors: row.integer('errors'),
      confidence: row.optionalReal('confidence'),
      responseMs: row.optionalReal('ms'),
    }),
  );
  return totals ?? { inferences: 0, errors: 0, confidence: undefined, responseMs: undefined };
}

async function readClasses(
  database: AsyncReader,
  window: StatsWindow,
): Promise<readonly SeenClass[]> {
  const values = valuesOf(window);
  const models = new Map(
    await database.all(
      `SELECT model_name, count(*) AS n, avg(response_ms) AS ms,
         json_group_array(DISTINCT source) AS sources
       FROM inferences WHERE ${inWindow} GROUP BY model_name`,
      values,
      (row) => [row.text('model_name'), readModel(row)],
    ),
  );
  const groups = await database.all(
    `SELECT model_name, class, CAST(round(confidence * ${steps}) AS INTEGER) AS step,
       count(*) AS n, sum(confidence) AS sum
     FROM inferences JOIN inference_classes ON inference = ordinal WHERE ${inWindow}
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
    values,
    (row) => ({
      modelName: row.text('model_name'),
      class: row.text('class'),
      confidence: row.integer('step') / steps,
      count: row.integer('n'),
      sum: row.real('sum'),
    }),
  );
  const classes = [
    ...Map.groupBy(groups, (group) => `${group.modelName}\0${group.class}`).values(),
  ];
  return classes
    .map((ofClass) => describeClass(ofClass, models))
    .sort((one, other) => other.count - one.count)
    .slice(0, limits.inferenceStatsRowsMax);
}

/** Medians are as exact as this: a sort of all that was seen would hold up everybody else. */
const steps = 10_000;

interface SeenGroup {
  readonly modelName: string;
  readonly class: string;
  readonly confidence: number;
  readonly count: number;
  readonly sum: number;
}

type SeenModel = Pick<SeenClass, 'modelInferences' | 'modelResponseMs' | 'sources'>;

/** `groups` are those of one class, by their confidence; there is one at least. */
function describeClass(
  groups: readonly SeenGroup[],
  models: ReadonlyMap<string, SeenModel>,
): SeenClass {
  const [{ modelName = '', class: name = '' } = {}] = groups;
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const sum = groups.reduce((total, group) => total + group.sum, 0);
  const nth = (place: number) => {
    let before = 0;
    const found = groups.find((group) => {
      before += group.count;
      return before >= place;
    });
    return found?.confidence ?? 0;
  };
  const median = (nth(Math.ceil(count / 2)) + nth(Math.floor(count / 2) + 1)) / 2;
  return {
    modelName,
    class: name,
    count,
    averageConfidence: sum / count,
    medianConfidence: median,
    ...(models.get(modelName) ?? noModel),
  };
}

const noModel = { modelInferences: 0, modelResponseMs: undefined, sources: [] };

function readModel(row: Row) {
  const sources = row.json('sources');
  return {
    modelInferences: row.integer('n'),
    modelResponseMs: row.optionalReal('ms'),
    sources: Array.isArray(sources) ? sources.map(String).sort() : [],
  };
}
