// The rows of the platform on PostgreSQL: its database, its index of images, and reads on them.

import type { Clock } from '../../clock.ts';
import { databaseSchemas } from '../../database-url.ts';
import type { Secret } from '../../secret.ts';
import { openPostgresDatabase } from '../../storage/postgres/postgres-database.ts';
import { recordingActivityOnServer } from '../database/activity/record-activity.ts';
import { platformMigrations } from '../database/migrations.ts';
import { serverImageIndex } from './search-index/server-image-index.ts';
import { readOnServer } from './server-long-reads.ts';
import { openSharedKey } from './shared-key.ts';
import { shareRateLimitCounts } from './shared-rate-limit-counts.ts';

/** `folder`: as for `openSharedKey`. Throws as `openPostgresDatabase` does. */
export async function openServerRows(url: Secret, folder: string | undefined, clock: Clock) {
  const opened = await openPostgresDatabase(url, databaseSchemas.platform, platformMigrations);
  const database = recordingActivityOnServer(opened, clock);
  return {
    database,
    index: serverImageIndex,
    reads: readOnServer(database),
    calls: shareRateLimitCounts(opened, clock),
    openKey: () => openSharedKey(opened, folder),
  };
}
