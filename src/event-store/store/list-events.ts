// Pages of events.

import { limits } from '../../limits.ts';
import type { Row } from '../../storage/database.ts';
import { type FilteredEvent, looksInside } from './matching.ts';
import { type EventSink, type Events, scanEvents } from './scan-events.ts';
import type { EventPage, EventQuery, StoredEvent } from './store.ts';
import { charactersOf, readEvent } from './stored-event.ts';

/**
 * A page, bounded in its text too, and in the events that are looked at for it; where it ends for
 * these, or a filter looks inside of them, it says how many they were. Throws `cancelled` when
 * nobody waits for it any more.
 */
export async function listEvents(
  events: Events,
  query: EventQuery,
  signal?: AbortSignal,
): Promise<EventPage> {
  const page = new GrowingPage(query.limit);
  const { next, scanned, isCutOff } = await scanEvents(events, query, page, signal);
  const isTold = isCutOff || looksInside(query);
  return { events: page.events, next, ...(isTold && { scanned }) };
}

/** A page while it is read. */
class GrowingPage implements EventSink {
  readonly events: StoredEvent[] = [];
  readonly #limit: number;
  #characters = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get missing(): number {
    return this.#limit + 1 - this.events.length;
  }

  take(row: Row, filtered: FilteredEvent): boolean {
    this.#characters += charactersOf(row);
    const isTooMuch = this.events.length > 0 && this.#characters > limits.eventsPageCharactersMax;
    if (this.events.length === this.#limit || isTooMuch) return false;
    this.events.push(readEvent(row, filtered));
    return true;
  }
}
