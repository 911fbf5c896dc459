// Starts a thread in this process.

import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../environment.ts';

export interface ThreadStart {
  /** The address of the module that it runs. */
  readonly entry: string;
  /** Its `workerData`. */
  readonly data: unknown;
  /** As in WorkerThreadOptions. */
  readonly megabytesMax?: number;
  readonly youngMegabytesMax?: number;
}

export function startThread({ entry, data, ...heap }: ThreadStart): Worker {
  const { megabytesMax, youngMegabytesMax } = heap;
  return new Worker(new URL(entry), {
    workerData: data,
    env: threadEnvironment(),
    resourceLimits: {
      ...(megabytesMax !== undefined && { maxOldGenerationSizeMb: megabytesMax }),
      ...(youngMegabytesMax !== undefined && { maxYoungGenerationSizeMb: youngMegabytesMax }),
    },
  });
}
