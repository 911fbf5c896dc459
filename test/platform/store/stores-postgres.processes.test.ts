// The stores of the platform on PostgreSQL: the same promises.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runFor } from '../../../src/current-caller.ts';
import { serverTables } from '../../../src/platform/database/activity/change-triggers.ts';
import { recordingActivityOnServer } from '../../../src/platform/database/activity/record-activity.ts';
import { createStore } from '../../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { serverImageIndex } from '../../../src/platform/postgres/search-index/server-image-index.ts';
import { openPostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { judgeDatasets } from './judge-datasets.ts';
import { judgeImages } from './judge-images.ts';
import { judgeWorkspaces } from './judge-workspaces.ts';
import { noLongReads, type OpenedStores, withProject } from './opened-stores.ts';

describe.skipIf(!hasPostgres)('on PostgreSQL', { timeout: 60_000 }, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  const open = async (): Promise<OpenedStores> => {
    const clock = settableClock();
    const opened = await openPostgresDatabase(
      await server.database(),
      'fovea_platform',
      platformMigrations,
      { onWriter: serverTables },
    );
    const database = recordingActivityOnServer(opened, clock);
    const queue = createTaskQueue(database, { clock, owner: 'test' });
    const index = serverImageIndex;
    const store = createStore(database, index, queue, noLongReads);
    onTestFinished(() => store.close());
    return { database, store, queue, index, clock };
  };

  judgeImages(open);
  judgeDatasets(open);
  judgeWorkspaces(open);

  test('of many who change one workspace at once none is sent away', async () => {
    const { store, workspace } = await withProject(open);
    const change = { externalId: undefined, authGroups: undefined, projects: undefined };
    const adding = Array.from({ length: 100 }, (_, n) =>
      runFor({ name: `key ${n % 10}`, group: workspace.id }, () =>
        store.folders.add({
          ...change,
          id: `folder-${n}`,
          workspaceId: workspace.id,
          name: `${n}`,
          parentId: undefined,
          created: 1,
        }),
      ),
    );
    await Promise.all(adding);
    expect(await store.folders.names(workspace.id)).toHaveLength(100);
  });
});
