// Copies the rows of all tables, and what the index of images has of them.

import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import { digestRows, lastKey, type RowDigest, readPages } from '../../storage/ordered-rows.ts';
import { readEntries } from '../database/search-index/image-entries.ts';
import type { ImageIndex, IndexChange } from '../store/image-index.ts';
import type { Source, Target } from './source-and-target.ts';
import type { MovedTable } from './tables.ts';

/** Told what is done, as often as something is. */
export type Progress = (stage: string, done: number) => void;

/**
 * Whether what an earlier move copied is no longer what the source has: datasets may have changed
 * meanwhile.
 */
export async function isStale(
  source: Source,
  target: Target,
  tables: readonly MovedTable[],
): Promise<boolean> {
  // The index has looked at tables that were there as a whole.
  const isWhole = (await countIndexed(target.database)) > 0;
  for (const table of tables) {
    const upTo = await lastKey(target.database, table);
    if (upTo === undefined && !isWhole) continue;
    const copied = await digestRows(target.database, table);
    const wanted = await digestRows(source.reader, table, isWhole ? {} : { upTo });
    if (copied.hash !== wanted.hash) return true;
  }
  return false;
}

/** Goes on behind the last row that is there. */
export async function copyRows(
  source: Source,
  target: Target,
  table: MovedTable,
  progress: Progress,
): Promise<void> {
  const after = await lastKey(target.database, table);
  let done = 0;
  for await (const page of readPages(source.reader, table, { after })) {
    await target.insert(table, page);
    done += page.length;
    progress(`Rows of ${table.name}`, done);
  }
}

export interface Comparison {
  readonly name: string;
  readonly source: RowDigest;
  readonly target: RowDigest;
}

export async function compareRows(
  source: Source,
  target: Target,
  table: MovedTable,
): Promise<Comparison> {
  return {
    name: table.name,
    source: await digestRows(source.reader, table),
    target: await digestRows(target.database, table),
  };
}

/** Makes the index of the target of its rows, and of what the source knows of how images look. */
export async function fillIndex(source: Source, target: Target, progress: Progress): Promise<void> {
  const { database } = target;
  let after = 0;
  for (let done = 0; ; ) {
    const open = await database.all(
      `SELECT ordinal, image_id FROM image_ordinals WHERE indexed = 0 AND ordinal > ?
       ORDER BY ordinal LIMIT ?`,
      [after, limits.moveIndexedMax],
      (row) => ({ ordinal: row.integer('ordinal'), imageId: row.text('image_id') }),
    );
    const [first, last] = [open[0], open.at(-1)];
    if (first === undefined || last === undefined) return;
    const looks = await source.index.descriptorsFrom(source.reader, first.ordinal, last.ordinal);
    await database.transaction(async () => {
      const entries = await readEntries(
        database,
        target.index,
        open.map(({ imageId }) => imageId),
      );
      const changes = open.flatMap(({ ordinal, imageId }): IndexChange[] => {
        const image = entries.get(imageId)?.image;
        const descriptor = looks.get(ordinal);
        if (image === undefined) return [];
        const after = { ...image, isDescribed: descriptor !== undefined };
        return [{ imageId, ordinal, before: undefined, after, descriptor }];
      });
      await target.index.update(database, changes);
      await database.run(
        'UPDATE image_ordinals SET indexed = 1 WHERE indexed = 0 AND ordinal BETWEEN ? AND ?',
        [first.ordinal, last.ordinal],
      );
    });
    after = last.ordinal;
    done += open.length;
    progress('Images in the search index', done);
  }
}

/** Images in the index, and those of which it is known how they look. */
export interface IndexCounts {
  readonly images: number;
  readonly looks: number;
}

export async function countIndex(reader: AsyncReader, index: ImageIndex): Promise<IndexCounts> {
  const looks = await reader.get(
    `SELECT count(*) AS n FROM ${index.vectors} AS v
     JOIN image_ordinals o ON o.ordinal = v.ordinal`,
    [],
    (row) => row.integer('n'),
  );
  return { images: await countIndexed(reader), looks: looks ?? 0 };
}

async function countIndexed(reader: AsyncReader): Promise<number> {
  const sql = 'SELECT count(*) AS n FROM image_ordinals WHERE indexed = 1';
  return (await reader.get(sql, [], (row) => row.integer('n'))) ?? 0;
}
