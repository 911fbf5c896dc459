// The vectors of a project's images, read page by page: nobody waits for all of them.

import type { SplitName } from '../../../contract/fields.ts';
import { limits } from '../../../limits.ts';
import type { AsyncReader } from '../../../storage/async-database.ts';
import type { ImageIndex } from '../../store/image-index.ts';
import { readSplit } from '../column-readers.ts';
import type { ImageVectors } from './comparison.ts';
import type { ProjectState } from './project-state.ts';

export interface ProjectVectors {
  /** Of the images, in the order of their vectors. */
  readonly ordinals: Float64Array;
  readonly splits: readonly SplitName[];
  readonly vectors: ImageVectors;
  /** Of the images in the same order; NaN: it is not known. */
  readonly sharpness: Float64Array;
  /** Whose vectors they are: a model's name, or `looks`. */
  readonly by: string;
}

/** By the model of the state, else by looks; the oldest first, at most `limits.imagesMappedMax`. */
export async function readVectors(
  database: AsyncReader,
  index: Pick<ImageIndex, 'vectors'>,
  projectId: string,
  { model }: ProjectState,
): Promise<ProjectVectors> {
  const wanted = { projectId, parts: [''], most: limits.imagesMappedMax };
  if (model === undefined) return ofLooks(await readPages(database, looksOf(index), wanted));
  const source = `(SELECT e.ordinal, e.vector, e.scale, look.sharpness FROM embedding_vectors e
    LEFT JOIN ${index.vectors} AS look ON look.ordinal = e.ordinal WHERE e.model = ${model.number})`;
  const { values, scales, ...rest } = await readPages(database, source, wanted);
  const { ordinals } = rest;
  const dimensions = ordinals.length === 0 ? 0 : values.length / ordinals.length;
  const vectors = { kind: 'embedded', vectors: { dimensions, values, scales } } as const;
  return { ...rest, vectors, by: model.name };
}

/** Those of valid and test first, then the oldest; at most `most`. */
export async function readLooks(
  database: AsyncReader,
  index: Pick<ImageIndex, 'vectors'>,
  projectId: string,
  most: number,
): Promise<ProjectVectors> {
  const parts = ["AND i.split <> 'train'", "AND i.split = 'train'"];
  return ofLooks(await readPages(database, looksOf(index), { projectId, parts, most }));
}

function looksOf({ vectors }: Pick<ImageIndex, 'vectors'>): string {
  return `(SELECT ordinal, vector, CAST(1 AS DOUBLE PRECISION) AS scale, sharpness
    FROM ${vectors} AS looks)`;
}

function ofLooks({ ordinals, splits, sharpness, values }: Vectors): ProjectVectors {
  const vectors = { kind: 'looks', coefficients: values } as const;
  return { ordinals, splits, sharpness, vectors, by: 'looks' };
}

interface Vectors extends Pick<ProjectVectors, 'ordinals' | 'splits' | 'sharpness'> {
  readonly values: Int8Array<ArrayBuffer>;
  readonly scales: Float32Array<ArrayBuffer>;
}

interface Wanted {
  readonly projectId: string;
  /** Conditions on the images, one part after the other. */
  readonly parts: readonly string[];
  readonly most: number;
}

/** `source`: SQL with the columns ordinal, vector, scale and sharpness. */
async function readPages(
  database: AsyncReader,
  source: string,
  { projectId, parts, most }: Wanted,
): Promise<Vectors> {
  const rows: Omit<PageRow, 'vector' | keyof After>[] = [];
  const pages: Int8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    let after: After | undefined = { created: -1, id: '' };
    while (after !== undefined && rows.length < most && bytes < limits.mappedVectorsBytesMax) {
      const count = Math.min(limits.vectorRowsPage, most - rows.length);
      const page: readonly PageRow[] = await database.all(
        `SELECT i.created, i.id, i.split, o.ordinal, v.scale, v.sharpness, v.vector
         FROM images i
         JOIN image_ordinals o ON o.image_id = i.id JOIN ${source} AS v ON v.ordinal = o.ordinal
         WHERE i.project_id = ? AND (i.created, i.id) > (?, ?) ${part}
         ORDER BY i.created, i.id LIMIT ?`,
        [projectId, after.created, after.id, count],
        (row) => ({
          created: row.integer('created'),
          id: row.text('id'),
          ordinal: row.integer('ordinal'),
          split: readSplit(row),
          scale: row.real('scale'),
          sharpness: row.optionalReal('sharpness') ?? Number.NaN,
          vector: new Int8Array(row.bytes('vector')),
        }),
      );
      for (const { ordinal, split, scale, sharpness } of page)
        rows.push({ ordinal, split, scale, sharpness });
      const joined = join(page.map(({ vector }) => vector));
      pages.push(joined);
      bytes += joined.length;
      after = page.length < count ? undefined : page.at(-1);
    }
  }
  return {
    ordinals: Float64Array.from(rows, ({ ordinal }) => ordinal),
    splits: rows.map(({ split }) => split),
    values: join(pages),
    scales: Float32Array.from(rows, ({ scale }) => scale),
    sharpness: Float64Array.from(rows, ({ sharpness }) => sharpness),
  };
}

interface After {
  readonly created: number;
  readonly id: string;
}

interface PageRow extends After {
  readonly ordinal: number;
  readonly split: SplitName;
  readonly scale: number;
  readonly sharpness: number;
  readonly vector: Int8Array;
}

function join(parts: readonly Int8Array[]): Int8Array<ArrayBuffer> {
  const joined = new Int8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined;
}
