// Updates the search index in the same transaction as the images.

import type { SplitName } from '../../../contract/fields.ts';
import type { Descriptor } from '../../../imaging/similarity-descriptor.ts';
import {
  fold,
  type IndexedImage,
  nameEnd,
  nameStart,
  term,
  termsOf,
} from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { Row } from '../../../storage/database.ts';
import { readMetadata, readTexts } from '../column-readers.ts';
import { keepInChunk } from './name-index.ts';
import { addDescriptor, findDescriptor, removeDescriptor } from './similarity-index.ts';
import { noteChange, type TermChanges, writeChanges } from './term-bitmaps.ts';

/**
 * Runs writes that change these images, new and removed ones too, and brings the index along. Who
 * writes images, labels, tags, metadata, batches or jobs of images calls it. `descriptor`: how the
 * one new image looks.
 */
export async function changingImages<Result>(
  database: AsyncDatabase,
  imageIds: readonly string[],
  writes: () => Promise<Result>,
  descriptor?: Descriptor,
): Promise<Result> {
  return database.transaction(async () => {
    const ids = [...new Set(imageIds)];
    const before = new Map<string, Entry | undefined>();
    for (const id of ids) before.set(id, await readEntry(database, id));
    const result = await writes();
    const changes: TermChanges = new Map();
    for (const id of ids) {
      const after = await readEntry(database, id);
      await indexImage(database, id, before.get(id), after, changes, descriptor);
    }
    await writeChanges(database, changes);
    return result;
  });
}

/** The same for splits alone, without a look at all that the index has of these images. */
export async function movingSplits<Result>(
  database: AsyncDatabase,
  moves: readonly { readonly imageId: string; readonly to: SplitName }[],
  writes: () => Promise<Result>,
): Promise<Result> {
  return database.transaction(async () => {
    const ids = JSON.stringify(moves.map(({ imageId }) => imageId));
    const before = await readSplits(database, ids);
    const result = await writes();
    const changes: TermChanges = new Map();
    for (const [ordinal, split] of await readSplits(database, ids)) {
      const old = before.get(ordinal);
      if (old === undefined || old === split) continue;
      noteChange(changes, term('split', old), ordinal, false);
      noteChange(changes, term('split', split), ordinal, true);
    }
    await writeChanges(database, changes);
    return result;
  });
}

/** Brings images into the index that came before there was one. */
export async function indexImages(
  database: AsyncDatabase,
  imageIds: readonly string[],
): Promise<void> {
  await changingImages(database, imageIds, async () => {});
}

/** Keeps how an image looks, where it is not known yet. */
export async function describeImage(
  database: AsyncDatabase,
  imageId: string,
  descriptor: Descriptor,
): Promise<void> {
  await changingImages(database, [imageId], async () => {}, descriptor);
}

/** An image with what the index may have of it. */
interface Entry {
  readonly ordinal: number | undefined;
  readonly isIndexed: boolean;
  readonly image: IndexedImage & { readonly hash: string };
}

async function indexImage(
  database: AsyncDatabase,
  imageId: string,
  before: Entry | undefined,
  after: Entry | undefined,
  changes: TermChanges,
  descriptor: Descriptor | undefined,
): Promise<void> {
  const ordinal = after
    ? (after.ordinal ?? (await addOrdinal(database, imageId)))
    : before?.ordinal;
  if (ordinal === undefined) return;
  const image = after && {
    ...after.image,
    isDescribed: await describe(database, ordinal, after, descriptor),
  };
  const had = before?.isIndexed ? termsOf(before.image) : new Set<string>();
  const has = image ? termsOf(image) : new Set<string>();
  for (const name of had) if (!has.has(name)) noteChange(changes, name, ordinal, false);
  for (const name of has) if (!had.has(name)) noteChange(changes, name, ordinal, true);
  if (image === undefined) await removeDescriptor(database, ordinal);
  await keepName(database, ordinal, image?.name);
  if (after && !after.isIndexed) {
    await database.run('UPDATE image_ordinals SET indexed = 1 WHERE ordinal = ?', [ordinal]);
  }
}

/** The same file elsewhere, for example in what a project was forked from, looks the same. */
async function describe(
  database: AsyncDatabase,
  ordinal: number,
  { image, isIndexed }: Entry,
  given: Descriptor | undefined,
): Promise<boolean> {
  if (image.isDescribed) return true;
  const descriptor = given ?? (isIndexed ? undefined : await findDescriptor(database, image.hash));
  if (descriptor) await addDescriptor(database, ordinal, descriptor);
  return descriptor !== undefined;
}

async function addOrdinal(database: AsyncDatabase, imageId: string): Promise<number | undefined> {
  await database.run('INSERT INTO image_ordinals (image_id, indexed) VALUES (?, 1)', [imageId]);
  const sql = 'SELECT ordinal FROM image_ordinals WHERE image_id = ?';
  return database.get(sql, [imageId], (row) => row.integer('ordinal'));
}

async function keepName(
  database: AsyncDatabase,
  ordinal: number,
  name: string | undefined,
): Promise<void> {
  const folded = name === undefined ? undefined : fold(name);
  const sql = 'SELECT name FROM search_names WHERE ordinal = ?';
  const kept = await database.get(sql, [ordinal], (row) => row.text('name'));
  if (kept === folded) return;
  await keepInChunk(database, ordinal, folded);
  if (kept !== undefined) {
    await database.run('DELETE FROM search_names WHERE ordinal = ?', [ordinal]);
    await database.run('DELETE FROM search_trigrams WHERE rowid = ?', [ordinal]);
  }
  if (folded === undefined) return;
  await database.run('INSERT INTO search_names (ordinal, name) VALUES (?, ?)', [ordinal, folded]);
  await database.run('INSERT INTO search_trigrams (rowid, name) VALUES (?, ?)', [
    ordinal,
    `${nameStart}${folded}${nameEnd}`,
  ]);
}

async function readEntry(database: AsyncDatabase, imageId: string): Promise<Entry | undefined> {
  return database.get(
    `SELECT o.ordinal, coalesce(o.indexed, 0) AS indexed, i.project_id, i.batch_id, i.name, i.hash, i.split,
       i.width, i.height, i.objects, i.predicted, i.metadata,
       (SELECT json_group_array(tag) FROM image_tags WHERE image_id = i.id) AS tags,
       (SELECT json_group_array(label) FROM
         (SELECT label FROM image_labels WHERE image_id = i.id ORDER BY label)) AS labels,
       (SELECT json_group_array(n) FROM
         (SELECT n FROM image_labels WHERE image_id = i.id ORDER BY label)) AS label_counts,
       (SELECT json_group_array(job_id) FROM annotation_job_images WHERE image_id = i.id) AS jobs,
       EXISTS (SELECT 1 FROM likeness_vectors WHERE ordinal = o.ordinal) AS described
     FROM images i LEFT JOIN image_ordinals o ON o.image_id = i.id WHERE i.id = ?`,
    [imageId],
    readEntryRow,
  );
}

function readEntryRow(row: Row): Entry {
  const counts = row.json('label_counts');
  const countAt = (at: number) => (Array.isArray(counts) ? Number(counts[at]) : 0);
  return {
    ordinal: row.optionalInteger('ordinal'),
    isIndexed: row.boolean('indexed'),
    image: {
      projectId: row.text('project_id'),
      batchId: row.text('batch_id'),
      name: row.text('name'),
      hash: row.text('hash'),
      split: row.text('split'),
      width: row.integer('width'),
      height: row.integer('height'),
      objects: row.optionalInteger('objects'),
      isPredicted: row.boolean('predicted'),
      metadata: readMetadata(row),
      tags: readTexts(row, 'tags'),
      labels: readTexts(row, 'labels').map((label, at) => ({ label, count: countAt(at) })),
      jobIds: readTexts(row, 'jobs'),
      isDescribed: row.boolean('described'),
    },
  };
}

/** Ordinal to split, of those images that are in the index. */
async function readSplits(
  database: AsyncDatabase,
  imageIds: string,
): Promise<ReadonlyMap<number, string>> {
  return new Map(
    await database.all(
      `SELECT o.ordinal, i.split FROM json_each(?) AS wanted
       JOIN image_ordinals o ON o.image_id = wanted.value AND o.indexed = 1
       JOIN images i ON i.id = o.image_id`,
      [imageIds],
      (row): [number, string] => [row.integer('ordinal'), row.text('split')],
    ),
  );
}
