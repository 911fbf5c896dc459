// The rows of files.

import { FoveaError } from '../../errors.ts';
import type { Database, Row } from '../../storage/database.ts';
import type { Arrival, FileKind, NewFile, StoredFile } from './store.ts';

export function insertFile(
  database: Database,
  arrival: Arrival,
  position: number,
  { id, kind, label, contentType, bytes, diskBytes }: NewFile,
): void {
  database.run(
    `INSERT INTO files (arrival, position, id, kind, label, content_type, bytes, disk_bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [arrival, position, id, kind, label, contentType, bytes, diskBytes],
  );
}

export function findFile(database: Database, fileId: string): StoredFile | undefined {
  const sql = `SELECT files.*, events.id AS event_id FROM files JOIN events USING (arrival)
    WHERE files.id = ?`;
  return database.get(sql, [fileId], readFile);
}

/** The images of an event, in the order in which it got them. */
export function imagesOf(database: Database, arrival: Arrival, eventId: string): StoredFile[] {
  return database.all(
    `SELECT files.*, events.id AS event_id FROM events JOIN files USING (arrival)
     WHERE events.arrival = ? AND events.id = ? AND files.kind = 'image' ORDER BY position`,
    [arrival, eventId],
    readFile,
  );
}

export function readFileKind(row: Row): FileKind {
  return fileKind(row.text('kind'));
}

/** The arguments of json_object for a file, to be read by `readFiles`. */
export const fileColumns = `'id', id, 'kind', kind, 'label', label, 'contentType', content_type,
  'bytes', bytes, 'diskBytes', disk_bytes, 'sourceId', source_id`;

export function readFiles(list: unknown, eventId: string): StoredFile[] {
  if (!Array.isArray(list)) throw unknownFile();
  return list.map((file: unknown) => {
    if (!isFile(file)) throw unknownFile();
    const { id, kind, label, contentType, bytes, diskBytes, sourceId } = file;
    return {
      id,
      eventId,
      kind: fileKind(kind),
      label: label ?? undefined,
      contentType,
      bytes,
      diskBytes,
      sourceId: sourceId ?? undefined,
    };
  });
}

interface FileMembers {
  readonly id: string;
  readonly kind: string;
  readonly label: string | null;
  readonly contentType: string;
  readonly bytes: number;
  readonly diskBytes: number;
  readonly sourceId: string | null;
}

/** The table is strict, so what has the members has them of their types. */
function isFile(value: unknown): value is FileMembers {
  return typeof value === 'object' && value !== null && 'id' in value && 'sourceId' in value;
}

function readFile(row: Row): StoredFile {
  return {
    id: row.text('id'),
    eventId: row.text('event_id'),
    kind: readFileKind(row),
    label: row.optionalText('label'),
    contentType: row.text('content_type'),
    bytes: row.integer('bytes'),
    diskBytes: row.integer('disk_bytes'),
    sourceId: row.optionalText('source_id'),
  };
}

const kinds: readonly FileKind[] = ['image', 'video', 'local_only'];

function fileKind(text: string): FileKind {
  const kind = kinds.find((name) => name === text);
  if (kind === undefined) throw unknownFile();
  return kind;
}

function unknownFile(): FoveaError {
  return new FoveaError('internal', 'The database holds an unknown file.');
}
