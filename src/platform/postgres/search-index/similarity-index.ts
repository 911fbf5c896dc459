// How images look, and which look most like a picture.

import { type Descriptor, similarity } from '../../../imaging/similarity-descriptor.ts';
import { limits } from '../../../limits.ts';
import type { AsyncDatabase, AsyncReader } from '../../../storage/async-database.ts';
import type { Row } from '../../../storage/database.ts';
import type { Condition } from './conditions.ts';

/** Adds descriptors of images that have none, by their numbers, in the caller's transaction. */
export async function addLooks(
  database: AsyncDatabase,
  descriptors: ReadonlyMap<number, Descriptor>,
): Promise<void> {
  if (descriptors.size === 0) return;
  const rows = [...descriptors].map(([ordinal, { vector, hash, sharpness }]) => ({
    ordinal,
    vector: `\\x${Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('hex')}`,
    hash: bitsOf(hash),
    sharpness,
  }));
  database.send(
    `INSERT INTO image_looks (ordinal, vector, hash, sharpness)
     SELECT * FROM json_to_recordset(?::json)
       AS r (ordinal bigint, vector bytea, hash bit(64), sharpness float8)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

export async function readLook(
  reader: AsyncReader,
  imageId: string,
): Promise<Descriptor | undefined> {
  return reader.get(
    `SELECT l.vector, l.hash, l.sharpness FROM image_ordinals o JOIN image_looks l ON l.ordinal = o.ordinal
     WHERE o.image_id = ?`,
    [imageId],
    readDescriptor,
  );
}

export async function readLooksFrom(
  reader: AsyncReader,
  first: number,
  last: number,
): Promise<ReadonlyMap<number, Descriptor>> {
  return new Map(
    await reader.all(
      'SELECT ordinal, vector, hash, sharpness FROM image_looks WHERE ordinal BETWEEN ? AND ?',
      [first, last],
      (row): [number, Descriptor] => [row.integer('ordinal'), readDescriptor(row)],
    ),
  );
}

/** As `findDescriptors` of the index. */
export async function findLooks(
  reader: AsyncReader,
  imageIds: readonly string[],
): Promise<ReadonlyMap<string, Descriptor>> {
  if (imageIds.length === 0) return new Map();
  return new Map(
    await reader.all(
      `SELECT image.id, l.vector, l.hash, l.sharpness
       FROM json_each(?) AS w JOIN images image ON image.id = w.value
       JOIN projects home ON home.id = image.project_id
       JOIN LATERAL (
         SELECT same.vector, same.hash, same.sharpness FROM images i JOIN projects p ON p.id = i.project_id
           JOIN image_ordinals o ON o.image_id = i.id
           JOIN image_looks same ON same.ordinal = o.ordinal
         WHERE i.hash = image.hash AND p.workspace_id = home.workspace_id LIMIT 1) AS l ON TRUE`,
      [JSON.stringify(imageIds)],
      (row) => [row.text('id'), readDescriptor(row)],
    ),
  );
}

function readDescriptor(row: Pick<Row, 'bytes' | 'text' | 'optionalReal'>): Descriptor {
  const sharpness = row.optionalReal('sharpness');
  return { vector: readVector(row), hash: bytesOf(row.text('hash')), sharpness };
}

function readVector(row: Pick<Row, 'bytes'>): Int8Array {
  return new Int8Array(row.bytes('vector'));
}

function bitsOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

function bytesOf(bits: string): Uint8Array {
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

export interface Ranked {
  readonly ordinal: number;
  readonly projectId: string;
  /** 1: the same to this descriptor. 0: nothing in common. */
  readonly similarity: number;
}

/**
 * Those of a set that look most like a picture, the most similar first: the nearest by their bits,
 * of equally near ones the newest, put in order by their numbers. Images of which it is not known
 * how they look are left out.
 */
export async function rankBySimilarity(
  reader: AsyncReader,
  { sql, values }: Condition,
  { vector, hash }: Descriptor,
): Promise<readonly Ranked[]> {
  const ranked = await reader.all(
    `SELECT s.ordinal, s.project_id, l.vector FROM image_search s
     JOIN image_looks l ON l.ordinal = s.ordinal
     WHERE ${sql} ORDER BY bit_count(l.hash # ?::bit(64)), s.ordinal DESC LIMIT ?`,
    [...values, bitsOf(hash), limits.similarityCandidatesMax],
    (row) => ({
      ordinal: row.integer('ordinal'),
      projectId: row.text('project_id'),
      similarity: similarity(vector, readVector(row)),
    }),
  );
  return ranked.toSorted((a, b) => b.similarity - a.similarity || b.ordinal - a.ordinal);
}
