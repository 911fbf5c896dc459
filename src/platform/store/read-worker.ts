// The thread that does long reads, one at a time, on a connection of its own that changes nothing.

import { parentPort, workerData } from 'node:worker_threads';
import { asFoveaError } from '../../errors.ts';
import { openDatabase } from '../../storage/database.ts';
import { searchBounds } from './evaluate.ts';
import { doRead, type Question } from './long-reads.ts';
import { platformMigrations } from './migrations.ts';
import type { FromReadThread, ReadThreadData } from './read-messages.ts';

const port = parentPort;
if (port === null) throw new Error('read-worker runs in a thread of readers.ts');

const { path }: ReadThreadData = workerData;
const database = openDatabase(path, platformMigrations);
database.run('PRAGMA query_only = ON');
const index = { database, bounds: searchBounds };

port.on('message', (question: Question) => send(answer(question)));
send({ kind: 'ready' });

function answer(question: Question): FromReadThread {
  try {
    return { kind: 'read', answer: doRead(index, question) };
  } catch (thrown) {
    const { code, message, hint, problems } = asFoveaError(thrown);
    return { kind: 'failed', code, message, hint, problems };
  }
}

function send(message: FromReadThread): void {
  port?.postMessage(message);
}
