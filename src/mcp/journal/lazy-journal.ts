// The journal of this machine, opened by the first call that changes something.

import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Settings } from '../../config.ts';
import type { Log } from '../../log.ts';
import { once } from '../../once.ts';
import type { Journal, Reconciler } from './journal.ts';

export interface LazyJournal {
  /** Where the file cannot be opened, one that keeps nothing; the next call tries again. */
  get(): Promise<Journal>;
  close(): Promise<void>;
}

/** `readBacks` loads how lost calls are looked for, by the name of the tool. */
export function lazyJournal(
  { home, repeatWindowSeconds: windowSeconds }: Settings,
  log: Log,
  readBacks: () => Promise<ReadonlyMap<string, Reconciler>>,
): LazyJournal {
  const readBackOf = async (tool: string) => (await readBacks()).get(tool);
  const journal = once(async () => {
    const { openJournal } = await import('./open-journal.ts');
    const path = join(home, 'journal.sqlite');
    return openJournal({ path, clock: systemClock, log, windowSeconds, readBackOf });
  });
  let hasWarned = false;
  return {
    get: async () => {
      try {
        return await journal.get();
      } catch {
        const { journalFails, withoutRow } = await import('./open-journal.ts');
        if (!hasWarned) log.warn(journalFails);
        hasWarned = true;
        return { run: (call, _context, make) => withoutRow(call, make), close: async () => {} };
      }
    },
    close: async () => (await journal.started())?.close(),
  };
}
