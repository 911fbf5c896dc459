// The idempotency records of this machine, opened by the first call that changes something.

import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Settings } from '../../config.ts';
import { lazyStart } from '../../lazy-start.ts';
import type { Log } from '../../log.ts';
import type { Idempotency, Reconciler } from './idempotency.ts';

export interface LazyIdempotency {
  /** Where the file cannot be opened, calls run without records; the next call tries again. */
  get(): Promise<Idempotency>;
  close(): Promise<void>;
}

/** `loadReconcilers` loads how lost calls are looked for, by the name of the tool. */
export function createLazyIdempotency(
  { home, repeatWindowSeconds: windowSeconds }: Settings,
  log: Log,
  loadReconcilers: () => Promise<ReadonlyMap<string, Reconciler>>,
): LazyIdempotency {
  const reconcilerOf = async (tool: string) => (await loadReconcilers()).get(tool);
  const idempotency = lazyStart(async () => {
    const { openIdempotency } = await import('./idempotency.ts');
    const path = join(home, 'journal.sqlite');
    return openIdempotency({ path, clock: systemClock, log, windowSeconds, reconcilerOf });
  });
  let hasWarned = false;
  return {
    get: async () => {
      try {
        return await idempotency.get();
      } catch {
        const { recordsFail, runWithoutRecord } = await import('./idempotency.ts');
        if (!hasWarned) log.warn(recordsFail);
        hasWarned = true;
        return {
          identify: async (call) => ({
            recorded: undefined,
            run: (make) => runWithoutRecord(call, make),
          }),
          list: async () => undefined,
          close: async () => {},
        };
      }
    },
    close: async () => (await idempotency.started())?.close(),
  };
}
