// Mends of labels by the mistakes of an evaluation, and what is noted of each, by which it is known
// whether anybody saved labels of the image since.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { ImageMend, MendedImage } from '../store/evaluations.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { Annotated } from '../store/images.ts';
import { annotateInIndex } from './images.ts';

/** Who saves the same labels again makes no other revision: the time tells it. */
export const mendNoteColumns: Migration = {
  name: 'mend_notes',
  sql: `
ALTER TABLE evaluation_mistakes ADD COLUMN mended_revision TEXT;
ALTER TABLE evaluation_mistakes ADD COLUMN mended_at INTEGER;
ALTER TABLE evaluation_mistakes ADD COLUMN annotated_before INTEGER;
`,
};

/** In the transaction of the caller: the labels, and the notes of all mends that they keep. */
export async function mendImage(
  database: AsyncDatabase,
  index: ImageIndex,
  image: MendedImage,
  { annotation, replaces, marks }: ImageMend,
  now: number,
): Promise<Annotated> {
  const { evaluationId, ordinal } = image;
  const at = [evaluationId, ordinal];
  if (annotation !== undefined) {
    const standing = await standingMends(database, image, replaces);
    const annotatedBefore = standing.at(0)?.annotatedBefore ?? image.annotatedAt;
    const back = new Set(marks.flatMap((one) => (one.mendedPlace === undefined ? one.place : [])));
    const isAllBack = standing.length > 0 && standing.every(({ place }) => back.has(place));
    // A change before these mends knows its labels by their time.
    const annotatedAt = isAllBack ? (annotatedBefore ?? now) : now;
    const { imageId, isPredicted } = image;
    const options = { overwrite: true, isPredicted, replaces, annotatedAt };
    const outcome = await annotateInIndex(database, index, imageId, annotation, options, now);
    if (outcome !== 'annotated') return outcome;
    const made = new Set(marks.map(({ place }) => place));
    for (const place of new Set([...standing.map((one) => one.place), ...made])) {
      await database.run(
        `UPDATE evaluation_mistakes SET mended_revision = ?, mended_at = ?, annotated_before = ?
         WHERE evaluation_id = ? AND ordinal = ? AND place = ?`,
        [revisionOf(annotation.json), annotatedAt, annotatedBefore, ...at, place],
      );
    }
  }
  for (const { place, mendedPlace } of marks) {
    await database.run(
      `UPDATE evaluation_mistakes SET mended_place = ?
       WHERE evaluation_id = ? AND ordinal = ? AND place = ?`,
      [mendedPlace, ...at, place],
    );
  }
  return 'annotated';
}

interface StandingMend {
  readonly place: number;
  /** When the labels were saved that the first of these mends changed. */
  readonly annotatedBefore: number | undefined;
}

/** Mends of an image after which nobody has saved labels. */
function standingMends(
  database: AsyncDatabase,
  { evaluationId, ordinal, annotatedAt }: MendedImage,
  revision: string,
): Promise<readonly StandingMend[]> {
  return database.all(
    `SELECT place, annotated_before FROM evaluation_mistakes
     WHERE evaluation_id = ? AND ordinal = ? AND mended_place IS NOT NULL
       AND mended_revision = ? AND mended_at = ?`,
    [evaluationId, ordinal, revision, annotatedAt],
    (row) => ({
      place: row.integer('place'),
      annotatedBefore: row.optionalInteger('annotated_before'),
    }),
  );
}
