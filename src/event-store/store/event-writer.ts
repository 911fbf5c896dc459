// The thread that writes into the Event Store.

import { parentPort, workerData } from 'node:worker_threads';
import { limits } from '../../limits.ts';
import { serveBatches } from '../../storage/batches.ts';
import { openDatabase } from '../../storage/database.ts';
import { Checkpoints } from './checkpoints.ts';
import { Indexing } from './indexing.ts';
import { migrations } from './schema.ts';
import { beginWrites } from './writes.ts';

const port = parentPort;
const path: unknown = workerData;
if (port === null || typeof path !== 'string') {
  throw new Error('event-writer runs in a thread of sqlite-store.ts');
}

const indexing = new Indexing();
const checkpoints = new Checkpoints(path);

serveBatches(port, {
  open: () =>
    openDatabase(path, migrations, {
      cacheBytes: limits.eventWriterCacheBytes,
      busyStepMs: limits.databaseBusyStepMs,
    }),
  begin: (database, now) => beginWrites(database, now, indexing, checkpoints),
  afterwards: (database) => {
    checkpoints.runIfDue(database);
    indexing.prepare(database);
  },
  whenIdle: (database) => indexing.complete(database),
  atEnd: () => checkpoints.close(),
});
