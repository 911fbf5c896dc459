// What the writes of one transaction have in common.

import type { Database } from '../../storage/database.ts';
import type { Arrival } from './store.ts';
import type { TermKeys } from './term-keys.ts';
import type { Kinds, Totals } from './totals.ts';

export interface Writing {
  readonly database: Database;
  /** Microseconds since 1970. */
  readonly now: Arrival;
  readonly totals: Totals;
  readonly kinds: Kinds;
  readonly termKeys: TermKeys;
}
