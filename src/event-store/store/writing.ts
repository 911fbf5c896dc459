// What the writes of one transaction have in common.

import { FoveaError } from '../../errors.ts';
import type { Database } from '../../storage/database.ts';
import { CountedIds } from './counted-ids.ts';
import type { CreatedEvent } from './indexed-event.ts';
import { keptWith } from './kept-with.ts';
import { type Kind, kinds } from './kinds.ts';
import { migrations } from './schema.ts';
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
  /** The events that were stored. */
  readonly created: CreatedEvent[];
}

/** At the start of a transaction. Throws `internal` where a newer Fovea changed the tables. */
export function beginWriting(database: Database, now: Arrival): Writing {
  requireOwnTables(database);
  const totals = new Totals(database);
  const kept = keptIds(database);
  // Rows of kinds and keys go only where events do, and each of those writes a line.
  const removals = totals.get('last_line');
  if (kept.removals !== removals) {
    kept.removals = removals;
    kept.kinds.clear();
    kept.termKeys.clear();
  }
  return {
    database,
    now,
    totals,
    kinds: new CountedIds(database, kinds, kept.kinds),
    termKeys: new CountedIds(database, termKeys, kept.termKeys),
    created: [],
  };
}

/** They were when the database was opened; another process may have a newer Fovea since then. */
function requireOwnTables(database: Database): void {
  const version = database.get('PRAGMA user_version', [], (row) => row.integer('user_version'));
  if (version === migrations.length) return;
  throw new FoveaError('internal', 'A newer Fovea has changed the tables of this data folder.', {
    hint: 'Start this one again with the newer version: nothing was stored.',
  });
}

/** Ids of rows that are on the disk, until so many events were removed. */
const keptIds = keptWith(() => ({
  removals: 0,
  kinds: new Map<string, number>(),
  termKeys: new Map<string, number>(),
}));

/** At the end of a transaction: what the writes counted. */
export function finishWriting(writing: Writing): void {
  writing.totals.finish();
  writing.kinds.finish();
  writing.termKeys.finish();
}
