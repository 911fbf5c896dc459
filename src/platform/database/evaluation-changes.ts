// What changed between two evaluations, image by image.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { ChangesPage, ComparedEvaluations, ImagesApart } from '../store/evaluations.ts';

/** A version may show an image in many pieces: they are counted as one. */
const imagesOf = (which: 'before' | 'after') => `
  SELECT coalesce(image_id, name) AS image, min(name) AS name, min(image.image_id) AS image_id,
    min(image.ordinal) AS ordinal, count(DISTINCT image.ordinal) AS pieces,
    coalesce(sum(true_positives), 0) AS right_ones,
    coalesce(sum(false_positives), 0) AS false_ones, coalesce(sum(misses), 0) AS missed
  FROM evaluation_images AS image LEFT JOIN evaluation_outcomes AS outcome
    ON outcome.evaluation_id = image.evaluation_id AND outcome.ordinal = image.ordinal
  WHERE image.evaluation_id = :${which} GROUP BY coalesce(image_id, name)`;

export async function countImagesApart(
  database: AsyncDatabase,
  { before, after }: ComparedEvaluations,
): Promise<ImagesApart> {
  const known = (id: string) => `SELECT coalesce(image_id, name) AS image, count(*) AS pieces
    FROM evaluation_images WHERE evaluation_id = ${id} GROUP BY coalesce(image_id, name)`;
  const counted = await database.get(
    `SELECT
       (SELECT count(*) FROM (${known(':before')} EXCEPT ${known(':after')}) AS one) AS before_alone,
       (SELECT count(*) FROM (${known(':after')} EXCEPT ${known(':before')}) AS two) AS after_alone,
       (SELECT count(*) FROM (${known(':before')} INTERSECT ${known(':after')}) AS three) AS in_both`,
    { before, after },
    (row) => ({
      before: row.integer('before_alone'),
      after: row.integer('after_alone'),
      both: row.integer('in_both'),
    }),
  );
  return counted ?? { before: 0, after: 0, both: 0 };
}

/** Those with the largest change of errors first. */
export async function readChanges(
  database: AsyncDatabase,
  ids: ComparedEvaluations,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<ChangesPage> {
  const joined = `FROM (${imagesOf('before')}) AS one JOIN (${imagesOf('after')}) AS other
    ON other.image = one.image`;
  const change = '(other.false_ones + other.missed) - (one.false_ones + one.missed)';
  const { before, after } = ids;
  const counts = await database.get(
    `SELECT coalesce(sum(CASE WHEN ${change} < 0 THEN 1 ELSE 0 END), 0) AS better,
       coalesce(sum(CASE WHEN ${change} > 0 THEN 1 ELSE 0 END), 0) AS worse ${joined}`,
    { before, after },
    (row) => ({ better: row.integer('better'), worse: row.integer('worse') }),
  );
  const { better = 0, worse = 0 } = counts ?? {};
  const changed = await database.all(
    `SELECT one.name, one.image_id, one.right_ones, one.false_ones, one.missed,
       other.right_ones AS right_after, other.false_ones AS false_after,
       other.missed AS missed_after
     ${joined} WHERE ${change} <> 0 ORDER BY abs(${change}) DESC, one.ordinal
     LIMIT :limit OFFSET :offset`,
    { before, after, limit, offset },
    readChange,
  );
  return { total: better + worse, better, worse, changed };
}

function readChange(row: Row) {
  const imageId = row.optionalText('image_id');
  return {
    image: row.text('name'),
    ...(imageId !== undefined && { imageId }),
    before: {
      truePositives: row.integer('right_ones'),
      falsePositives: row.integer('false_ones'),
      misses: row.integer('missed'),
    },
    after: {
      truePositives: row.integer('right_after'),
      falsePositives: row.integer('false_after'),
      misses: row.integer('missed_after'),
    },
  };
}
