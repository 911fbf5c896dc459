// The thread for what is done behind the writes, a task for each message: it moves the log of the
// Event Store into its file, and puts events into the index.

import { parentPort, workerData } from 'node:worker_threads';
import { asFoveaError } from '../../errors.ts';
import { isJsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { type Database, openDatabase, openToRead } from '../../storage/database.ts';
import { Indexer } from '../index/indexer.ts';
import { migrations } from '../store/schema.ts';
import type { IndexStep } from '../store/store.ts';
import type { BackgroundTask } from './background.ts';

const port = parentPort;
const { events, index } = isJsonObject(workerData) ? workerData : {};
if (port === null || typeof events !== 'string' || typeof index !== 'string') {
  throw new Error('background-thread runs in a thread of background.ts');
}

let database: Database | undefined;
let indexer: Indexer | undefined;
port.on('message', (task: BackgroundTask) => {
  port.postMessage(task === 'index' ? step(events, index) : checkpoint(events));
});

function checkpoint(eventsPath: string): IndexStep {
  try {
    database ??= openDatabase(eventsPath, migrations);
    database.checkpoint();
  } catch {
    // What fails is done later: by SQLite, if by nobody else.
  }
  return { hasMore: false };
}

function step(eventsPath: string, indexPath: string): IndexStep {
  try {
    const options = { cacheBytes: limits.indexedEventsCacheBytes };
    indexer ??= new Indexer(openToRead(eventsPath, options), indexPath);
    const isBehind = indexer.step() >= limits.indexedAtOnceMax / 2;
    return { hasMore: isBehind || indexer.mergeSome() };
  } catch (thrown) {
    const { code, message } = asFoveaError(thrown);
    // An error of the database speaks of what was to be stored.
    return { hasMore: false, failure: code === 'full' ? 'The disk is full.' : message };
  }
}
