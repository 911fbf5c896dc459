// Long work in short transactions, so that calls are answered in between.

import { setImmediate } from 'node:timers/promises';

/** Runs slices of at most `countMax`, one after the other. Throws as `run`, and when aborted. */
export async function inSlices<Item>(
  items: readonly Item[],
  countMax: number,
  signal: AbortSignal,
  run: (slice: readonly Item[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < items.length; from += countMax) {
    signal.throwIfAborted();
    await run(items.slice(from, from + countMax));
    // A transaction is synchronous: without this, no call would be answered before the last slice.
    await setImmediate();
  }
}
