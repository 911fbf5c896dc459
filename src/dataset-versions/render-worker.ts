// The render thread: takes one job at a time from its parent.

import { parentPort } from 'node:worker_threads';
import { asFoveaError } from '../errors.ts';
import { loadSharp } from '../imaging/load-sharp.ts';
import { createKernel } from './kernel/kernel.ts';
import type { Kernel } from './kernel/operations.ts';
import { black } from './labelled-image.ts';
import { type Emit, RenderFailure, type RenderJob, renderSources } from './render-images.ts';
import type { WorkerReport } from './render-threads.ts';

const port = parentPort;
if (port === null) throw new Error('render-worker runs in a thread of render-threads.ts');

/** Images that the parent has not yet taken: more would only fill memory. */
const waitingMax = 4;

let kernel: Kernel | undefined;
let waiting = 0;
let taken: () => void = () => {};

port.on('message', (message: RenderJob | 'taken') => {
  if (message !== 'taken') return void run(message);
  waiting--;
  taken();
});

await loadSharp();
report({ kind: 'started' });

async function run(job: RenderJob): Promise<void> {
  kernel ??= createKernel();
  try {
    await renderSources(kernel, job, emitterFor(job));
    report({ kind: 'done' });
  } catch (thrown) {
    // Its memory may be in any state.
    kernel = undefined;
    report(failure(thrown));
  }
  if (kernel && memoryOf(kernel) > memoryKeptBytesMax) kernel = undefined;
}

/** All of its memory, in bytes: every view stands in it. */
function memoryOf({ mark, release, blank, bytes }: Kernel): number {
  const before = mark();
  const { buffer } = bytes(blank({ width: 1, height: 1 }, black));
  release(before);
  return buffer.byteLength;
}

/** Memory of a kernel does not shrink: after a huge image a new one starts small again. */
const memoryKeptBytesMax = 256 * 1024 * 1024;

/** Bytes that were made here move over; those of a source are still needed, and are copied. */
function emitterFor({ sources }: RenderJob): Emit {
  const kept = new Set(sources.map(({ bytes }) => bytes.buffer));
  return async (image) => {
    const { buffer } = image.bytes;
    const isOwn = buffer instanceof ArrayBuffer && !kept.has(buffer);
    port?.postMessage({ kind: 'image', image } satisfies WorkerReport, isOwn ? [buffer] : []);
    waiting++;
    while (waiting >= waitingMax) {
      await new Promise<void>((resolve) => {
        taken = resolve;
      });
    }
  };
}

function failure(thrown: unknown): WorkerReport {
  const at = thrown instanceof RenderFailure ? thrown.at : undefined;
  const { code, message, problems } = asFoveaError(at === undefined ? thrown : causeOf(thrown));
  return { kind: 'failed', at, code, message, problems };
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : thrown;
}

function report(message: WorkerReport): void {
  port?.postMessage(message);
}
