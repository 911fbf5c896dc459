// The index of visual similarity: a descriptor per image, and hashes of many images per row.

import { type Descriptor, similarity } from '../../../imaging/similarity-descriptor.ts';
import { limits } from '../../../limits.ts';
import { term } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase, AsyncReader } from '../../../storage/async-database.ts';
import type { Reader, Row } from '../../../storage/database.ts';
import { and, type Bitmap, chunkOf, countWord, hasBit, ordinals, placeOf, size } from './bitmap.ts';
import { rangeOf, readTerm } from './term-bitmaps.ts';

const hashBytes = 8;
const vectorBytes = 64;

/** Adds descriptors of images that have none, within the caller's transaction. */
export async function addDescriptors(
  database: AsyncDatabase,
  descriptors: ReadonlyMap<number, Descriptor>,
): Promise<void> {
  if (descriptors.size === 0) return;
  const vectors = [...descriptors.values()].map(({ vector }) => vector);
  await database.run(
    `INSERT INTO likeness_vectors (ordinal, vector, sharpness)
     SELECT value ->> 0, substr(?, key * ${vectorBytes} + 1, ${vectorBytes}), value ->> 1
     FROM json_each(?)`,
    [
      Buffer.concat(vectors.map((one) => new Uint8Array(one.buffer, one.byteOffset, vectorBytes))),
      JSON.stringify([...descriptors].map(([ordinal, { sharpness }]) => [ordinal, sharpness])),
    ],
  );
  const chunks = Map.groupBy(descriptors, ([ordinal]) =>
    Math.floor(ordinal / limits.similarityChunkImages),
  );
  for (const [chunk, some] of chunks) await addHashes(database, chunk, some);
}

async function addHashes(
  database: AsyncDatabase,
  chunk: number,
  descriptors: readonly (readonly [ordinal: number, Descriptor])[],
): Promise<void> {
  const stored = await database.get(
    'SELECT hashes FROM likeness_hashes WHERE chunk = ?',
    [chunk],
    (row) => row.bytes('hashes'),
  );
  const hashes = new Uint8Array(limits.similarityChunkImages * hashBytes);
  if (stored) hashes.set(stored);
  for (const [ordinal, { hash }] of descriptors) {
    hashes.set(hash, (ordinal % limits.similarityChunkImages) * hashBytes);
  }
  await database.run(
    `INSERT INTO likeness_hashes (chunk, hashes) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET hashes = excluded.hashes`,
    [chunk, hashes],
  );
}

/** Their hashes stay: no query reads them, since their ordinals are not used again. */
export async function removeDescriptors(
  database: AsyncDatabase,
  ordinals: readonly number[],
): Promise<void> {
  if (ordinals.length === 0) return;
  await database.run(
    'DELETE FROM likeness_vectors WHERE ordinal IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ordinals)],
  );
}

export async function readDescriptor(
  database: AsyncDatabase,
  imageId: string,
): Promise<Descriptor | undefined> {
  return database.get(
    `SELECT ${descriptorColumns} FROM image_ordinals o
       JOIN likeness_vectors v ON v.ordinal = o.ordinal
       JOIN likeness_hashes h ON ${ofChunk}
     WHERE o.image_id = ?`,
    [imageId],
    readDescriptorRow,
  );
}

export async function descriptorsFrom(
  reader: AsyncReader,
  first: number,
  last: number,
): Promise<ReadonlyMap<number, Descriptor>> {
  return new Map(
    await reader.all(
      `SELECT v.ordinal, ${descriptorColumns}
       FROM likeness_vectors v JOIN likeness_hashes h ON ${ofChunk}
       WHERE v.ordinal BETWEEN ? AND ?`,
      [first, last],
      (row): [number, Descriptor] => [row.integer('ordinal'), readDescriptorRow(row)],
    ),
  );
}

export async function findDescriptors(
  database: AsyncDatabase,
  imageIds: readonly string[],
): Promise<ReadonlyMap<string, Descriptor>> {
  if (imageIds.length === 0) return new Map();
  return new Map(
    await database.all(
      `SELECT image.id, ${descriptorColumns}
       FROM json_each(?) AS wanted
         CROSS JOIN images image ON image.id = wanted.value
         CROSS JOIN projects home ON home.id = image.project_id
         CROSS JOIN likeness_vectors v ON v.ordinal = (
           SELECT same.ordinal FROM images i JOIN image_ordinals o ON o.image_id = i.id
             JOIN likeness_vectors same ON same.ordinal = o.ordinal
             JOIN projects p ON p.id = i.project_id
           WHERE i.hash = image.hash AND p.workspace_id = home.workspace_id LIMIT 1)
         CROSS JOIN likeness_hashes h ON ${ofChunk}`,
      [JSON.stringify(imageIds)],
      (row): [string, Descriptor] => [row.text('id'), readDescriptorRow(row)],
    ),
  );
}

// Of `v`, a row of vectors, and `h`, a row of hashes. A bound number would be a real one: dividing
// by it would keep a fraction.
const perChunk = limits.similarityChunkImages;
const ofChunk = `h.chunk = v.ordinal / ${perChunk}`;
const descriptorColumns = `v.vector, v.sharpness,
  substr(h.hashes, v.ordinal % ${perChunk} * ${hashBytes} + 1, ${hashBytes}) AS hash`;

function readDescriptorRow(row: Row): Descriptor {
  const sharpness = row.optionalReal('sharpness');
  return { vector: readVector(row), hash: row.bytes('hash'), sharpness };
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
        if (!hasBit(words, place)) continue;
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
