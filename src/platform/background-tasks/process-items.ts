// Goes through many items of a task: several at a time, or in short transactions.

import { setImmediate } from 'node:timers/promises';

/**
 * At most `countMax` at a time, started in their order. The first that fails stops the others, and
 * is thrown.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  countMax: number,
  run: (item: Item, stop: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined && !stop.aborted; item = rest.shift()) {
      await run(item, stop).catch((thrown) => failed.abort(thrown));
    }
  };
  await Promise.all(Array.from({ length: countMax }, lane));
  stop.throwIfAborted();
}

/**
 * Runs chunks of at most `countMax` items, one after the other. Throws as `run`, and when aborted.
 */
export async function inChunks<Item>(
  items: readonly Item[],
  countMax: number,
  signal: AbortSignal,
  run: (chunk: readonly Item[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += countMax) {
    signal.throwIfAborted();
    await run(items.slice(from, from + countMax));
    // Statements resolve within this turn: without this, no call would be answered before the end.
    await setImmediate();
  }
}

/** Reports a hundred times at most: each report is a commit on the disk. */
export function throttleProgress(report: (done: number, total: number) => Promise<void>) {
  return async ({ done, total }: { readonly done: number; readonly total: number }) => {
    if (done === total || done % Math.ceil(total / 100) === 0) await report(done, total);
  };
}

/** For those who do not wait for it: a lease that is lost is found out by the next write. */
export function reportInBackground(report: (done: number, total: number) => Promise<void>) {
  const throttled = throttleProgress(report);
  return (progress: { readonly done: number; readonly total: number }) => {
    throttled(progress).catch(() => {});
  };
}
