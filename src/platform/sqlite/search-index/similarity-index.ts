// The index of visual similarity: a descriptor per image, and hashes of many images per row.

import { type Descriptor, similarity } from '../../../imaging/similarity-descriptor.ts';
import { limits } from '../../../limits.ts';
import { term } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { Reader, Row } from '../../../storage/database.ts';
import { and, type Bitmap, chunkOf, countWord, ordinals, placeOf, size } from './bitmap.ts';
import { rangeOf, readTerm } from './term-bitmaps.ts';

const hashBytes = 8;

/** Adds the descriptor of a new image, within the caller's transaction. */
export async function addDescriptor(
  database: AsyncDatabase,
  ordinal: number,
  descriptor: Descriptor,
): Promise<void> {
  const { vector, hash } = descriptor;
  await database.run('INSERT INTO likeness_vectors (ordinal, vector) VALUES (?, ?)', [
    ordinal,
    new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
  ]);
  const chunk = Math.floor(ordinal / limits.similarityChunkImages);
  const stored = await database.get(
    'SELECT hashes FROM likeness_hashes WHERE chunk = ?',
    [chunk],
    (row) => row.bytes('hashes'),
  );
  const hashes = new Uint8Array(limits.similarityChunkImages * hashBytes);
  if (stored) hashes.set(stored);
  hashes.set(hash, (ordinal % limits.similarityChunkImages) * hashBytes);
  await database.run(
    `INSERT INTO likeness_hashes (chunk, hashes) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET hashes = excluded.hashes`,
    [chunk, hashes],
  );
}

/** Its hash stays: no query reads it, since its ordinal is not used again. */
export async function removeDescriptor(database: AsyncDatabase, ordinal: number): Promise<void> {
  await database.run('DELETE FROM likeness_vectors WHERE ordinal = ?', [ordinal]);
}

export async function readDescriptor(
  database: AsyncDatabase,
  imageId: string,
): Promise<Descriptor | undefined> {
  const found = await database.get(
    `SELECT v.ordinal, v.vector FROM likeness_vectors v
     JOIN image_ordinals o ON o.ordinal = v.ordinal WHERE o.image_id = ?`,
    [imageId],
    readNumbered,
  );
  return found && { vector: found.vector, hash: await readHash(database, found.ordinal) };
}

/** Of any image with these bytes. */
export async function findDescriptor(
  database: AsyncDatabase,
  hash: string,
): Promise<Descriptor | undefined> {
  const found = await database.get(
    `SELECT v.ordinal, v.vector FROM images i JOIN image_ordinals o ON o.image_id = i.id
     JOIN likeness_vectors v ON v.ordinal = o.ordinal WHERE i.hash = ? LIMIT 1`,
    [hash],
    readNumbered,
  );
  return found && { vector: found.vector, hash: await readHash(database, found.ordinal) };
}

function readNumbered(row: Row) {
  return { ordinal: row.integer('ordinal'), vector: readVector(row) };
}

async function readHash(database: AsyncDatabase, ordinal: number): Promise<Uint8Array> {
  const hashes = await database.get(
    'SELECT hashes FROM likeness_hashes WHERE chunk = ?',
    [Math.floor(ordinal / limits.similarityChunkImages)],
    (row) => row.bytes('hashes'),
  );
  const at = (ordinal % limits.similarityChunkImages) * hashBytes;
  return hashes?.slice(at, at + hashBytes) ?? new Uint8Array(hashBytes);
}

export interface Ranked {
  readonly ordinal: number;
  /** 1: the same to this descriptor. 0: nothing in common. */
  readonly similarity: number;
}

/**
 * Those of a set that look most like a picture, the most similar first: the nearest by their
 * hashes, put in order by their vectors. Images without a descriptor are left out.
 */
export function rankBySimilarity(
  database: Reader,
  within: Bitmap,
  { vector, hash }: Descriptor,
): readonly Ranked[] {
  const described = and(within, readTerm(database, term('is', 'described'), rangeOf(within)));
  const candidates =
    size(described) <= limits.similarityCandidatesMax
      ? [...ordinals(described, 'desc')]
      : nearestByHash(database, described, hash);
  return database
    .all(
      `SELECT ordinal, vector FROM likeness_vectors
       WHERE ordinal IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(candidates)],
      (row) => ({
        ordinal: row.integer('ordinal'),
        similarity: similarity(vector, readVector(row)),
      }),
    )
    .toSorted((a, b) => b.similarity - a.similarity || b.ordinal - a.ordinal);
}

/** All hashes of the set are compared; of equally near ones the newest count. */
function nearestByHash(database: Reader, described: Bitmap, hash: Uint8Array): readonly number[] {
  const { first, last } = rangeOf(described);
  const perChunk = limits.searchChunkImages / limits.similarityChunkImages;
  const byDistance: number[][] = Array.from({ length: hashBytes * 8 + 1 }, () => []);
  const [one = 0, two = 0] = new Int32Array(hash.slice().buffer);
  database.all(
    'SELECT chunk, hashes FROM likeness_hashes WHERE chunk BETWEEN ? AND ? ORDER BY chunk DESC',
    [first * perChunk, (last + 1) * perChunk - 1],
    (row) => {
      const start = row.integer('chunk') * limits.similarityChunkImages;
      const words = described.get(chunkOf(start));
      if (words === undefined) return;
      const hashes = new Int32Array(row.bytes('hashes').slice().buffer);
      const firstPlace = placeOf(start);
      for (let at = limits.similarityChunkImages - 1; at >= 0; at -= 1) {
        const place = firstPlace + at;
        if ((((words[place >>> 5] ?? 0) >>> (place & 31)) & 1) === 0) continue;
        const distance =
          countWord((hashes[at * 2] ?? 0) ^ one) + countWord((hashes[at * 2 + 1] ?? 0) ^ two);
        const near = byDistance[distance] ?? [];
        if (near.length < limits.similarityCandidatesMax) near.push(start + at);
      }
    },
  );
  return byDistance.flat().slice(0, limits.similarityCandidatesMax);
}

function readVector(row: Row): Int8Array {
  return new Int8Array(row.bytes('vector'));
}
