// For work whose end would be lost with a service that is away: it is said once that is back.

import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../limits.ts';
import { awaitedService } from './service-away.ts';

/**
 * Tries again while a service is away, for `limits.taskOutageMsMax` at most; then throws what
 * failed. Throws the reason of the signal in place of another attempt.
 */
export async function waitUntilBack<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const pausesMax = limits.taskOutageMsMax / limits.taskPostponedMs;
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      if (awaitedService(thrown) === undefined || pauses >= pausesMax) throw thrown;
      await sleep(limits.taskPostponedMs, undefined, { signal, ref: false }).catch(() => {});
      signal.throwIfAborted();
    }
  }
}
