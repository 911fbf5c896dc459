// Turns of work that takes long on the main thread and is done slice by slice.

import { setImmediate } from 'node:timers/promises';

let lastSlice: Promise<void> = Promise.resolve();

/** Slices of all callers take turns, so that many of them delay others no more than one. */
export function nextSlice(): Promise<void> {
  lastSlice = lastSlice.then(() => setImmediate());
  return lastSlice;
}
