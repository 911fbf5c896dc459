// Removes vision events that are kept no longer: many at once, by the index of times.

import type { AsyncDatabase } from '../../storage/async-database.ts';

/** In the transaction of the caller. `before`: milliseconds since 1970. Says how many. */
export async function removeOldEvents(
  database: AsyncDatabase,
  before: number,
  countMax: number,
): Promise<number> {
  const removed = await database.all(
    `DELETE FROM vision_events WHERE (workspace_id, use_case_id, event_id) IN (
       SELECT vision_events.workspace_id, use_case_id, event_id
       FROM use_cases CROSS JOIN vision_events INDEXED BY vision_events_time
         ON vision_events.workspace_id = use_cases.workspace_id AND use_case_id = use_cases.id
       WHERE occurred < ? LIMIT ?)
     RETURNING workspace_id, use_case_id`,
    [before, countMax],
    (row) => JSON.stringify([row.text('workspace_id'), row.text('use_case_id')]),
  );
  if (removed.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const useCase of removed) counts.set(useCase, (counts.get(useCase) ?? 0) + 1);
  await database.run(
    `UPDATE use_cases SET events = events - CAST(removed.value ->> 2 AS BIGINT)
     FROM json_each(?) AS removed
     WHERE workspace_id = removed.value ->> 0 AND use_cases.id = removed.value ->> 1`,
    [JSON.stringify([...counts].map(([useCase, count]) => [...JSON.parse(useCase), count]))],
  );
  return removed.length;
}
