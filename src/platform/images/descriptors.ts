// Starts the task that looks at new images, and waits for it where an answer depends on all looks.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { newId } from '../ids-and-slugs.ts';
import type { AccessibleProjects, SearchStore } from '../store/search.ts';

export interface Descriptors {
  /**
   * Whether all images of these projects, or of the public ones, have been looked at. Waits for it,
   * at most for `limits.describeWaitMsMax`. Throws the reason of the signal.
   */
  areComplete(projects: AccessibleProjects | 'public', signal: AbortSignal): Promise<boolean>;
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
  let newest = 0;
  let heldBackSinceMs: number | undefined;
  /** While images come, their uploads have the processor: for a while. */
  const isHeldBack = async () => {
    const before = newest;
    newest = await search.newest();
    heldBackSinceMs ??= clock.monotonic();
    return newest > before && clock.monotonic() - heldBackSinceMs < limits.describeHeldBackMsMax;
  };
  const start = async () => {
    const [first] = await search.undescribed(1);
    if (first === undefined) return;
    const last = await queue.get(lastTaskId);
    const hasFailed = last?.status === 'failed';
    if (hasFailed && clock.now() - last.updated < limits.describeRetryMs) return;
    const id = newId();
    if (!(await queue.addUnlessOpen({ id, kind: 'describe', payload: {} }))) return;
    lastTaskId = id;
    heldBackSinceMs = undefined;
    wake();
  };
  const look = async () => {
    if (!(await isHeldBack())) await start();
  };
  // A failure is seen again by the next look, and by whoever waits.
  const timer = setInterval(() => look().catch(() => {}), limits.taskQueuePollMs).unref();
  return {
    areComplete: async (projects, signal) => {
      const endMs = clock.monotonic() + limits.describeWaitMsMax;
      while (await search.hasUndescribed(projects)) {
        if (clock.monotonic() > endMs) return false;
        await start();
        await sleep(limits.describePollMs, undefined, { signal });
      }
      return true;
    },
    stop: () => clearInterval(timer),
  };
}
