// Where the platform keeps its rows: a SQLite file in the data folder, or a PostgreSQL database.

import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Secret } from '../secret.ts';
import { type AsyncDatabase, openAsyncDatabase } from '../storage/async-database.ts';
import { recordingActivity } from './database/activity/record-activity.ts';
import { startLongReadThreads } from './database/long-reads/long-read-threads.ts';
import type { LongReads } from './database/long-reads/long-reads.ts';
import { platformMigrations } from './database/migrations.ts';
import { bitSlicedImageIndex } from './database/search-index/bit-sliced-image-index.ts';
import type { ImageIndex } from './store/image-index.ts';

export interface Rows {
  /** Writes the log of changes. */
  readonly database: AsyncDatabase & { close(): void | Promise<void> };
  readonly index: ImageIndex;
  readonly reads: LongReads;
}

/** With a URL in its database, else in a file of the data folder. Throws as those who open them. */
export async function openRows(
  data: string,
  databaseUrl: Secret | undefined,
  clock: Clock,
): Promise<Rows> {
  if (databaseUrl !== undefined) {
    const { openServerRows } = await import('./postgres/server-rows.ts');
    return openServerRows(databaseUrl, clock);
  }
  const file = join(data, 'platform.db');
  const opened = openAsyncDatabase(file, platformMigrations);
  try {
    const database = await recordingActivity(opened, clock);
    return { database, index: bitSlicedImageIndex, reads: startLongReadThreads(file) };
  } catch (thrown) {
    opened.close();
    throw thrown;
  }
}
