// Searches by meaning on PostgreSQL: vectors are read in pages, and compared here. So no extension
// is needed, and the answers are those of SQLite.

import { invalidArgument } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import type { AsyncReader } from '../../../storage/async-database.ts';
import { NearestVectors } from '../../../vector-search/nearest-vectors.ts';
import { quantiseQuery } from '../../../vector-search/quantise.ts';
import { VectorBlock } from '../../../vector-search/vector-block.ts';
import type { RankedByMeaning } from '../../database/search-index/nearest-images.ts';
import type { NearestRequest } from '../../store/embeddings.ts';
import type { Condition } from './conditions.ts';

/**
 * Those of a set whose vectors are nearest, the nearest first. Throws `invalid_input` for a set of
 * more images than are read for one answer; `hits` of them are in it.
 */
export async function rankByMeaning(
  reader: AsyncReader,
  { sql, values }: Condition,
  hits: number,
  { model, vector }: Pick<NearestRequest, 'model' | 'vector'>,
): Promise<RankedByMeaning> {
  if (hits > limits.serverVectorsReadMax) throw tooMany(hits);
  const query = quantiseQuery(vector);
  const nearest = new NearestVectors(limits.similarityCandidatesMax);
  const block = new VectorBlock(vector.length, limits.serverVectorsPage);
  let compared = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    block.clear();
    after = await readPage(reader, { sql, values }, { model, after }, block);
    compared += block.count;
    block.compare(query, (ordinal, similarity) => nearest.offer(ordinal, similarity));
  }
  return { ranked: nearest.best, compared };
}

/** Gives the number of the last one; undefined: there are no more behind it. */
async function readPage(
  reader: AsyncReader,
  { sql, values }: Condition,
  { model, after }: { readonly model: number; readonly after: number },
  block: VectorBlock,
): Promise<number | undefined> {
  const rows = await reader.all(
    `SELECT s.ordinal, v.scale, v.vector FROM image_search s
     JOIN embedding_vectors v ON v.ordinal = s.ordinal AND v.model = ?
     WHERE ${sql} AND s.ordinal > ? ORDER BY s.ordinal LIMIT ?`,
    [model, ...values, after, limits.serverVectorsPage],
    (row) => ({
      ordinal: row.integer('ordinal'),
      scale: row.real('scale'),
      values: new Int8Array(row.bytes('vector')),
    }),
  );
  for (const { ordinal, scale, values } of rows) block.add(ordinal, { scale, values });
  return rows.length < limits.serverVectorsPage ? undefined : rows.at(-1)?.ordinal;
}

function tooMany(hits: number) {
  return invalidArgument(
    'query',
    `finds ${hits} images; on PostgreSQL at most ${limits.serverVectorsReadMax} are compared by meaning`,
    'Narrow it, for example by project:, split:, class: or tag:.',
  );
}
