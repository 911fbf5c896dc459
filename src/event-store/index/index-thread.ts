// The thread that writes the index, a step for each question.

import { parentPort, workerData } from 'node:worker_threads';
import { asFoveaError } from '../../errors.ts';
import { isJsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { openToRead } from '../../storage/database.ts';
import { Indexer } from './indexer.ts';

/** The paths of both databases. */
export interface IndexThreadData {
  readonly events: string;
  readonly index: string;
}

export interface IndexThreadAnswer {
  /** Whether there is more to put in at once. */
  readonly hasMore: boolean;
  /** Why nothing was put in. */
  readonly failure?: string;
}

const port = parentPort;
const { events, index } = isJsonObject(workerData) ? workerData : {};
if (port === null || typeof events !== 'string' || typeof index !== 'string') {
  throw new Error('index-thread runs in a thread of leader-indexer.ts');
}

let indexer: Indexer | undefined;
port.on('message', () => port.postMessage(step(events, index)));

function step(eventsPath: string, indexPath: string): IndexThreadAnswer {
  try {
    indexer ??= new Indexer(openToRead(eventsPath), indexPath);
    return { hasMore: indexer.step() >= limits.indexedAtOnceMax / 2 };
  } catch (thrown) {
    const { code, message } = asFoveaError(thrown);
    // An error of the database speaks of what was to be stored.
    return { hasMore: false, failure: code === 'full' ? 'The disk is full.' : message };
  }
}
