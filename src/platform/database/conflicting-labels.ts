// Near-duplicates that are labelled in different ways: of some, somebody was wrong.

import { labelsAgree } from '../../annotations/pictures-labelled-alike.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { NearDuplicates } from '../store/projects.ts';
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
    const labelled = await database.all(
      `SELECT width, height, annotation FROM images
       WHERE id IN (SELECT value FROM json_each(?)) AND annotation IS NOT NULL
       ORDER BY created, id`,
      [JSON.stringify(group.map(({ id }) => id))],
      (row) => {
        const annotation = readAnnotation(row);
        const size = { width: row.integer('width'), height: row.integer('height') };
        return annotation && { ...size, annotation };
      },
    );
    const [first, ...others] = labelled.filter((one) => one !== undefined);
    if (first !== undefined && !others.every((other) => labelsAgree(first, other))) {
      conflicts.push(group);
    }
  }
  return conflicts;
}
