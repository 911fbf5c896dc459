// Images as an evaluation judged them, as a condition of searches (`evaluation:ID/misses/RBC`), and
// as their order: the worst first.

import type { JudgedCondition, WorstFirst } from '../../query-language/query-syntax-tree.ts';
import type { SqlValue } from '../../storage/database.ts';

interface Sql {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** A query for ids of images of the project. Those of earlier versions of Fovea are unknown. */
export function judgedImages(condition: JudgedCondition): Sql {
  const { evaluationId, only, pair } = condition;
  const images = `SELECT image.image_id FROM evaluation_images AS image
    WHERE image.evaluation_id = ? AND image.image_id IS NOT NULL`;
  if (only === undefined && pair === undefined) return { sql: images, values: [evaluationId] };
  const { table, sql, values } = rowsOf(condition);
  return {
    sql: `${images} AND EXISTS (SELECT 1 FROM evaluation_${table} AS one
      WHERE one.evaluation_id = image.evaluation_id AND one.ordinal = image.ordinal AND ${sql})`,
    values: [evaluationId, ...values],
  };
}

/**
 * A query for `image_id` and `place` of all images of the evaluation, from 1, in the order of its
 * panels; of several conditions an image has the best of its places, those without any are last.
 * It stays for good, so that pages follow each other. An image in pieces has the first one.
 */
export function judgedPlaces({ evaluationId, judged }: WorstFirst): Sql {
  const parts = judged.map(placesBy);
  const all = parts.map(({ sql }) => sql).join(' UNION ALL ');
  return {
    sql: `SELECT image_id, min(place) AS place FROM (
        SELECT image.image_id, row_number() OVER (
          ORDER BY coalesce(best.place, ${2 ** 31 - 1}), best.most DESC, image.ordinal) AS place
        FROM evaluation_images AS image LEFT JOIN (
          SELECT ordinal, min(place) AS place, max(most) AS most FROM (${all}) AS found
          GROUP BY ordinal
        ) AS best ON best.ordinal = image.ordinal
        WHERE image.evaluation_id = ?
      ) AS placed WHERE image_id IS NOT NULL GROUP BY image_id`,
    values: [...parts.flatMap(({ values }) => values), evaluationId],
  };
}

/** Of the images for which the condition holds, by the ordinals of the evaluation. */
function placesBy(condition: JudgedCondition): Sql {
  const { table, sql, values, most, more } = rowsOf(condition);
  return {
    sql: `SELECT ordinal, most,
        row_number() OVER (ORDER BY most DESC, more DESC, ordinal) AS place FROM (
        SELECT ordinal, ${most} AS most, ${more} AS more FROM evaluation_${table} AS one
        WHERE evaluation_id = ? AND ${sql} GROUP BY evaluation_id, ordinal) AS counted`,
    values: [condition.evaluationId, ...values],
  };
}

const errors = 'misses + false_positives';

const errorsOfImage = `(SELECT sum(${errors}) FROM evaluation_outcomes AS other
  WHERE other.evaluation_id = one.evaluation_id AND other.ordinal = one.ordinal)`;

interface Rows extends Sql {
  readonly table: 'outcomes' | 'confusions' | 'mistakes';
  /** What the rows of an image are placed by, and then those that are alike in it. */
  readonly most: string;
  readonly more: string;
}

/** The rows that a condition is about; without `only`, all errors. */
function rowsOf({ only, label, pair, scoreMin }: JudgedCondition): Rows {
  if (pair !== undefined) {
    const values = [pair.truth, pair.found];
    const order = { most: 'max(objects)', more: errorsOfImage };
    return { table: 'confusions', sql: 'truth = ? AND found = ?', values, ...order };
  }
  switch (only) {
    case undefined:
    case 'errors':
      return outcomes(errors, label);
    case 'misses':
    case 'false_positives':
      return outcomes(only, label);
    default: {
      const isKind = only !== 'mistakes';
      const parts = [
        'score >= ?',
        ...(isKind ? ['kind = ?'] : []),
        ...(label === undefined ? [] : ['(label = ? OR found = ?)']),
      ];
      return {
        table: 'mistakes',
        sql: parts.join(' AND '),
        values: [
          scoreMin ?? 0,
          ...(isKind ? [only] : []),
          ...(label === undefined ? [] : [label, label]),
        ],
        most: 'max(score)',
        more: '0',
      };
    }
  }
}

function outcomes(counted: string, label: string | undefined): Rows {
  const ofClass = label === undefined ? '' : ' AND label = ?';
  return {
    table: 'outcomes',
    sql: `${counted} > 0${ofClass}`,
    values: label === undefined ? [] : [label],
    most: `sum(${counted})`,
    more: `sum(${errors})`,
  };
}
