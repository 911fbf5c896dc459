// The thread that moves the log of the Event Store into its file, while another one writes.

import { parentPort, workerData } from 'node:worker_threads';
import { type Database, openDatabase } from '../../storage/database.ts';
import { migrations } from './schema.ts';

const port = parentPort;
const path: unknown = workerData;
if (port === null || typeof path !== 'string') {
  throw new Error('checkpoint-thread runs in a thread of checkpoints.ts');
}

let database: Database | undefined;
port.on('message', () => {
  try {
    database ??= openDatabase(path, migrations);
    database.checkpoint();
  } catch {
    // What fails is done later: by SQLite, if by nobody else.
  }
  port.postMessage('done');
});
