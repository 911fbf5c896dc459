// The render thread: takes one job at a time from its parent.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { asFoveaError } from '../errors.ts';
import { HashedBytes } from '../storage/content-hash.ts';
import { onDisk } from '../storage/disk-errors.ts';
import { writeSynced } from '../storage/write-synced-file.ts';
import { createKernel } from './kernel/kernel.ts';
import type { Kernel } from './kernel/operations.ts';
import { black } from './labelled-image.ts';
import {
  type RenderedImage,
  RenderFailure,
  type RenderJob,
  renderSources,
} from './render-images.ts';
import type { RenderWork, ToRenderer, WorkerReport } from './render-threads.ts';

const port = parentPort;
if (port === null) throw new Error('render-worker runs in a thread of render-threads.ts');

/** Images on their way to the disk and to the parent: a disk answers late, and more fill memory. */
const waitingMax = 16;
const waitingBytesMax = 16 * 1024 * 1024;

let kernel: Kernel | undefined;
/** The bytes of each, the oldest first. */
const waiting: number[] = [];
let goOn: () => void = () => {};

port.on('message', (message: ToRenderer) => {
  if (message !== 'taken') return void run(message);
  waiting.shift();
  goOn();
});

async function run({ job, folder }: RenderWork): Promise<void> {
  kernel ??= createKernel();
  const sending = new Sending(folder === undefined ? sendImage(job) : sendFile(job, folder));
  const rendering = renderSources(kernel, job, (image) => sending.add(image));
  const unmade = await rendering.then(() => undefined, toFailed);
  // Its memory may be in any state.
  if (unmade) kernel = undefined;
  const failed = (await sending.end()) ?? unmade;
  report(failed ? failure(failed.reason) : { kind: 'done' });
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

interface Failed {
  readonly reason: unknown;
}

function toFailed(reason: unknown): Failed {
  return { reason };
}

type Send = (image: RenderedImage) => Promise<void>;

/** Images of a job on their way; what fails of one fails the job. */
class Sending {
  readonly #send: Send;
  readonly #begun: Promise<void>[] = [];
  #failed: Failed | undefined;

  constructor(send: Send) {
    this.#send = send;
  }

  async add(image: RenderedImage): Promise<void> {
    waiting.push(image.bytes.byteLength);
    this.#begun.push(this.#send(image).catch((reason) => this.#fail(reason)));
    while (isFull() && this.#failed === undefined) {
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    }
    if (this.#failed) throw this.#failed.reason;
  }

  /** When nothing is on its way any more; what has failed. */
  async end(): Promise<Failed | undefined> {
    await Promise.all(this.#begun);
    return this.#failed;
  }

  #fail(reason: unknown): void {
    waiting.shift();
    this.#failed ??= { reason };
    goOn();
  }
}

function isFull(): boolean {
  const bytes = waiting.reduce((sum, each) => sum + each, 0);
  return waiting.length >= waitingMax || bytes >= waitingBytesMax;
}

/** Bytes that were made here move over; those of a source are still needed, and are copied. */
function sendImage({ sources }: RenderJob): Send {
  const kept = new Set(sources.map(({ bytes }) => bytes.buffer));
  return async (image) => {
    const { buffer } = image.bytes;
    const isOwn = buffer instanceof ArrayBuffer && !kept.has(buffer);
    report({ kind: 'image', image }, isOwn ? [buffer] : []);
  };
}

function sendFile({ sources }: RenderJob, folder: string): Send {
  return async (image) => {
    const { bytes, ...facts } = image;
    const source = sources[image.source];
    const isUnchanged = bytes === source?.bytes;
    const path = isUnchanged ? undefined : join(folder, randomUUID());
    const hash = isUnchanged ? source.hash : new HashedBytes(bytes).hash;
    if (path !== undefined) await onDisk(writeSynced(path, bytes));
    report({ kind: 'file', file: { ...facts, path, hash, bytes: bytes.byteLength } });
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

function report(message: WorkerReport, moved: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, moved);
}

report({ kind: 'started' });
