// Near-duplicates that are labelled in different ways: of some, somebody was wrong.

import { labelsAgree } from '../../annotations/pictures-labelled-alike.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { NearDuplicates, PlacedImage } from '../store/projects.ts';
import { readAnnotation } from './column-readers.ts';

/**
 * The groups in which some image is labelled otherwise than the first that is labelled. Images
 * without annotation say nothing.
 */
export async function findConflicts(
  database: AsyncReader,
  groups: NearDuplicates['groups'],
): Promise<NearDuplicates['groups']> {
  const conflicts: NearDuplicates['groups'][number][] = [];
  for (const group of groups) {
    if (await areInConflict(database, group)) conflicts.push(group);
  }
  return conflicts;
}

/** In slices: of a large group, others do not wait for all of its annotations. */
async function areInConflict(database: AsyncReader, group: readonly PlacedImage[]) {
  let first: PictureLabels | undefined;
  for (let from = 0; from < group.length; from += limits.conflictRowsPage) {
    const ids = group.slice(from, from + limits.conflictRowsPage).map(({ id }) => id);
    const rows = await database.all(
      `SELECT width, height, annotation FROM images
       WHERE id IN (SELECT value FROM json_each(?)) AND annotation IS NOT NULL
       ORDER BY created, id`,
      [JSON.stringify(ids)],
      (row) => {
        const annotation = readAnnotation(row);
        const size = { width: row.integer('width'), height: row.integer('height') };
        return annotation && { ...size, annotation };
      },
    );
    for (const labels of rows.filter((row) => row !== undefined)) {
      first ??= labels;
      if (!labelsAgree(first, labels)) return true;
    }
  }
  return false;
}

type PictureLabels = Parameters<typeof labelsAgree>[0];
