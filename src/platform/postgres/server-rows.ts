// The rows of the platform on PostgreSQL: its database, its index of images, and reads on them.

import type { Clock } from '../../clock.ts';
import type { Secret } from '../../secret.ts';
import { openPostgresDatabase } from '../../storage/postgres/postgres-database.ts';
import { serverTables } from '../database/activity/change-triggers.ts';
import { recordingActivityOnServer } from '../database/activity/record-activity.ts';
import { platformMigrations } from '../database/migrations.ts';
import { serverImageIndex } from './search-index/server-image-index.ts';
import { readOnServer } from './server-long-reads.ts';

/** Throws as `openPostgresDatabase` does. */
export async function openServerRows(url: Secret, clock: Clock) {
  const opened = await openPostgresDatabase(url, platformSchema, platformMigrations, {
    onWriter: serverTables,
  });
  const database = recordingActivityOnServer(opened, clock);
  return { database, index: serverImageIndex, reads: readOnServer(database) };
}

/** Its name in the PostgreSQL database. */
const platformSchema = 'fovea_platform';
