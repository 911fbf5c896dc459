// A store with images for tests of the search, on PostgreSQL.

import { systemClock } from '../../../src/clock.ts';
import { recordingActivityOnServer } from '../../../src/platform/database/activity/record-activity.ts';
import { createStore } from '../../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { serverImageIndex } from '../../../src/platform/postgres/search-index/server-image-index.ts';
import { readOnServer } from '../../../src/platform/postgres/server-long-reads.ts';
import type { Secret } from '../../../src/secret.ts';
import { openPostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { type Search, withImages } from './indexed-images.ts';

export async function openServerSearch(url: Secret): Promise<Search> {
  const opened = await openPostgresDatabase(url, 'fovea_platform', platformMigrations);
  const shared = recordingActivityOnServer(opened, systemClock);
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'test' });
  const index = serverImageIndex;
  const store = createStore(shared, index, work, readOnServer(shared));
  return {
    ...(await withImages({ shared, store, index, search: store.search })),
    skip: (count) =>
      shared.transaction(() =>
        shared.all(
          `SELECT setval(place, nextval(place::regclass) + ?) AS ordinal
           FROM (SELECT pg_get_serial_sequence('image_ordinals', 'ordinal') AS place) AS sequence`,
          [count],
          (row) => row.integer('ordinal'),
        ),
      ),
    rows: () =>
      Promise.all(
        ['image_search', 'image_looks'].map((table) =>
          shared.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.integer('n')),
        ),
      ),
    close: () => store.close(),
  };
}
