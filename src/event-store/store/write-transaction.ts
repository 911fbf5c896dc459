// What the writes of one transaction have in common.

import { FoveaError } from '../../errors.ts';
import type { Database } from '../../storage/database.ts';
import { CountsByKind } from './counts-by-kind.ts';
import { migrations } from './schema.ts';
import type { Arrival } from './store.ts';
import { Totals } from './totals.ts';

export interface Writing {
  readonly database: Database;
  /** Microseconds since 1970. */
  readonly now: Arrival;
  readonly totals: Totals;
  readonly kinds: CountsByKind;
}

/** At the start of a transaction. Throws `internal` where a newer Fovea changed the tables. */
export function beginWriting(database: Database, now: Arrival): Writing {
  requireOwnTables(database);
  return { database, now, totals: new Totals(database), kinds: new CountsByKind() };
}

/** They were when the database was opened; another process may have a newer Fovea since then. */
function requireOwnTables(database: Database): void {
  const version = database.get('PRAGMA user_version', [], (row) => row.integer('user_version'));
  if (version === migrations.length) return;
  throw new FoveaError('internal', 'A newer Fovea has changed the tables of this data folder.', {
    hint: 'Start this one again with the newer version: nothing was stored.',
  });
}

/** At the end of a transaction: what the writes counted. */
export function finishWriting({ database, totals, kinds }: Writing): void {
  kinds.finish(database, totals);
  totals.finish();
}
