// Who does the long reads of a store.

import type { Index } from './evaluate.ts';
import { doRead, type Question, type ReadAnswer, type ReadName } from './long-reads.ts';

export interface Reader {
  /**
   * `asker`: the workspace for whom it is; those of one workspace take turns. Throws as the read
   * does, `invalid_input` for one that takes too long or too much memory, and `rate_limited` where
   * too many of this workspace wait.
   */
  read<Name extends ReadName>(asker: string, question: Question<Name>): Promise<ReadAnswer<Name>>;
  /** What runs is given up. */
  close(): Promise<void>;
}

/** In the thread that asks, at once: nobody else is answered meanwhile. */
export function readHere(index: Index): Reader {
  return {
    read: async (_asker, question) => doRead(index, question),
    close: async () => {},
  };
}
