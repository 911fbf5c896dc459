// Images by their ordinals, which comparisons know them by.

import { limits } from '../../../limits.ts';
import type { AsyncReader } from '../../../storage/async-database.ts';
import type { PlacedImage } from '../../store/projects.ts';
import { readSplit } from '../column-readers.ts';

/** Those that are there. */
export async function readPlaced(
  database: AsyncReader,
  ordinals: readonly number[],
): Promise<ReadonlyMap<number, PlacedImage>> {
  const images = new Map<number, PlacedImage>();
  for (let from = 0; from < ordinals.length; from += limits.vectorRowsPage) {
    const rows = await database.all(
      `SELECT o.ordinal, i.id, i.name, i.split FROM image_ordinals o
       JOIN images i ON i.id = o.image_id
       WHERE o.ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
      [JSON.stringify(ordinals.slice(from, from + limits.vectorRowsPage))],
      (row) => ({
        ordinal: row.integer('ordinal'),
        image: { id: row.text('id'), name: row.text('name'), split: readSplit(row) },
      }),
    );
    for (const { ordinal, image } of rows) images.set(ordinal, image);
  }
  return images;
}
