// The queue of tasks on PostgreSQL: the same promises.

import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';
import { taskMigrations } from './opened-queue.ts';
import { judgeTaskQueue } from './task-queue-suite.ts';

describe.skipIf(!hasPostgres)('on PostgreSQL', { timeout: 60_000 }, () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  judgeTaskQueue(async () => {
    const url = await server.database();
    const open = async () => {
      const database = await openPostgresDatabase(url, 'fovea_work', taskMigrations);
      onTestFinished(() => database.close());
      return database;
    };
    return { database: await open(), openAgain: open };
  });
});
