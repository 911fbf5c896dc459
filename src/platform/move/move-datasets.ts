// Moves what a platform keeps between a data folder and a PostgreSQL database: its rows, and the
// files that they refer to. The source stays as it is.

import { resolve } from 'node:path';
import { type Clock, systemClock } from '../../clock.ts';
import { invalidArgument } from '../../errors.ts';
import type { ObjectStorageSettings } from '../../object-storage-settings.ts';
import type { Secret } from '../../secret.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import { openBlobs } from '../../storage/open-blobs.ts';
import { makeKeyFile, readKeyFile, signingKeyOf } from '../signed-links/signing-key.ts';
import { copyFiles, type FilesReport } from './copy-files.ts';
import {
  type Comparison,
  compareRows,
  copyRows,
  countIndex,
  fillIndex,
  type IndexCounts,
  isStale,
  type Progress,
} from './copy-rows.ts';
import { claimFolder, openFolderSource } from './folder-side.ts';
import { claimServer, openServerSource } from './postgres-side.ts';
import { type ClaimedTarget, ofAnother, type Source, type Target } from './source-and-target.ts';
import { type MovedTable, movedTables } from './tables.ts';
import { refuseUnstorableTexts } from './unstorable-texts.ts';

export interface MoveRequest {
  /** A data folder. */
  readonly folder: string;
  readonly databaseUrl: Secret;
  readonly direction: 'to-database' | 'to-folder';
  /** Where the platform on the database has its files; undefined: in `folder`. */
  readonly objects: ObjectStorageSettings | { readonly folder: string } | undefined;
  /** Whether files that the source has lost are left behind, and the rest is moved. */
  readonly withoutLost: boolean;
  /** Called when all is at the target, before it is the platform's; what it throws ends it. */
  readonly beforeFinish?: () => Promise<void>;
}

export interface MoveReport {
  readonly tables: readonly Comparison[];
  readonly index: { readonly source: IndexCounts; readonly target: IndexCounts };
  readonly files: FilesReport;
  /** Whether both sides have the same. */
  readonly isSame: boolean;
  /** Whether the target is the platform's now. */
  readonly isFinished: boolean;
  readonly ms: number;
}

/**
 * Goes on where a move that ended on the way left off. Throws `conflict` where a process uses
 * either side, where the target has datasets or something of another platform, and where the
 * datasets are of another version; as those who open them do; and `invalid_input` while tasks wait
 * for files that stay behind, and for a text that the target cannot store.
 */
export async function moveDatasets(
  request: MoveRequest,
  progress: Progress,
  clock: Clock = systemClock,
): Promise<MoveReport> {
  const startMs = clock.monotonic();
  const { folder, databaseUrl, direction } = request;
  const isToDatabase = direction === 'to-database';
  const source = isToDatabase
    ? await openFolderSource(folder)
    : await openServerSource(databaseUrl);
  try {
    await refuseWaitingUploads(source.reader);
    if (isToDatabase) await refuseUnstorableTexts(source.reader, movedTables());
    const claimed = isToDatabase
      ? await claimServer(databaseUrl, source.key)
      : await claimFolder(folder, source.key);
    try {
      const report = await moveInto(claimed, source, request, progress, clock);
      return { ...report, ms: clock.monotonic() - startMs };
    } finally {
      await claimed.release();
    }
  } finally {
    await source.close();
  }
}

/** Files that came by a link lie in the data folder or among the blobs, whichever is used. */
async function refuseWaitingUploads(reader: AsyncReader): Promise<void> {
  const waiting = await reader.get(
    `SELECT count(*) AS n FROM uploads u JOIN work w ON w.id = u.task_id
     WHERE u.file IS NOT NULL AND w.status IN ('created', 'running')`,
    [],
    (row) => row.integer('n'),
  );
  if (!waiting) return;
  throw invalidArgument(
    '--from',
    `has ${waiting} uploaded files whose import has not ended`,
    'Let the platform run until these tasks are done.',
  );
}

async function moveInto(
  claimed: ClaimedTarget,
  source: Source,
  request: MoveRequest,
  progress: Progress,
  clock: Clock,
): Promise<Omit<MoveReport, 'ms'>> {
  const tables = movedTables();
  const stores = await openStores(request, source.key, clock);
  let target = await claimed.open();
  try {
    if (await isStale(source, target, tables)) {
      await target.close();
      await claimed.discard();
      target = await claimed.open();
    }
    for (const table of tables) await copyRows(source, target, table, progress);
    await fillIndex(source, target, progress);
    const files = await copyFiles(source.reader, stores, progress);
    const compared = await compare(source, target, tables, progress);
    const isSame = compared.isSame && files.damaged.length === 0 && files.lost.length === 0;
    const isFinished =
      compared.isSame &&
      files.damaged.length === 0 &&
      (files.lost.length === 0 || request.withoutLost);
    if (isFinished) {
      await request.beforeFinish?.();
      await target.finish(await numbersOf(source, tables));
    }
    return { ...compared, files, isSame, isFinished };
  } finally {
    await target.close();
  }
}

async function compare(
  source: Source,
  target: Target,
  tables: readonly MovedTable[],
  progress: Progress,
): Promise<Pick<MoveReport, 'tables' | 'index' | 'isSame'>> {
  const comparisons: Comparison[] = [];
  for (const table of tables) {
    comparisons.push(await compareRows(source, target, table));
    progress('Tables compared', comparisons.length);
  }
  const index = {
    source: await countIndex(source.reader, source.index),
    target: await countIndex(target.database, target.index),
  };
  const images = comparisons.find(({ name }) => name === 'image_ordinals')?.source.rows;
  const isSame =
    comparisons.every((each) => each.source.hash === each.target.hash) &&
    index.target.images === images &&
    index.source.looks === index.target.looks;
  return { tables: comparisons, index, isSame };
}

async function numbersOf(
  source: Source,
  tables: readonly MovedTable[],
): Promise<ReadonlyMap<MovedTable, number>> {
  const numbers = new Map<MovedTable, number>();
  for (const table of tables) {
    if (table.numbered !== undefined) numbers.set(table, await source.lastNumber(table));
  }
  return numbers;
}

/** The files of the folder's side, and those of the database's. */
async function openStores(
  { folder, objects, direction }: MoveRequest,
  key: Buffer,
  clock: Clock,
): Promise<{ readonly from: BlobStore; readonly to: BlobStore }> {
  const owner = signingKeyOf(key).sign('objects', []);
  const open = (data: string, place?: ObjectStorageSettings) =>
    openBlobs({ data, objects: place, owner, clock });
  const ofFolder = await open(folder);
  const isApart = objects && !('folder' in objects && resolve(objects.folder) === resolve(folder));
  if (!isApart) return { from: ofFolder, to: ofFolder };
  let ofDatabase: BlobStore;
  if ('folder' in objects) {
    await shareKey(objects.folder, key, direction);
    ofDatabase = await open(objects.folder);
  } else ofDatabase = await open(folder, objects);
  return direction === 'to-database'
    ? { from: ofFolder, to: ofDatabase }
    : { from: ofDatabase, to: ofFolder };
}

/** A folder of files is known by the key in it. */
async function shareKey(
  folder: string,
  key: Buffer,
  direction: MoveRequest['direction'],
): Promise<void> {
  const own = await readKeyFile(folder);
  if (own === undefined && direction === 'to-database') await makeKeyFile(folder, key);
  else if (!own?.equals(key)) throw ofAnother(`"${folder}"`);
}
