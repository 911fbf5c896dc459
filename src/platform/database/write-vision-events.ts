// Writes vision events by few statements, however many there are: each once.

import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import { insertRows } from '../../storage/insert-rows.ts';
import type { VisionEvent } from '../store/vision-events.ts';
import { addInferences } from './inferences.ts';
import { type CountedEvents, countEvents, knownUseCases } from './use-cases.ts';

/** An event, and when it came, in milliseconds since 1970. */
export interface ArrivedEvent {
  readonly event: VisionEvent;
  readonly created: number;
}

/** Thrown where those who write together are to write each alone, for the log of changes. */
export class WriteAlone extends Error {}

/**
 * In the transaction of the caller. Says of each event whether it is new. Throws as `add` of the
 * store; and `WriteAlone` where a use case is new and `isShared`: events of several calls.
 */
export async function writeEvents(
  database: AsyncDatabase,
  workspaceId: string,
  events: readonly ArrivedEvent[],
  isShared: boolean,
): Promise<readonly boolean[]> {
  const first = firstOfEach(events);
  const useCaseIds = [...new Set(events.map(({ event }) => event.useCaseId))];
  const [known, added] = await Promise.all([
    knownUseCases(database, workspaceId, useCaseIds),
    insertRows(database, {
      into: `vision_events
        (workspace_id, use_case_id, event_id, event_type, occurred, content, created)`,
      ending: 'ON CONFLICT DO NOTHING RETURNING use_case_id, event_id',
      rows: [...first.values()].map(({ event, created }) => {
        const { useCaseId, eventId, eventType, occurred, content } = event;
        return [workspaceId, useCaseId, eventId, eventType, occurred, content, created];
      }),
      read: (row) => keyOf({ useCaseId: row.text('use_case_id'), eventId: row.text('event_id') }),
    }),
  ]);
  const isNew = new Set(added);
  const there = [...first].filter(([key]) => !isNew.has(key)).map(([, { event }]) => event);
  await refuseOthers(database, workspaceId, there, events);
  const fresh = [...first].filter(([key]) => isNew.has(key)).map(([, { event }]) => event);
  if (fresh.length > 0) {
    const counts = countsOf(fresh, events);
    if (isShared && [...counts.keys()].some((id) => !known.has(id))) throw new WriteAlone();
    await countEvents(database, workspaceId, counts, known);
    await addInferences(
      database,
      fresh.flatMap(({ inference }) => inference ?? []),
    );
    const images = fresh.flatMap(({ imageIds }) => imageIds);
    await useImages(database, workspaceId, images, events[0]?.created ?? 0);
  }
  return events.map((arrived) => {
    const key = keyOf(arrived.event);
    return isNew.has(key) && first.get(key) === arrived;
  });
}

/** Images that are used are kept as long as the events that refer to them. */
export async function useImages(
  database: AsyncDatabase,
  workspaceId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  await database.run(
    `UPDATE vision_event_images SET used = :now
     WHERE id IN (SELECT value FROM json_each(:ids)) AND workspace_id = :workspaceId
       AND used < :stale`,
    {
      ids: JSON.stringify([...new Set(ids)]),
      workspaceId,
      now,
      stale: now - limits.visionEventImageUseMs,
    },
  );
}

/** By their keys. Throws `conflict` for two of one key that are not equal. */
function firstOfEach(events: readonly ArrivedEvent[]): ReadonlyMap<string, ArrivedEvent> {
  const first = new Map<string, ArrivedEvent>();
  for (const [index, arrived] of events.entries()) {
    const key = keyOf(arrived.event);
    const before = first.get(key);
    if (before === undefined) first.set(key, arrived);
    else if (before.event.content !== arrived.event.content) throw anotherEvent(index);
  }
  return first;
}

function keyOf({ useCaseId, eventId }: Pick<VisionEvent, 'useCaseId' | 'eventId'>): string {
  return JSON.stringify([useCaseId, eventId]);
}

/** Throws `conflict` where an event is there already, and is another one. */
async function refuseOthers(
  database: AsyncDatabase,
  workspaceId: string,
  there: readonly VisionEvent[],
  events: readonly ArrivedEvent[],
): Promise<void> {
  if (there.length === 0) return;
  const keys = there.map(({ useCaseId, eventId }) => [useCaseId, eventId]);
  const contents = new Map(
    await database.all(
      `SELECT use_case_id, event_id, content FROM json_each(?) AS wanted
         CROSS JOIN vision_events
         ON use_case_id = wanted.value ->> 0 AND event_id = wanted.value ->> 1
       WHERE workspace_id = ?`,
      [JSON.stringify(keys), workspaceId],
      (row) => [
        keyOf({ useCaseId: row.text('use_case_id'), eventId: row.text('event_id') }),
        row.text('content'),
      ],
    ),
  );
  const index = events.findIndex(({ event }) => {
    const content = contents.get(keyOf(event));
    return content !== undefined && content !== event.content;
  });
  if (index >= 0) throw anotherEvent(index);
}

function anotherEvent(index: number): FoveaError {
  return new FoveaError(
    'conflict',
    `The use case has another event under the eventId of event ${index + 1}.`,
    { hint: 'Give each event an id of its own; nothing was recorded.' },
  );
}

/** By use case; each with the place of the first event that is new. */
function countsOf(
  fresh: readonly VisionEvent[],
  events: readonly ArrivedEvent[],
): ReadonlyMap<string, CountedEvents> {
  const counts = new Map<string, CountedEvents>();
  for (const event of fresh) {
    const { useCaseId } = event;
    const { count, argument } = counts.get(useCaseId) ?? {
      count: 0,
      argument: argumentOf(event, events),
    };
    counts.set(useCaseId, { count: count + 1, argument });
  }
  return counts;
}

/** Where the input names the use case of an event. */
function argumentOf(event: VisionEvent, events: readonly ArrivedEvent[]): string {
  if (events.length === 1) return 'useCaseId';
  return `events[${events.findIndex((arrived) => arrived.event === event)}].useCaseId`;
}
