// Starts the task that looks at new images, and waits for it where an answer depends on all looks.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { newId } from '../ids-and-slugs.ts';
import type { DescribedScope, SearchStore } from '../store/search.ts';
import { watchNewImages } from './new-images.ts';

export interface Descriptors {
  /**
   * Whether all images of these projects, or of the public ones, have been looked at. Waits for it,
   * at most for `limits.describeWaitMsMax`. Throws the reason of the signal.
   */
  areComplete(scope: DescribedScope, signal: AbortSignal): Promise<boolean>;
  /** Whose images come first, since somebody waits for them; undefined: nobody does. */
  readonly nextScope: DescribedScope | undefined;
}

export interface DescriptorOptions {
  readonly queue: TaskQueue;
  readonly search: SearchStore;
  readonly clock: Clock;
  /** Lets the workers look for tasks. */
  wake(): void;
}

export interface RunningDescriptors extends Descriptors {
  stop(): void;
}

/**
 * Looks once a second whether there are new images, also those that other processes took, and no
 * more are coming.
 */
export function startDescriptors({
  queue,
  search,
  clock,
  wake,
}: DescriptorOptions): RunningDescriptors {
  let lastTaskId = '';
  const start = async () => {
    const isDone = !(await search.hasUndescribed('all'));
    if (isDone && (await search.unmeasured(1)).length === 0) return;
    const last = await queue.get(lastTaskId);
    const hasFailed = last?.status === 'failed';
    if (hasFailed && clock.now() - last.updated < limits.describeRetryMs) return;
    const id = newId();
    if (!(await queue.addUnlessOpen({ id, kind: 'describe', payload: {} }))) return;
    lastTaskId = id;
    wake();
  };
  const newImages = watchNewImages(search, clock);
  const look = async () => {
    if ((await newImages()).isTime) await start();
  };
  // A failure is seen again by the next look, and by whoever waits.
  const timer = setInterval(() => look().catch(() => {}), limits.taskQueuePollMs).unref();
  const waiting = new Set<{ readonly scope: DescribedScope }>();
  return {
    areComplete: async (scope, signal) => {
      const endMs = clock.monotonic() + limits.describeWaitMsMax;
      const waiter = { scope };
      waiting.add(waiter);
      try {
        while (await search.hasUndescribed(scope)) {
          if (clock.monotonic() > endMs) return false;
          await start();
          await sleep(limits.describePollMs, undefined, { signal });
        }
        return true;
      } finally {
        waiting.delete(waiter);
      }
    },
    get nextScope() {
      const [first] = waiting;
      if (first === undefined) return undefined;
      // Those who wait take turns.
      waiting.delete(first);
      waiting.add(first);
      return first.scope;
    },
    stop: () => clearInterval(timer),
  };
}
