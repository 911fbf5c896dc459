// Vision events and their images, as rows.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { EventImage, VisionEventStore } from '../store/vision-events.ts';
import { readMetadata } from './column-readers.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import { SharedEventWrites } from './shared-event-writes.ts';
import { useImages } from './write-vision-events.ts';

export function visionEventStore(database: AsyncDatabase, reader: LongReads): VisionEventStore {
  const writes = new SharedEventWrites(database);
  return {
    query: (workspaceId, query) =>
      reader.read(workspaceId, { name: 'events', asked: [workspaceId, query] }),
    content: (workspaceId, useCaseId, eventId) =>
      database.get(
        `SELECT content FROM vision_events
         WHERE workspace_id = ? AND use_case_id = ? AND event_id = ?`,
        [workspaceId, useCaseId, eventId],
        (row) => row.text('content'),
      ),
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
    admit: (caller, bytes) => writes.admit(caller, bytes),
    add: (workspaceId, events, now) => writes.add(workspaceId, events, now),
  };
}

async function addImage(database: AsyncDatabase, image: EventImage): Promise<EventImage> {
  const known = await database.get(
    'SELECT * FROM vision_event_images WHERE workspace_id = ? AND hash = ?',
    [image.workspaceId, image.hash],
    readImage,
  );
  const { id, workspaceId, hash, bytes, contentType, name, metadata, created } = image;
  if (known !== undefined) {
    await useImages(database, workspaceId, [known.id], created);
    return known;
  }
  await database.run(
    `INSERT INTO vision_event_images
       (id, workspace_id, hash, bytes, content_type, name, metadata, created, used)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [id, workspaceId, hash, bytes, contentType, name, JSON.stringify(metadata), created, created],
  );
  return image;
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
