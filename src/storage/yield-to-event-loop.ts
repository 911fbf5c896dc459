// Lets others on while work that takes long on the main thread is done slice by slice.

import { setImmediate } from 'node:timers/promises';

let lastYield: Promise<void> = Promise.resolve();

/** Slices of all callers take turns, so that many of them delay others no more than one. */
export function yieldToEventLoop(): Promise<void> {
  lastYield = lastYield.then(() => setImmediate());
  return lastYield;
}
