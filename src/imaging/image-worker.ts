// The worker thread for image files: memory that a hostile file takes ends with the thread.

import { parentPort, workerData } from 'node:worker_threads';
import { asFoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { weighImage } from './image-file.ts';
import { handleImageRequest, type ImageRequest } from './image-requests.ts';
import type { FromThread, ThreadData, ToThread } from './image-thread-messages.ts';
import { findSharpBuild, loadSharp } from './load-sharp.ts';

const port = parentPort;
if (port === null) throw new Error('image-worker runs in a thread of image-thread-pool.ts');
const { isAlone }: ThreadData = workerData;

port.on('message', (message: ToThread) => void run(message));
await loadSharp();
send({ kind: 'ready', isNative: (await findSharpBuild()).isNative });

async function run({ id, job }: ToThread): Promise<void> {
  try {
    if ('bytes' in job && !isAlone && (await isForOther(job))) {
      // sharp may still hold the buffer that it was given.
      const bytes = new Uint8Array(job.bytes);
      send({ kind: 'too much', id, bytes }, [bytes.buffer]);
    } else {
      send({ kind: 'done', id, answer: await handleImageRequest(job) });
    }
  } catch (thrown) {
    const { code, message, problems, hint } = asFoveaError(thrown);
    send({ kind: 'failed', id, error: { code, message, problems, hint } });
  }
}

/** What takes more than any thread may is refused here, by its header. */
async function isForOther(job: ImageRequest & { readonly bytes: Uint8Array }): Promise<boolean> {
  if (job.kind === 'readImageHeader' || job.kind === 'checkImageFile') return false;
  const { file, cost } = await weighImage(job.bytes);
  if (cost.bytes > limits.decodeBytesMax) return false;
  const isSlow = file.width * file.height > limits.decodeSharedPixelsMax;
  return isSlow || cost.bytes > limits.decodeSharedBytesMax;
}

function send(message: FromThread, buffers: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, [...buffers]);
}
