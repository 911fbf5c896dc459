// The thread of log-thread.ts: moves the log of one file when it is told to.

import { parentPort, workerData } from 'node:worker_threads';
import { openToMoveLog } from './sqlite-connection.ts';

const port = parentPort;

if (port === null || typeof workerData !== 'string') {
  throw new Error('log-worker runs in a thread of log-thread.ts');
}

const handle = openToMoveLog(workerData);

port.once('message', () => {
  try {
    handle.exec('PRAGMA wal_checkpoint(PASSIVE)');
    // What was moved is given up here too, unless somebody reads or writes just now.
    handle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    handle.close();
  }
  port.postMessage('moved');
});

port.postMessage('ready');
