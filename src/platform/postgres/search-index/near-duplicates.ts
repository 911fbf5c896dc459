// Images of a project that show the same picture.

import { limits } from '../../../limits.ts';
import type { AsyncReader } from '../../../storage/async-database.ts';
import { duplicatesAmong, readDescribed } from '../../sqlite/near-duplicates.ts';
import type { NearDuplicates } from '../../store/projects.ts';

/**
 * Compares their numbers. Of more images than are compared, those of valid and test come first, so
 * that leaks into them are found, then the oldest.
 */
export async function findNearDuplicates(
  reader: AsyncReader,
  projectId: string,
  imagesMax: number = limits.healthImagesComparedMax,
): Promise<NearDuplicates> {
  const described = await reader.all(
    `SELECT i.id, i.name, i.split, l.vector FROM image_search s
       JOIN images i ON i.id = s.image_id JOIN image_looks l ON l.ordinal = s.ordinal
     WHERE s.project_id = ? ORDER BY i.split = 'train', i.created, i.id LIMIT ?`,
    [projectId, imagesMax],
    readDescribed,
  );
  const sql = 'SELECT count(*) AS n FROM images WHERE project_id = ?';
  const images = await reader.get(sql, [projectId], (row) => row.integer('n'));
  return duplicatesAmong(described, images ?? 0);
}
