// The idempotency records of this machine, opened by the first call that changes something.

import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Settings } from '../../config.ts';
import type { Log } from '../../log.ts';
import { once } from '../../once.ts';
import type { Idempotency, Reconciler } from './idempotency.ts';

export interface LazyIdempotency {
  /** Where the file cannot be opened, one that keeps nothing; the next call tries again. */
  get(): Promise<Idempotency>;
  close(): Promise<void>;
}

/** `readBacks` loads how lost calls are looked for, by the name of the tool. */
export function createLazyIdempotency(
  { home, repeatWindowSeconds: windowSeconds }: Settings,
  log: Log,
  readBacks: () => Promise<ReadonlyMap<string, Reconciler>>,
): LazyIdempotency {
  const readBackOf = async (tool: string) => (await readBacks()).get(tool);
  const idempotency = once(async () => {
    const { openIdempotency: openJournal } = await import('./open-idempotency.ts');
    const path = join(home, 'journal.sqlite');
    return openJournal({ path, clock: systemClock, log, windowSeconds, reconcilerOf: readBackOf });
  });
  let hasWarned = false;
  return {
    get: async () => {
      try {
        return await idempotency.get();
      } catch {
        const { recordsFail, runWithoutRecord } = await import('./open-idempotency.ts');
        if (!hasWarned) log.warn(recordsFail);
        hasWarned = true;
        return {
          run: (call, _context, make) => runWithoutRecord(call, make),
          close: async () => {},
        };
      }
    },
    close: async () => (await idempotency.started())?.close(),
  };
}
