// Another caller of a service, in a thread of its own: what it waits is what an attack costs
// others.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Seen, Watched } from './latency-probe-thread.ts';

export interface Watcher {
  /** Asks this from now on. */
  watch(watched: Watched): void;
  /** What was seen since the last look. */
  take(): Promise<Seen>;
  pause(): void;
  close(): Promise<void>;
}

export function startWatcher(): Watcher {
  const worker = new Worker(new URL('./latency-probe-thread.ts', import.meta.url));
  return {
    watch: (watched) => worker.postMessage(watched),
    take: async () => {
      const answer = once(worker, 'message');
      worker.postMessage('take');
      const [seen]: Seen[] = await answer;
      if (seen === undefined) throw new Error('the watcher says nothing');
      return seen;
    },
    pause: () => worker.postMessage('stop'),
    close: async () => {
      await worker.terminate();
    },
  };
}
