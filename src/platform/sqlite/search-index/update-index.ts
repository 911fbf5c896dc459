// Updates the search index in the same transaction as the images.

import type { SplitName } from '../../../contract/fields.ts';
import type { Descriptor } from '../../../imaging/similarity-descriptor.ts';
import { fold, term, termsOf } from '../../../query-language/search-terms.ts';
import type { AsyncDatabase } from '../../../storage/async-database.ts';
import { type Entry, readEntries } from './image-entries.ts';
import { keepNames } from './name-index.ts';
import { addDescriptors, findDescriptors, removeDescriptors } from './similarity-index.ts';
import { noteChange, type TermChanges, writeChanges } from './term-bitmaps.ts';
import { addUndescribed } from './undescribed-images.ts';
import { ensureWorkspaceTerms } from './workspace-terms.ts';

/** How images look, by their ids. */
export type Descriptors = ReadonlyMap<string, Descriptor>;

/**
 * Runs writes that change these images, new and removed ones too, and brings the index along. Who
 * writes images, labels, tags, metadata, batches or jobs of images calls it. New images get their
 * numbers in the order of `imageIds`. `descriptors`: of images that may have none yet.
 */
export async function changingImages<Result>(
  database: AsyncDatabase,
  imageIds: readonly string[],
  writes: () => Promise<Result>,
  descriptors: Descriptors = new Map(),
): Promise<Result> {
  return database.transaction(async () => {
    const ids = [...new Set(imageIds)];
    const before = await readEntries(database, ids);
    const result = await writes();
    await updateIndex(database, before, await readEntries(database, ids), descriptors);
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
  await database.transaction(async () => {
    const entries = await readEntries(database, imageIds);
    await updateIndex(database, entries, entries, new Map());
  });
}

/** Keeps how images look, where it is not known yet, without a look at all else of them. */
export async function describeImages(
  database: AsyncDatabase,
  descriptors: Descriptors,
): Promise<void> {
  await database.transaction(async () => {
    const open = await database.all(
      `SELECT image_id, ordinal, indexed FROM json_each(?) AS wanted
         CROSS JOIN image_ordinals o ON o.image_id = wanted.value
       WHERE NOT EXISTS (SELECT 1 FROM likeness_vectors WHERE ordinal = o.ordinal)`,
      [JSON.stringify([...descriptors.keys()])],
      (row) => ({
        descriptor: descriptors.get(row.text('image_id')),
        ordinal: row.integer('ordinal'),
        isIndexed: row.boolean('indexed'),
      }),
    );
    const added = new Map<number, Descriptor>();
    const changes: TermChanges = new Map();
    for (const { descriptor, ordinal, isIndexed } of open) {
      if (descriptor) added.set(ordinal, descriptor);
      if (isIndexed) noteChange(changes, term('is', 'described'), ordinal, true);
    }
    await addDescriptors(database, added);
    await writeChanges(database, changes);
  });
}

type Entries = ReadonlyMap<string, Entry>;

async function updateIndex(
  database: AsyncDatabase,
  before: Entries,
  after: Entries,
  descriptors: Descriptors,
): Promise<void> {
  const ordinals = await addOrdinals(database, after);
  const described = await describe(database, after, ordinals, descriptors);
  const changes: TermChanges = new Map();
  const names = new Map<number, string | undefined>();
  const gone: number[] = [];
  const workspaces = new Set<string>();
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [old, entry] = [before.get(id), after.get(id)];
    const ordinal = ordinals.get(id) ?? old?.ordinal;
    if (ordinal === undefined) continue;
    for (const one of [old, entry]) if (one) workspaces.add(one.image.workspaceId);
    const had = old?.isIndexed ? termsOf(old.image) : noTerms;
    const has = entry ? termsOf({ ...entry.image, isDescribed: described.has(id) }) : noTerms;
    for (const name of had) if (!has.has(name)) noteChange(changes, name, ordinal, false);
    for (const name of has) if (!had.has(name)) noteChange(changes, name, ordinal, true);
    names.set(ordinal, entry && fold(entry.image.name));
    if (entry === undefined) gone.push(ordinal);
  }
  await ensureWorkspaceTerms(database, [...workspaces]);
  await writeChanges(database, changes);
  await keepNames(database, names);
  await removeDescriptors(database, gone);
}

const noTerms: ReadonlySet<string> = new Set();

/** The numbers of images: new ones get the next. All of them count as indexed from now on. */
async function addOrdinals(
  database: AsyncDatabase,
  entries: Entries,
): Promise<ReadonlyMap<string, number>> {
  const ordinals = new Map<string, number>();
  const added: string[] = [];
  const indexed: number[] = [];
  for (const { id, ordinal, isIndexed } of entries.values()) {
    if (ordinal === undefined) added.push(id);
    else ordinals.set(id, ordinal);
    if (ordinal !== undefined && !isIndexed) indexed.push(ordinal);
  }
  if (indexed.length > 0) {
    const these = 'ordinal IN (SELECT value FROM json_each(?))';
    const sql = `UPDATE image_ordinals SET indexed = 1 WHERE ${these}`;
    await database.run(sql, [JSON.stringify(indexed)]);
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
 * The images of which it is known how they look, from now on. The same file elsewhere in
 * its workspace, for example in what a project was forked from, looks the same.
 */
async function describe(
  database: AsyncDatabase,
  entries: Entries,
  ordinals: ReadonlyMap<string, number>,
  given: Descriptors,
): Promise<ReadonlySet<string>> {
  const open = [...entries.values()].filter(({ image }) => !image.isDescribed);
  const unknown = open.filter(({ id, isIndexed }) => !isIndexed && !given.has(id));
  const found = await findDescriptors(
    database,
    unknown.map(({ id, hash, image: { workspaceId } }) => ({ key: id, hash, workspaceId })),
  );
  const added = new Map<number, Descriptor>();
  const described = new Set(entries.keys());
  for (const { id, isIndexed } of open) {
    const descriptor = given.get(id) ?? (isIndexed ? undefined : found.get(id));
    const ordinal = ordinals.get(id);
    if (descriptor && ordinal !== undefined) added.set(ordinal, descriptor);
    else described.delete(id);
  }
  await addDescriptors(database, added);
  const undescribed = unknown.filter(({ id }) => !described.has(id));
  await addUndescribed(
    database,
    undescribed.map(({ id, image }) => ({ imageId: id, projectId: image.projectId })),
  );
  return described;
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
