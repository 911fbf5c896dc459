// The queue of tasks on SQLite.

import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openAsyncDatabase } from '../../src/storage/async-database.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { taskMigrations } from './opened-queue.ts';
import { judgeTaskQueue } from './task-queue-suite.ts';

judgeTaskQueue(async () => {
  const path = join(await temporaryFolder(), 'work.db');
  const open = () => {
    const database = openAsyncDatabase(path, taskMigrations);
    onTestFinished(() => database.close());
    return database;
  };
  return { database: open(), openAgain: async () => open() };
});
