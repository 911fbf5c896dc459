// The thread that writes into the Event Store.

import { parentPort, workerData } from 'node:worker_threads';
import { isJsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { openDatabase } from '../../storage/database.ts';
import { serveBatches } from '../../storage/group-commit-worker.ts';
import { createLateReader } from './late-request-reader.ts';
import { migrations } from './schema.ts';
import { beginWrites, type Writer } from './writes.ts';

const port = parentPort;
const { path, requestRules } = isJsonObject(workerData) ? workerData : {};
if (port === null || typeof path !== 'string') {
  throw new Error('event-writer runs in a thread of sqlite-store.ts');
}

let isCheckpointDue = false;
const writer: Writer = {
  readRequest: createLateReader(requestRules),
  checkpointAfterwards: () => {
    isCheckpointDue = true;
  },
};

serveBatches(port, {
  open: () =>
    openDatabase(path, migrations, {
      cacheBytes: limits.eventWriterCacheBytes,
      busyStepMs: limits.databaseBusyStepMs,
    }),
  begin: (database, now) => beginWrites(database, now, writer),
  afterwards: (database) => {
    if (isCheckpointDue) database.checkpoint();
    isCheckpointDue = false;
  },
});
