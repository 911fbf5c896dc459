// Where the platform keeps its rows: a SQLite file in the data folder, or a PostgreSQL database.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { ObjectStorageSettings } from '../object-storage-settings.ts';
import type { Secret } from '../secret.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../storage/async-database.ts';
import { recordingActivity } from './database/activity/record-activity.ts';
import { startLongReadThreads } from './database/long-reads/long-read-threads.ts';
import type { LongReads } from './database/long-reads/long-reads.ts';
import { platformMigrations } from './database/migrations.ts';
import { bitSlicedImageIndex } from './database/search-index/bit-sliced-image-index.ts';
import { refuseExistingFiles } from './existing-files-check.ts';
import type { SharedRateLimitCounts } from './postgres/shared-rate-limit-counts.ts';
import { openSigningKey, type SigningKey } from './signed-links/signing-key.ts';
import type { ImageIndex } from './store/image-index.ts';

export interface Rows {
  /** Writes the log of changes. */
  readonly database: AsyncDatabase & { close(): void | Promise<void> };
  readonly index: ImageIndex;
  readonly reads: LongReads;
  /** Calls that processes with these rows count together; undefined: each counts for itself. */
  readonly calls?: SharedRateLimitCounts;
  /** The key of signed links: the same for all processes with these rows. */
  openKey(): Promise<SigningKey>;
}

export interface RowsPlace {
  /** The data folder. */
  readonly data: string;
  /** A PostgreSQL database; undefined: rows are in a file of the data folder. */
  readonly databaseUrl?: Secret | undefined;
  /** Where files are kept; undefined: in the data folder. */
  readonly objects?: ObjectStorageSettings | undefined;
}

/**
 * Throws as those who open them, `invalid_input` where the data folder has datasets that the
 * database does not have, and `conflict` where it has files whose rows are elsewhere.
 */
export async function openRows(place: RowsPlace, clock: Clock): Promise<Rows> {
  const { data, databaseUrl, objects } = place;
  const file = rowsFile(data);
  if (databaseUrl !== undefined) {
    if (existsSync(file)) throw datasetsInFolder(data);
    const { openServerRows } = await import('./postgres/server-rows.ts');
    return openServerRows(databaseUrl, objects === undefined ? data : undefined, clock);
  }
  refuseUnfinishedMove(data);
  if (!existsSync(file)) await refuseExistingFiles(data, 'There is no platform.db');
  const opened = openAsyncDatabase(file, platformMigrations);
  try {
    const database = await recordingActivity(opened, clock);
    return {
      database,
      index: bitSlicedImageIndex,
      reads: startLongReadThreads(file),
      openKey: () => openSigningKey(data),
    };
  } catch (thrown) {
    opened.close();
    throw thrown;
  }
}

/** Where rows are in a data folder. */
export function rowsFile(data: string): string {
  return join(data, 'platform.db');
}

/** Where rows are while they are moved into a data folder, before all of them are there. */
export function unfinishedFile(data: string): string {
  return join(data, unfinishedName);
}

/** It also has files whose names begin so: those of SQLite, and itself while it is made. */
export const unfinishedName = 'platform-moving.db';

/** Held by the process that moves datasets into a data folder; there before any other file. */
export function movingLockFile(data: string): string {
  return join(data, 'moving.lock');
}

/** Throws `conflict` for a folder into which datasets are being moved, or were in part. */
export function refuseUnfinishedMove(data: string): void {
  if (!existsSync(data)) return;
  const hasBegun = existsSync(movingLockFile(data)) && !existsSync(rowsFile(data));
  if (!hasBegun && !readdirSync(data).some((name) => name.startsWith(unfinishedName))) return;
  throw new FoveaError('conflict', `"${data}" has an unfinished move of datasets.`, {
    hint:
      'Run the same "fovea migrate" again: it goes on where it was. To give it up, remove ' +
      'moving.lock, platform-moving.db and the files whose names begin so.',
  });
}

function datasetsInFolder(data: string): FoveaError {
  return invalidArgument(
    'FOVEA_DATABASE_URL',
    `is set, and "${data}" has datasets in platform.db, which are not those of that database`,
    '"fovea migrate" moves them there. Where that is done, rename platform.db; else set --data or ' +
      'FOVEA_HOME to another folder, or leave FOVEA_DATABASE_URL out.',
  );
}
