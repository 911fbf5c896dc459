// What the writes of one transaction have in common.

import type { Database } from '../../storage/database.ts';
import type { Arrival } from './store.ts';
import { TermKeys } from './term-keys.ts';
import { Kinds, Totals } from './totals.ts';

export interface Writing {
  readonly database: Database;
  /** Microseconds since 1970. */
  readonly now: Arrival;
  readonly totals: Totals;
  readonly kinds: Kinds;
  readonly termKeys: TermKeys;
}

/** At the start of a transaction. */
export function beginWriting(database: Database, now: Arrival): Writing {
  return {
    ...{ database, now, totals: new Totals(database) },
    ...{ kinds: new Kinds(database), termKeys: new TermKeys(database) },
  };
}

/** At the end of a transaction: what the writes counted. */
export function finishWriting({ totals, kinds, termKeys }: Writing): void {
  totals.finish();
  kinds.finish();
  termKeys.finish();
}
