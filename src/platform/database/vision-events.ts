// Vision events and their images, as rows.

import { FoveaError } from '../../errors.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { EventImage, VisionEvent, VisionEventStore } from '../store/vision-events.ts';
import { readMetadata } from './column-readers.ts';
import { addInferences } from './inferences.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import { countEvent } from './use-cases.ts';

export function visionEventStore(database: AsyncDatabase, reader: LongReads): VisionEventStore {
  return {
    query: (workspaceId, query) =>
      reader.read(workspaceId, { name: 'events', asked: [workspaceId, query] }),
    metadataFields: (workspaceId, useCaseId) =>
      reader.read(workspaceId, { name: 'metadataFields', asked: [workspaceId, useCaseId] }),
    addImage: (image) => database.transaction(() => addImage(database, image)),
    findImage: (workspaceId, id) =>
      database.get(
        'SELECT * FROM vision_event_images WHERE id = ? AND workspace_id = ?',
        [id, workspaceId],
        readImage,
      ),
    missingImages: (workspaceId, ids) =>
      database.all(
        `SELECT value AS id FROM json_each(:ids) AS wanted
         WHERE NOT EXISTS (SELECT 1 FROM vision_event_images
           WHERE id = wanted.value AND workspace_id = :workspaceId) ORDER BY wanted.key`,
        { ids: JSON.stringify([...new Set(ids)]), workspaceId },
        (row) => row.text('id'),
      ),
    add: (workspaceId, events, now) =>
      database.transaction(async () => {
        const added: boolean[] = [];
        for (const [index, event] of events.entries()) {
          const place = { index, argument: events.length === 1 ? '' : `events[${index}].` };
          added.push(await addEvent(database, workspaceId, event, now, place));
        }
        return added;
      }),
  };
}

async function addImage(database: AsyncDatabase, image: EventImage): Promise<EventImage> {
  const known = await database.get(
    'SELECT * FROM vision_event_images WHERE workspace_id = ? AND hash = ?',
    [image.workspaceId, image.hash],
    readImage,
  );
  if (known !== undefined) return known;
  const { id, workspaceId, hash, bytes, contentType, name, metadata, created } = image;
  await database.run(
    `INSERT INTO vision_event_images
       (id, workspace_id, hash, bytes, content_type, name, metadata, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, workspaceId, hash, bytes, contentType, name, JSON.stringify(metadata), created],
  );
  return image;
}

/** Of an event in the input: from 0, and as errors begin the path of its members. */
interface Place {
  readonly index: number;
  readonly argument: string;
}

async function addEvent(
  database: AsyncDatabase,
  workspaceId: string,
  event: VisionEvent,
  now: number,
  { index, argument }: Place,
): Promise<boolean> {
  const { useCaseId, eventId, eventType, occurred, content } = event;
  const added = await database.run(
    `INSERT INTO vision_events
       (workspace_id, use_case_id, event_id, event_type, occurred, content, created)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    [workspaceId, useCaseId, eventId, eventType, occurred, content, now],
  );
  if (added > 0) {
    await countEvent(database, workspaceId, useCaseId, `${argument}useCaseId`);
    if (event.inference) await addInferences(database, [event.inference]);
    return true;
  }
  const known = await database.get(
    `SELECT content FROM vision_events
     WHERE workspace_id = ? AND use_case_id = ? AND event_id = ?`,
    [workspaceId, useCaseId, eventId],
    (row) => row.text('content'),
  );
  if (known === content) return false;
  throw new FoveaError(
    'conflict',
    `The use case has another event under the eventId of event ${index + 1}.`,
    { hint: 'Give each event an id of its own; nothing was recorded.' },
  );
}

function readImage(row: Row): EventImage {
  return {
    id: row.text('id'),
    workspaceId: row.text('workspace_id'),
    hash: row.text('hash'),
    bytes: row.integer('bytes'),
    contentType: row.text('content_type'),
    name: row.text('name'),
    metadata: readMetadata(row),
    created: row.integer('created'),
  };
}
