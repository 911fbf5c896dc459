// Pages of events.

import type { Database } from '../../storage/database.ts';
import { matches } from './matching.ts';
import type { EventPage, EventQuery, StoredEvent } from './store.ts';
import { eventColumns, readEvent } from './stored-event.ts';

export async function listEvents(database: Database, query: EventQuery): Promise<EventPage> {
  const isNewestFirst = query.order === 'newest_first';
  const found: StoredEvent[] = [];
  let from = query.from ?? Number.MIN_SAFE_INTEGER;
  let until = query.until ?? Number.MAX_SAFE_INTEGER;
  for (;;) {
    const events = database.all(
      `SELECT ${eventColumns} FROM events WHERE arrival BETWEEN ? AND ?
       ORDER BY arrival ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT 200`,
      [from, until],
      readEvent,
    );
    for (const event of events) {
      if (!matches(event, query)) continue;
      if (found.length === query.limit) return { events: found, next: event.arrival };
      found.push(event);
    }
    const last = events.at(-1);
    if (last === undefined) return { events: found, next: undefined };
    if (isNewestFirst) until = last.arrival - 1;
    else from = last.arrival + 1;
  }
}
