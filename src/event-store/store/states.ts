// Events by their upload state: each state, of held events and of others, is a run of one index.

import type { Database } from '../../storage/database.ts';
import type { Bounds } from '../index/event-index.ts';
import { mergedRuns, type Run } from './runs.ts';
import type { Arrival, UploadState } from './store.ts';

export function stateRuns(
  states: readonly UploadState[],
  held: readonly boolean[] = [false, true],
): Run[] {
  return held.flatMap((isHeld) =>
    states.map((state) => ({
      sql: 'FROM events INDEXED BY events_state WHERE held = ? AND upload = ?',
      parameters: [isHeld, state],
    })),
  );
}

/** The oldest of some runs, so many at most. */
export function oldestOf(
  database: Database,
  runs: readonly Run[],
  bounds: Partial<Bounds>,
  limit: number,
): Arrival[] {
  const { from = 0, until = Number.MAX_SAFE_INTEGER } = bounds;
  // As many of each run as are wanted of all, so the first batch has them.
  const [first] = mergedRuns(database, runs, { from, until }, 'oldest_first', limit);
  return (first ?? []).slice(0, limit);
}
