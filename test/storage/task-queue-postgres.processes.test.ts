// The queue of tasks on PostgreSQL: the same promises, and what a server does that is slow.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import type { AsyncDatabase } from '../../src/storage/async-database.ts';
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { createTaskQueue } from '../../src/storage/task-queue.ts';
import { startTaskWorker } from '../../src/storage/task-worker.ts';
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

  const slowWork: readonly (readonly [string, (database: AsyncDatabase) => Promise<void>])[] = [
    [
      'a statement takes longer than it may',
      async (database) => {
        await set(database, 'statement_timeout');
        await database.get('SELECT 1 AS n FROM pg_sleep(60)', [], () => undefined);
      },
    ],
    [
      'a machine has no time for its transaction',
      async (database) => {
        await set(database, 'idle_in_transaction_session_timeout');
        await delay(1_000);
        await database.get('SELECT 1 AS n', [], () => undefined);
      },
    ],
  ];

  test.each(slowWork)('work waits, and does not count, where %s', async (_, work) => {
    const database = await openPostgresDatabase(
      await server.database(),
      'fovea_work',
      taskMigrations,
    );
    onTestFinished(() => database.close());
    const queue = createTaskQueue(database, { clock: systemClock, owner: 'test' });
    await queue.add({ id: 'a', kind: 'job', payload: null });
    const worker = startTaskWorker({
      queue,
      kinds: ['job'],
      clock: systemClock,
      log: createLog('error', () => {}),
      run: () => database.transaction(() => work(database)),
    });
    onTestFinished(() => worker.stop());
    await vi.waitFor(async () => expect((await queue.get('a'))?.waitsFor).toBe('database'), 20_000);
    expect(await queue.get('a')).toMatchObject({ status: 'running', attempts: 0 });
  });
});

/** To 100 ms, for the transaction. */
function set(database: AsyncDatabase, setting: string): Promise<unknown> {
  return database.get("SELECT set_config(?, '100', true)", [setting], () => undefined);
}
