// What the writes of one transaction have in common.

import type { Database } from '../../storage/database.ts';
import { CountedIds } from './counted-ids.ts';
import { type Kind, kinds } from './kinds.ts';
import type { Arrival } from './store.ts';
import { termKeys } from './term-keys.ts';
import { Totals } from './totals.ts';

export interface Writing {
  readonly database: Database;
  /** Microseconds since 1970. */
  readonly now: Arrival;
  readonly totals: Totals;
  readonly kinds: CountedIds<Kind>;
  readonly termKeys: CountedIds<string>;
}

/** At the start of a transaction. */
export function beginWriting(database: Database, now: Arrival): Writing {
  return {
    ...{ database, now, totals: new Totals(database) },
    kinds: new CountedIds(database, kinds),
    termKeys: new CountedIds(database, termKeys),
  };
}

/** At the end of a transaction: what the writes counted. */
export function finishWriting(writing: Writing): void {
  writing.totals.finish();
  writing.kinds.finish();
  writing.termKeys.finish();
}
