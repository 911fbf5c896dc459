// The thread that reads annotation files: of a zip file, and those that come one by one.

import { extname } from 'node:path';
import { limits } from '../../limits.ts';
import { startWorkerThread, type WorkerThread } from '../../worker-thread.ts';
import type { FromReader, ReaderData, ToReader } from './annotation-thread-messages.ts';

export type ReaderThread = WorkerThread<ToReader, FromReader>;

/** Throws the reason of an abort. */
export function startReaderThread(data: ReaderData, signal: AbortSignal): Promise<ReaderThread> {
  const entry = new URL(`./annotation-worker${extname(import.meta.url)}`, import.meta.url);
  const megabytesMax = limits.annotationThreadMegabytesMax;
  return startWorkerThread({ entry, data, megabytesMax }, signal);
}
