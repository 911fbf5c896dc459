// Updates the search index in the same transaction as the images.

import type { SplitName } from '../../../contract/fields.ts';
import type { Descriptor } from '../../../imaging/similarity-descriptor.ts';
import { term } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import type { ImageIndex, IndexChange, TermChange } from '../../store/image-index.ts';
import { type Entry, readEntries } from './image-entries.ts';
import { addUndescribed } from './undescribed-images.ts';

/** How images look, by their ids. */
export type Descriptors = ReadonlyMap<string, Descriptor>;

export interface ChangedImages {
  /** How images look of which it may not be known yet. */
  readonly descriptors?: Descriptors;
  /** Those that were not there before. */
  readonly added?: ReadonlySet<string>;
  /** Whether the writes send all their statements before they first wait; they add images alone. */
  readonly areSentAtOnce?: boolean;
}

/**
 * Runs writes that change these images, new and removed ones too, and brings the index along. Who
 * writes images, labels, tags, metadata, batches or jobs of images calls it. New images get their
 * numbers in the order of `imageIds`.
 */
export async function changingImages<Result>(
  database: AsyncDatabase,
  index: ImageIndex,
  imageIds: readonly string[],
  writes: () => Promise<Result>,
  changed: ChangedImages = {},
): Promise<Result> {
  return database.transaction(() => changeWithin(database, index, imageIds, writes, changed));
}

/** The same in the transaction of the caller. */
export async function changeWithin<Result>(
  database: AsyncDatabase,
  index: ImageIndex,
  imageIds: readonly string[],
  writes: () => Promise<Result>,
  { descriptors = new Map(), added = new Set(), areSentAtOnce = false }: ChangedImages = {},
): Promise<Result> {
  const ids = [...new Set(imageIds)];
  const known = ids.filter((id) => !added.has(id));
  const fresh = ids.filter((id) => added.has(id));
  const readAfter = async () => {
    numberImages(database, fresh);
    return Promise.all([
      readEntries(database, index, ids),
      index.findDescriptors(
        database,
        fresh.filter((id) => !descriptors.has(id)),
      ),
    ]);
  };
  // Statements run in the order of the calls, whoever waits for them.
  const [before, result, early] = await Promise.all([
    known.length === 0 ? none : readEntries(database, index, known),
    writes(),
    areSentAtOnce ? readAfter() : undefined,
  ]);
  const [after, looks] = early ?? (await readAfter());
  const given = new Map([...looks, ...descriptors]);
  await updateIndex(database, index, { before, after, given, added });
  return result;
}

/** New images get the next numbers; those that are not there, since their bytes are, get none. */
function numberImages(database: AsyncDatabase, imageIds: readonly string[]): void {
  if (imageIds.length === 0) return;
  database.send(
    `INSERT INTO image_ordinals (image_id, indexed)
     SELECT i.id, 1 FROM json_each(?) AS wanted CROSS JOIN images i ON i.id = wanted.value
     ORDER BY wanted.key`,
    [JSON.stringify(imageIds)],
  );
}

/** The same for splits alone, without a look at all that the index has of these images. */
export async function movingSplits<Result>(
  database: AsyncDatabase,
  index: ImageIndex,
  moves: readonly { readonly imageId: string; readonly to: SplitName }[],
  writes: () => Promise<Result>,
): Promise<Result> {
  return database.transaction(async () => {
    const ids = JSON.stringify(moves.map(({ imageId }) => imageId));
    const before = await readSplits(database, ids);
    const result = await writes();
    const changes: TermChange[] = [];
    for (const [ordinal, split] of await readSplits(database, ids)) {
      const old = before.get(ordinal);
      if (old === undefined || old === split) continue;
      changes.push({ ordinal, term: term('split', old), isSet: false });
      changes.push({ ordinal, term: term('split', split), isSet: true });
    }
    await index.changeTerms(database, changes);
    return result;
  });
}

/** Brings images into the index that came before there was one. */
export async function indexImages(
  database: AsyncDatabase,
  index: ImageIndex,
  imageIds: readonly string[],
): Promise<void> {
  await database.transaction(async () => {
    const entries = await readEntries(database, index, imageIds);
    const given: Descriptors = new Map();
    await updateIndex(database, index, {
      before: entries,
      after: entries,
      given,
      added: new Set(),
    });
  });
}

/** Keeps how images look, or what is not known of it yet, without a look at all else of them. */
export async function describeImages(
  database: AsyncDatabase,
  index: ImageIndex,
  descriptors: Descriptors,
): Promise<void> {
  await database.transaction(async () => {
    const open = await database.all(
      `SELECT o.image_id, o.ordinal, o.indexed, v.ordinal IS NOT NULL AS is_described
       FROM json_each(?) AS wanted
         CROSS JOIN image_ordinals o ON o.image_id = wanted.value
         LEFT JOIN ${index.vectors} AS v ON v.ordinal = o.ordinal
       WHERE v.sharpness IS NULL`,
      [JSON.stringify([...descriptors.keys()])],
      (row) => ({
        descriptor: descriptors.get(row.text('image_id')),
        ordinal: row.integer('ordinal'),
        isIndexed: row.boolean('indexed'),
        isDescribed: row.boolean('is_described'),
      }),
    );
    const added = new Map<number, Descriptor>();
    const measured: { readonly ordinal: number; readonly sharpness: number }[] = [];
    const changes: TermChange[] = [];
    for (const { descriptor, ordinal, isIndexed, isDescribed } of open) {
      if (isDescribed) {
        const { sharpness } = descriptor ?? {};
        if (sharpness !== undefined) measured.push({ ordinal, sharpness });
        continue;
      }
      if (descriptor) added.set(ordinal, descriptor);
      if (isIndexed) changes.push({ ordinal, term: term('is', 'described'), isSet: true });
    }
    await index.addDescriptors(database, added);
    await addSharpness(database, index, measured);
    await index.changeTerms(database, changes);
  });
}

async function addSharpness(
  database: AsyncDatabase,
  { vectors }: ImageIndex,
  measured: readonly { readonly ordinal: number; readonly sharpness: number }[],
): Promise<void> {
  if (measured.length === 0) return;
  await database.run(
    `UPDATE ${vectors}
     SET sharpness = CAST(one.value ->> 'sharpness' AS DOUBLE PRECISION)
     FROM json_each(?) AS one WHERE ordinal = CAST(one.value ->> 'ordinal' AS BIGINT)`,
    [JSON.stringify(measured)],
  );
}

type Entries = ReadonlyMap<string, Entry>;

const none: Entries = new Map();

interface Changed {
  readonly before: Entries;
  readonly after: Entries;
  /** How images look of which it may not be known yet. */
  readonly given: Descriptors;
  /** Those that were not there before, and have their numbers. */
  readonly added: ReadonlySet<string>;
}

async function updateIndex(
  database: AsyncDatabase,
  index: ImageIndex,
  changed: Changed,
): Promise<void> {
  const { before, after } = changed;
  const ordinals = await addOrdinals(database, after);
  const found = await findLooks(database, index, changed);
  const changes: IndexChange[] = [];
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [old, entry] = [before.get(id), after.get(id)];
    const ordinal = ordinals.get(id) ?? old?.ordinal;
    if (ordinal === undefined) continue;
    const descriptor = found.get(id);
    const isDescribed = entry?.image.isDescribed || descriptor !== undefined;
    changes.push({
      imageId: id,
      ordinal,
      before: old?.isIndexed ? old.image : undefined,
      after: entry && { ...entry.image, isDescribed },
      descriptor,
    });
  }
  await index.update(database, changes);
}

/** The numbers of images: new ones get the next. All of them count as indexed from now on. */
async function addOrdinals(
  database: AsyncDatabase,
  after: Entries,
): Promise<ReadonlyMap<string, number>> {
  const ordinals = new Map<string, number>();
  const added: string[] = [];
  const indexed: number[] = [];
  for (const { id, ordinal, isIndexed } of after.values()) {
    if (ordinal === undefined) added.push(id);
    else ordinals.set(id, ordinal);
    if (ordinal !== undefined && !isIndexed) indexed.push(ordinal);
  }
  if (indexed.length > 0) {
    const these = 'ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?))';
    const sql = `UPDATE image_ordinals SET indexed = 1 WHERE ${these}`;
    database.send(sql, [JSON.stringify(indexed)]);
  }
  if (added.length > 0) {
    const rows = await database.all(
      `INSERT INTO image_ordinals (image_id, indexed) SELECT value, 1 FROM json_each(?)
       RETURNING image_id, ordinal`,
      [JSON.stringify(added)],
      (row) => ({ id: row.text('image_id'), ordinal: row.integer('ordinal') }),
    );
    for (const { id, ordinal } of rows) ordinals.set(id, ordinal);
  }
  return ordinals;
}

/**
 * How images look of which it was not known. The same file elsewhere in its workspace, for example
 * in what a project was forked from, looks the same. New ones of which nobody knows it are noted.
 */
async function findLooks(
  database: AsyncDatabase,
  index: ImageIndex,
  { after, given, added }: Changed,
): Promise<Descriptors> {
  const open = [...after.values()].filter(({ image }) => !image.isDescribed);
  const unknown = open.filter(
    ({ id, isIndexed }) => (added.has(id) || !isIndexed) && !given.has(id),
  );
  // Of those that were added it was asked before.
  const unasked = unknown.filter(({ id }) => !added.has(id)).map(({ id }) => id);
  const found = await index.findDescriptors(database, unasked);
  const undescribed = unknown.filter(({ id }) => !found.has(id));
  addUndescribed(
    database,
    undescribed.map(({ id, image }) => ({ imageId: id, projectId: image.projectId })),
  );
  const looks = new Map<string, Descriptor>();
  for (const { id } of open) {
    const descriptor = given.get(id) ?? found.get(id);
    if (descriptor) looks.set(id, descriptor);
  }
  return looks;
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
