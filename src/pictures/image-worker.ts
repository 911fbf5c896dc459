// A thread that works on image files: what a hostile one takes ends with it.

import { parentPort, workerData } from 'node:worker_threads';
import { asFoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { weighImage } from './image-file.ts';
import { imageJobs } from './image-jobs.ts';
import type { FromThread, ThreadData, ToThread } from './image-messages.ts';
import { loadSharp } from './load-sharp.ts';

const port = parentPort;
if (port === null) throw new Error('image-worker runs in a thread of image-threads.ts');
const { isAlone }: ThreadData = workerData;

port.on('message', (job: ToThread) => void run(job));
await loadSharp();
send({ kind: 'ready' });

async function run(job: ToThread): Promise<void> {
  const { id } = job;
  try {
    const isHere = isAlone || !('bytes' in job.input) || job.name === 'readImageHeader';
    if (!isHere && (await isForOther(job.input.bytes))) {
      const bytes = ownCopy(job.input.bytes);
      return send({ kind: 'too much', id, bytes }, [bytes.buffer]);
    }
    const result = await work(job);
    const buffers: ArrayBuffer[] = [];
    send({ kind: 'done', id, result: movable(result, buffers) }, buffers);
  } catch (thrown) {
    const { code, message, problems, hint } = asFoveaError(thrown);
    send({ kind: 'failed', id, error: { code, message, problems, hint } });
  }
}

async function work(job: ToThread): Promise<unknown> {
  // The compiler cannot tell that a name and its input belong together.
  const run: (input: never) => Promise<unknown> = imageJobs[job.name];
  return run(job.input as never);
}

/** What takes more than any thread may is refused here, by its header. */
async function isForOther(bytes: Uint8Array): Promise<boolean> {
  const { cost } = await weighImage(bytes);
  return cost.bytes > limits.decodeSharedBytesMax && cost.bytes <= limits.decodeBytesMax;
}

/** The same, with bytes that may go to another thread: those of sharp may not. */
function movable(value: unknown, buffers: ArrayBuffer[]): unknown {
  if (value instanceof Int8Array) return value;
  if (value instanceof Uint8Array) {
    const copy = ownCopy(value);
    buffers.push(copy.buffer);
    return copy;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([name, member]) => [name, movable(member, buffers)]));
}

/** Bytes in a buffer of their own. */
function ownCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

function send(message: FromThread, buffers: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, [...buffers]);
}
