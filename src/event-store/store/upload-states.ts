// Events by their upload state: each state, of held events and of others, is a run of one index.

import type { Database } from '../../storage/database.ts';
import type { Arrival, UploadState } from './store.ts';

export interface StateQuery {
  readonly states: readonly UploadState[];
  /** Of held events, of others, or of both. */
  readonly held?: readonly boolean[];
  /** Both included. */
  readonly from?: Arrival;
  readonly until?: Arrival;
  readonly limit: number;
}

/** The oldest of them in order: as many of each run are read as are wanted of all. */
export function oldestOf(
  database: Database,
  { states, held = [false, true], from = 0, until = Number.MAX_SAFE_INTEGER, limit }: StateQuery,
): Arrival[] {
  const sql = `SELECT arrival FROM events INDEXED BY events_state
    WHERE held = ? AND upload = ? AND arrival BETWEEN ? AND ? ORDER BY arrival LIMIT ?`;
  const found = held.flatMap((isHeld) =>
    states.flatMap((state) =>
      database.all(sql, [isHeld, state, from, until, limit], (row) => row.integer('arrival')),
    ),
  );
  return found.sort((first, second) => first - second).slice(0, limit);
}
