// Images of a project that show the same picture.

import { groupNearDuplicates } from '../../imaging/near-duplicates/group-near-duplicates.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { NearDuplicates } from '../store/projects.ts';
import { readSplit } from './column-readers.ts';

/**
 * Compares the descriptors that the index has. Of more images than are compared, those of
 * valid and test come first, so that leaks into them are found, then the oldest.
 */
export async function findNearDuplicates(
  database: AsyncReader,
  { vectors }: Pick<ImageIndex, 'vectors'>,
  projectId: string,
  imagesMax: number = limits.healthImagesComparedMax,
): Promise<NearDuplicates> {
  const described = await database.all(
    `SELECT i.id, i.name, i.split, v.vector FROM images i
     JOIN image_ordinals o ON o.image_id = i.id JOIN ${vectors} AS v ON v.ordinal = o.ordinal
     WHERE i.project_id = ? ORDER BY i.split = 'train', i.created, i.id LIMIT ?`,
    [projectId, imagesMax],
    (row) => ({
      image: { id: row.text('id'), name: row.text('name'), split: readSplit(row) },
      vector: new Int8Array(row.bytes('vector')),
    }),
  );
  const sql = 'SELECT count(*) AS n FROM images WHERE project_id = ?';
  const images = await database.get(sql, [projectId], (row) => row.integer('n'));
  const found = await groupNearDuplicates(described.map(({ vector }) => vector));
  const toImages = (group: readonly number[]) => group.flatMap((at) => described[at]?.image ?? []);
  const groups = found.groups.map(toImages);
  const { plain } = found;
  return {
    groups,
    copies: found.copies.map(toImages),
    leaks: groups.filter((group) => group.some(({ split }) => split !== group[0]?.split)),
    compared: described.length - plain,
    plain,
    isComplete: described.length === images,
  };
}
