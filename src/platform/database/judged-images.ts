// Images as an evaluation judged them, as a condition of searches: `evaluation:ID/misses/RBC`.

import type { JudgedCondition } from '../../query-language/query-syntax-tree.ts';
import type { SqlValue } from '../../storage/database.ts';

/** A query for the ids of images of the project. Those of earlier versions of Fovea are unknown. */
export function judgedImages(condition: JudgedCondition): {
  readonly sql: string;
  readonly values: readonly SqlValue[];
} {
  const { evaluationId } = condition;
  const { sql, values } = conditionOf(condition);
  return {
    sql: `SELECT image.image_id FROM evaluation_images AS image
      WHERE image.evaluation_id = ? AND image.image_id IS NOT NULL${sql}`,
    values: [evaluationId, ...values],
  };
}

function conditionOf({ only, label, pair, scoreMin }: JudgedCondition) {
  if (pair !== undefined) {
    const { truth, found } = pair;
    return { sql: within('confusions', 'truth = ? AND found = ?'), values: [truth, found] };
  }
  switch (only) {
    case undefined:
      return { sql: '', values: [] };
    case 'errors':
      return outcomes('misses + false_positives', label);
    case 'misses':
      return outcomes('misses', label);
    case 'false_positives':
      return outcomes('false_positives', label);
    default: {
      const parts = [
        ...(only === 'mistakes' ? [] : ['kind = ?']),
        ...(label === undefined ? [] : ['(label = ? OR found = ?)']),
      ];
      return {
        sql: within('mistakes', ['score >= ?', ...parts].join(' AND ')),
        values: [
          scoreMin ?? 0,
          ...(only === 'mistakes' ? [] : [only]),
          ...(label === undefined ? [] : [label, label]),
        ],
      };
    }
  }
}

function outcomes(counted: string, label: string | undefined) {
  const ofClass = label === undefined ? '' : ' AND label = ?';
  return {
    sql: within('outcomes', `${counted} > 0${ofClass}`),
    values: label === undefined ? [] : [label],
  };
}

function within(table: 'outcomes' | 'confusions' | 'mistakes', condition: string): string {
  return ` AND EXISTS (SELECT 1 FROM evaluation_${table} AS one
    WHERE one.evaluation_id = image.evaluation_id AND one.ordinal = image.ordinal
      AND ${condition})`;
}
