// Reads vision events: a page of those that meet a query, and what custom metadata they have.

import { memberOf, membersOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { EventPage, EventPlace, EventQuery, MetadataFields } from '../store/vision-events.ts';
import { matcherOf } from './vision-event-conditions.ts';

/** The newest first; events of one time by their ids. */
const newestFirst = 'ORDER BY occurred DESC, event_id DESC';

/** Looks through the events of a use case, from the place on where the page before ended. */
export async function findEvents(
  database: AsyncReader,
  workspaceId: string,
  query: EventQuery,
): Promise<EventPage> {
  const { useCaseId, eventTypes, from, until, after } = query;
  // One bound from above, which the index looks up: from the second page on it is the place.
  const before = after ?? { occurred: (until ?? latest) + 1, eventId: '' };
  const page = new FoundEvents(query);
  await database.each(
    `SELECT occurred, event_id, content FROM vision_events INDEXED BY vision_events_time
     WHERE workspace_id = :workspace AND use_case_id = :useCase
       AND (occurred, event_id) < (:occurred, :eventId) AND occurred >= :from
       AND (:any = 1 OR event_type IN (SELECT value FROM json_each(:types)))
     ${newestFirst}`,
    {
      workspace: workspaceId,
      useCase: useCaseId,
      ...before,
      from: from ?? -latest,
      any: eventTypes === undefined,
      types: JSON.stringify(eventTypes ?? []),
    },
    (row) => page.look(row),
  );
  return page.result();
}

/** Milliseconds since 1970 that no date can have. */
const latest = 8.64e15;

class FoundEvents {
  readonly #limit: number;
  readonly #matches: (content: string) => boolean;
  readonly #contents: string[] = [];
  #read = 0;
  #characters = 0;
  #end: EventPlace | undefined;
  #hasMore = false;

  constructor({ limit, conditions }: EventQuery) {
    this.#limit = limit;
    this.#matches = matcherOf(conditions);
  }

  /** Whether the next event is to be looked at. */
  look(row: Row): boolean {
    const hasAny = this.#contents.length > 0;
    // An empty page would look like the end: what it reads until it finds one does not count.
    if (hasAny && this.#read >= limits.visionEventsReadMax) return this.#stop();
    const content = row.text('content');
    const isFound = this.#matches(content);
    if (isFound && hasAny && !this.#hasRoomFor(content)) return this.#stop();
    if (hasAny) this.#read += 1;
    this.#end = { occurred: row.integer('occurred'), eventId: row.text('event_id') };
    if (!isFound) return true;
    this.#contents.push(content);
    this.#characters += content.length;
    return true;
  }

  result(): EventPage {
    return { contents: this.#contents, next: this.#hasMore ? this.#end : undefined };
  }

  #hasRoomFor(content: string): boolean {
    if (this.#contents.length >= this.#limit) return false;
    return this.#characters + content.length <= limits.eventsPageCharactersMax;
  }

  #stop(): boolean {
    this.#hasMore = true;
    return false;
  }
}

/** Of the newest events, as many as may be looked at in one call. */
export async function readMetadataFields(
  database: AsyncReader,
  workspaceId: string,
  useCaseId: string,
): Promise<MetadataFields> {
  const seen = new SeenFields();
  await database.each(
    `SELECT content FROM vision_events INDEXED BY vision_events_time
     WHERE workspace_id = ? AND use_case_id = ? ${newestFirst}`,
    [workspaceId, useCaseId],
    (row) => seen.look(row.text('content')),
  );
  return seen.result();
}

class SeenFields {
  readonly #types = new Map<string, Set<string>>();
  #eventsRead = 0;
  #characters = 0;
  #isWhole = true;

  /** Whether the next event is to be looked at. */
  look(content: string): boolean {
    this.#isWhole =
      this.#eventsRead < limits.metadataEventsMax &&
      this.#characters < limits.metadataEventsCharactersMax &&
      this.#types.size < limits.metadataFieldsMax;
    if (!this.#isWhole) return false;
    this.#eventsRead += 1;
    this.#characters += content.length;
    const metadata = membersOf(memberOf(JSON.parse(content), 'customMetadata'));
    for (const [name, value] of Object.entries(metadata)) {
      this.#types.set(name, (this.#types.get(name) ?? new Set()).add(typeof value));
    }
    return true;
  }

  result(): MetadataFields {
    const fields = [...this.#types]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, types]) => [name, [...types].sort()] as const);
    return { fields, eventsRead: this.#eventsRead, isWhole: this.#isWhole };
  }
}
