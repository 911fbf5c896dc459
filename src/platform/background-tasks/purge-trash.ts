// Deletes what is past its retention, in the trash and elsewhere; hourly, once for all processes.

import { setImmediate } from 'node:timers/promises';
import { type Clock, dayMs } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { Claim, TaskQueue } from '../../storage/task-queue.ts';
import type { DueItem } from '../store/purge-trash.ts';
import type { Store } from '../store/store.ts';
import type { BackgroundTask, TaskDependencies } from './background-task.ts';

/** Queues the purge of this hour, unless another process has done so. */
export async function addPurge(queue: TaskQueue, clock: Clock): Promise<void> {
  const id = `purge-${Math.floor(clock.now() / limits.purgeIntervalMs)}`;
  await queue.addOnce({ id, kind: 'purge', payload: {} });
}

/** Goes on past items that cannot be removed; the task then fails at its end. */
export const purgeTrash: BackgroundTask = async (dependencies, claim, signal) => {
  const { store, clock, uploads } = dependencies;
  const before = clock.now() - limits.trashRetentionMs;
  const items = await store.purge.due(before, clock.now() - limits.freezeMsMax);
  const thrown: unknown[] = [];
  const attempt = async (run: () => Promise<void>) => {
    await run().catch((error: unknown) => {
      signal.throwIfAborted();
      thrown.push(error);
    });
  };
  for (const item of items) await attempt(() => purgeItem(store, item, before, claim, signal));
  const { purge } = store;
  const inferencesBefore = clock.now() - limits.inferenceAgeMsMax;
  const videoJobsBefore = clock.now() - limits.videoJobAgeMsMax;
  const rounds: readonly Round[] = [
    (countMax) => purge.oldInferences(inferencesBefore, countMax, claim.fenced),
    (countMax) => purge.oldVideoJobs(videoJobsBefore, countMax, claim.fenced),
    (countMax) => purge.oldImages(before, countMax, claim.fenced),
    (countMax) => purge.oldClassChanges(before, countMax, claim.fenced),
    (countMax) => purge.oldActivity(countMax, claim.fenced),
    // Last: a video job needs its task for as long as it exists.
    (countMax) => purge.oldWork(before, countMax, claim.fenced),
  ];
  for (const round of rounds) await attempt(() => repeat(round, signal));
  for (const round of eventRounds(dependencies, claim)) {
    await attempt(() => repeat(round, signal, limits.visionEventsPurgedAtOnceMax));
  }
  await attempt(() => uploads.purge());
  if (thrown.length > 0) throw thrown[0];
  return { removed: items.length };
};

async function purgeItem(
  { purge }: Store,
  item: DueItem,
  before: number,
  claim: Claim,
  signal: AbortSignal,
): Promise<void> {
  const countMax = limits.purgeRowsAtOnceMax;
  while ((await purge.purgeSome(item, before, countMax, claim.fenced)) === 'more') {
    await giveWay(signal);
  }
}

/** Removes some rows, and says how many. */
type Round = (countMax: number) => Promise<number>;

async function repeat(
  round: Round,
  signal: AbortSignal,
  countMax: number = limits.purgeRowsAtOnceMax,
): Promise<void> {
  while ((await round(countMax)) > 0) await giveWay(signal);
}

/** Vision events that are kept no longer, and the images that they alone referred to. */
function eventRounds(
  { store: { purge }, clock, visionEventDays }: TaskDependencies,
  claim: Claim,
): readonly Round[] {
  if (visionEventDays === undefined) return [];
  const before = clock.now() - visionEventDays * dayMs;
  // The use of an image is noted once a day, and an event may lie ahead of its arrival.
  const imagesBefore = before - limits.visionEventImageUseMs - limits.visionEventAheadMsMax;
  return [
    (countMax) => purge.oldEvents(before, countMax, claim.fenced),
    (countMax) => purge.oldEventImages(imagesBefore, countMax, claim.fenced),
  ];
}

/** Calls are answered in between: a transaction is synchronous. */
async function giveWay(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}
