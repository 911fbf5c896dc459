// The stores of the platform on SQLite.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { recordingActivity } from '../../../src/platform/database/activity/record-activity.ts';
import { createStore } from '../../../src/platform/database/create-store.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { bitSlicedImageIndex } from '../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import { openAsyncDatabase } from '../../../src/storage/async-database.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { judgeClassChanges } from './judge-class-changes.ts';
import { judgeDatasets } from './judge-datasets.ts';
import { judgeEmbeddings } from './judge-embeddings.ts';
import { judgeVisionEvents } from './judge-events.ts';
import { judgeImages } from './judge-images.ts';
import { judgeWorkspaces } from './judge-workspaces.ts';
import { noLongReads, type OpenedStores } from './opened-stores.ts';

async function open(): Promise<OpenedStores> {
  const clock = settableClock();
  const path = join(await temporaryFolder(), 'platform.db');
  const database = await recordingActivity(openAsyncDatabase(path, platformMigrations), clock);
  const queue = createTaskQueue(database, { clock, owner: 'test' });
  const index = bitSlicedImageIndex;
  const store = createStore(database, index, queue, noLongReads);
  onTestFinished(() => store.close());
  return { database, store, queue, index, clock };
}

judgeImages(open);
judgeDatasets(open);
judgeClassChanges(open);
judgeWorkspaces(open);
judgeEmbeddings(open);
judgeVisionEvents(open);
