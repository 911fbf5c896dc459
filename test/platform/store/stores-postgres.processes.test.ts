// The stores of the platform on PostgreSQL: the same promises.

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runFor } from '../../../src/current-caller.ts';
import { recordingActivityOnServer } from '../../../src/platform/database/activity/record-activity.ts';
import { createStore } from '../../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { serverImageIndex } from '../../../src/platform/postgres/search-index/server-image-index.ts';
import type { Secret } from '../../../src/secret.ts';
import { openPostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { judgeClassChanges } from './judge-class-changes.ts';
import { judgeDatasets } from './judge-datasets.ts';
import { judgeEmbeddings } from './judge-embeddings.ts';
import { judgeVisionEvents } from './judge-events.ts';
import { judgeImages } from './judge-images.ts';
import { judgeWorkspaces } from './judge-workspaces.ts';
import { image, noLongReads, type OpenedStores, withProject, written } from './opened-stores.ts';

describe.skipIf(!hasPostgres)('on PostgreSQL', { timeout: 60_000 }, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  const openAt = async (url: Secret): Promise<OpenedStores> => {
    const clock = settableClock();
    const opened = await openPostgresDatabase(url, 'fovea_platform', platformMigrations);
    const database = recordingActivityOnServer(opened, clock);
    const queue = createTaskQueue(database, { clock, owner: 'test' });
    const index = serverImageIndex;
    const store = createStore(database, index, queue, noLongReads);
    onTestFinished(() => store.close());
    return { database, store, queue, index, clock };
  };

  const open = async () => openAt(await server.database());

  judgeImages(open);
  judgeDatasets(open);
  judgeClassChanges(open);
  judgeWorkspaces(open);
  judgeEmbeddings(open);
  judgeVisionEvents(open);

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

  test('those who write wait for each other, in whatever process: none is undone', async () => {
    const url = await server.database();
    const { store, workspace, database } = await withProject(() => openAt(url));
    const others = await Promise.all([openAt(url), openAt(url)]);
    let runs = 0;
    const add = (opened: Pick<OpenedStores, 'database' | 'store'>, n: number) =>
      runFor({ name: `key ${n % 4}`, group: workspace.id, who: `key ${n % 4}` }, () =>
        opened.database.transaction(async () => {
          runs += 1;
          await opened.store.images.add(image(`image-${n}`, { tags: ['night'] }), written('cat'));
        }),
      );
    const all = [{ store, database }, ...others];
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => add(all[n % 3] ?? { store, database }, n)),
    );
    expect(runs).toBe(60);
    const [batch] = await store.images.batches('project-cells');
    expect(batch).toMatchObject({ name: 'first', images: 60 });
    const entries = await database.all(
      "SELECT sum(n) AS n FROM activity WHERE kind = 'image' AND verb = 'added'",
      [],
      (row) => row.integer('n'),
    );
    expect(entries).toEqual([60]);
  });
});
