// Searches by meaning on SQLite: exact comparison of all vectors that a query finds.

import { FoveaError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import type { Reader, Row } from '../../../storage/database.ts';
import { type Near, NearestVectors } from '../../../vector-search/nearest-vectors.ts';
import { quantiseQuery } from '../../../vector-search/quantise.ts';
import { VectorBlock } from '../../../vector-search/vector-block.ts';
import type { NearestRequest } from '../../store/embeddings.ts';
import { type Bitmap, chunkOf, hasBit, ordinals, placeOf, size } from './bitmap.ts';

export interface RankedByMeaning {
  readonly ranked: readonly Near[];
  /** Those of the set that have a vector. */
  readonly compared: number;
}

/** Those of a set whose vectors are nearest, the nearest first. */
export function rankByMeaning(
  database: Reader,
  within: Bitmap,
  request: Pick<NearestRequest, 'model' | 'vector'>,
): RankedByMeaning {
  const block =
    size(within) <= limits.vectorsReadMax
      ? readSome(database, within, request)
      : readAll(database, size(within), request);
  const nearest = new NearestVectors(limits.similarityCandidatesMax);
  let compared = 0;
  const isWithin = membership(within);
  block.compare(quantiseQuery(request.vector), (ordinal, similarity) => {
    if (!isWithin(ordinal)) return;
    compared += 1;
    nearest.offer(ordinal, similarity);
  });
  return { ranked: nearest.best, compared };
}

/** Vectors come nearly in the order of their images: the chunk of the one before is kept. */
function membership(within: Bitmap): (ordinal: number) => boolean {
  let chunk = -1;
  let words: Uint32Array | undefined;
  return (ordinal) => {
    const wanted = chunkOf(ordinal);
    if (wanted !== chunk) {
      chunk = wanted;
      words = within.get(chunk);
    }
    return words !== undefined && hasBit(words, placeOf(ordinal));
  };
}

function readSome(
  database: Reader,
  within: Bitmap,
  { model, vector }: Pick<NearestRequest, 'model' | 'vector'>,
): VectorBlock {
  const block = new VectorBlock(vector.length, size(within));
  database.each(
    `SELECT v.ordinal, v.scale, v.vector FROM json_each(?) AS wanted
       CROSS JOIN embedding_vectors v ON v.ordinal = wanted.value AND v.model = ?`,
    [JSON.stringify([...ordinals(within, 'asc')]), model],
    (row) => addTo(block, row),
  );
  return block;
}

interface KeptVectors {
  readonly model: number;
  readonly block: VectorBlock;
  /** The number of the last row that is in it. */
  upTo: number;
}

/** Of the connections of this thread: they go with it, when nobody searches for a while. */
const kept = new WeakMap<Reader, KeptVectors>();

/**
 * Those of images that are gone stay in it: no query finds these. Throws `too_large` where all do
 * not fit into memory.
 */
function readAll(
  database: Reader,
  countLeast: number,
  { model, vector }: Pick<NearestRequest, 'model' | 'vector'>,
): VectorBlock {
  const known = kept.get(database);
  const all =
    known?.model === model
      ? known
      : { model, upTo: 0, block: new VectorBlock(vector.length, countLeast) };
  // A read that is given up in its middle leaves nothing in doubt.
  kept.delete(database);
  database.each(
    `SELECT number, ordinal, scale, vector FROM embedding_vectors
     WHERE number > ? AND model = ? ORDER BY number`,
    [all.upTo, model],
    (row) => {
      if (all.block.bytes > limits.vectorsKeptBytesMax) throw tooManyVectors();
      all.upTo = row.integer('number');
      return addTo(all.block, row);
    },
  );
  kept.set(database, all);
  return all.block;
}

function addTo(block: VectorBlock, row: Row): boolean {
  const values = new Int8Array(row.bytes('vector'));
  block.add(row.integer('ordinal'), { scale: row.real('scale'), values });
  return true;
}

function tooManyVectors(): FoveaError {
  const megabytes = limits.vectorsKeptBytesMax / 1024 ** 2;
  return new FoveaError('too_large', `All vectors take more than ${megabytes} MB of memory.`, {
    hint: `Narrow the query to at most ${limits.vectorsReadMax} images.`,
  });
}
