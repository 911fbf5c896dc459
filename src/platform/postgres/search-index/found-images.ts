// Reads the rows of the images that a search found.

import type { AsyncReader } from '../../../storage/async-database.ts';
import { countInOneAnswer, readFoundImage } from '../../database/search-results.ts';
import type { FoundImage } from '../../store/search.ts';
import { numberList } from './list-text.ts';

/**
 * The images of these numbers, in their order: the first ones, where annotations are read too and
 * all of them would be more than one answer holds; one at least.
 */
export async function readFound(
  reader: AsyncReader,
  ordinals: readonly number[],
  withAnnotations: boolean,
): Promise<readonly FoundImage[]> {
  const wanted = withAnnotations ? await firstOnes(reader, ordinals) : ordinals;
  if (wanted.length === 0) return [];
  return reader.all(
    `SELECT s.ordinal, i.id, i.project_id, p.slug, i.name, i.hash, i.format, i.width, i.height,
       i.split, i.metadata, i.created, ${withAnnotations ? 'i.annotation' : 'NULL'} AS annotation,
       (SELECT coalesce(json_agg(tag ORDER BY tag), '[]') FROM image_tags WHERE image_id = i.id)
         AS tags,
       (SELECT coalesce(json_agg(label ORDER BY label), '[]') FROM image_labels
        WHERE image_id = i.id) AS labels
     FROM ${wantedRows} JOIN projects p ON p.id = i.project_id ORDER BY wanted.place`,
    [numberList(wanted)],
    readFoundImage,
  );
}

const wantedRows = `unnest(?::bigint[]) WITH ORDINALITY AS wanted (ordinal, place)
  JOIN image_search s ON s.ordinal = wanted.ordinal JOIN images i ON i.id = s.image_id`;

async function firstOnes(
  reader: AsyncReader,
  ordinals: readonly number[],
): Promise<readonly number[]> {
  const lengths = await reader.all(
    `SELECT coalesce(length(i.annotation), 0) AS n FROM ${wantedRows} ORDER BY wanted.place`,
    [numberList(ordinals)],
    (row) => row.integer('n'),
  );
  return ordinals.slice(0, countInOneAnswer(lengths));
}
