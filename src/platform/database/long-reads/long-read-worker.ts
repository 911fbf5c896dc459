// The thread that runs long reads, one at a time, on a read-only connection.

import { parentPort, workerData } from 'node:worker_threads';
import { asFoveaError } from '../../../errors.ts';
import { openToRead } from '../../../storage/database.ts';
import { tellShares } from '../comparisons/tell-shares.ts';
import { searchBounds } from '../search-index/evaluate-query.ts';
import type { FromReadThread, Question, ReadThreadData } from './long-reads.ts';
import { longReadsOn } from './run-long-read.ts';

const port = parentPort;

if (port === null) throw new Error('long-read-worker runs in a thread of long-read-threads.ts');

const { path }: ReadThreadData = workerData;

// Also where a newer Fovea has changed the tables: the process began before that.
const database = openToRead(path);

const onShare = tellShares((share) => send({ kind: 'share', share }));

const read = longReadsOn({ database, bounds: searchBounds }, { onShare });

port.on('message', async (question: Question) => send(await answer(question)));

send({ kind: 'ready' });

async function answer(question: Question): Promise<FromReadThread> {
  try {
    return { kind: 'read', answer: await read(question) };
  } catch (thrown) {
    const { code, message, hint, problems } = asFoveaError(thrown);
    return { kind: 'failed', code, message, hint, problems };
  }
}

function send(message: FromReadThread): void {
  port?.postMessage(message);
}
