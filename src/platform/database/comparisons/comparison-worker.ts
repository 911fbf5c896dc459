// The thread that compares the images of a project, one comparison at a time.

import { parentPort } from 'node:worker_threads';
import { asFoveaError } from '../../../errors.ts';
import { compareHere } from './comparison.ts';
import type { FromComparisonThread, ToCompare } from './comparison-threads.ts';
import { tellShares } from './tell-shares.ts';

const port = parentPort;

if (port === null) throw new Error('comparison-worker runs in a thread of comparison-threads.ts');

const onShare = tellShares((share) => send({ kind: 'share', share }));

port.on('message', async (message: ToCompare) => send(await compare(message)));

async function compare({ kind, vectors }: ToCompare): Promise<FromComparisonThread> {
  try {
    return { kind: 'compared', found: await compareHere(kind, vectors, { onShare }) };
  } catch (thrown) {
    const { code, message } = asFoveaError(thrown);
    return { kind: 'failed', code, message };
  }
}

function send(message: FromComparisonThread): void {
  port?.postMessage(message);
}
