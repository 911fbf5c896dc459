// The journal of this machine, opened by the first call that changes something.

import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import type { Settings } from '../../config.ts';
import type { Log } from '../../log.ts';
import { once } from '../../once.ts';
import type { Journal, ReadBack } from './journal.ts';

export interface LazyJournal {
  /** Undefined: it cannot be opened. Calls go on without it. */
  get(): Promise<Journal | undefined>;
  close(): Promise<void>;
}

/** `readBacks` loads how lost calls are looked for, by the name of the tool. */
export function lazyJournal(
  { home, repeatWindowSeconds: windowSeconds }: Settings,
  log: Log,
  readBacks: () => Promise<ReadonlyMap<string, ReadBack>>,
): LazyJournal {
  const readBackOf = async (tool: string) => (await readBacks()).get(tool);
  const journal = once(async () => {
    const { journalFails, openJournal } = await import('./open-journal.ts');
    const path = join(home, 'journal.sqlite');
    try {
      return openJournal({ path, clock: systemClock, log, windowSeconds, readBackOf });
    } catch {
      log.warn(journalFails);
      return undefined;
    }
  });
  return {
    get: journal.get,
    close: async () => (await journal.started())?.close(),
  };
}
