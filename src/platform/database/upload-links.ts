// Uploads by signed links, and the reports of zip imports.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { NewTask, TaskQueue } from '../../storage/task-queue.ts';
import type { Received, Upload, UploadStore, ZipReport } from '../store/upload-links.ts';
import { keepRefused } from './refused-files.ts';

const uploads = `
CREATE TABLE uploads (
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces, kind TEXT NOT NULL,
  task_id TEXT, name TEXT NOT NULL,
  -- Where the file lies; set together with its size, once it is there.
  file TEXT, bytes INTEGER,
  -- When the last attempt to send it began.
  receiving INTEGER,
  expires INTEGER NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_task ON uploads (task_id);
CREATE INDEX uploads_file ON uploads (file);
CREATE TABLE zip_reports (
  task_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, hash TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX zip_reports_hash ON zip_reports (hash);
`;

export const uploadTables: Migration = {
  name: 'uploads',
  sql: uploads,
  // A data folder has the key of signed links in a file.
  postgres: `${uploads}
    CREATE TABLE link_key (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), key BLOB NOT NULL);`,
};

/** Which of these rows point at a blob; an uploaded file may be one. */
export const uploadBlobs: readonly string[] = [
  'SELECT 1 FROM zip_reports WHERE hash = ?',
  'SELECT 1 FROM uploads WHERE file = ?',
];

export function uploadStore(database: AsyncDatabase, queue: TaskQueue): UploadStore {
  return {
    add: (upload, newTask) => add(database, queue, upload, newTask),
    startImport: async (task) => {
      await database.transaction(() => queue.add(task));
    },
    find: (id) => database.get('SELECT * FROM uploads WHERE id = ?', [id], readUpload),
    ofTask: (taskId) =>
      database.get('SELECT * FROM uploads WHERE task_id = ?', [taskId], readUpload),
    countWaiting: async (workspaceId, now) =>
      (await database.get(
        `SELECT count(*) AS count FROM uploads
         WHERE workspace_id = ? AND file IS NULL AND expires > ?`,
        [workspaceId, now],
        (row) => row.integer('count'),
      )) ?? 0,
    setReceiving: async (id, since) => {
      await database.run('UPDATE uploads SET receiving = ? WHERE id = ?', [since, id]);
    },
    endReceiving: async (id, since) => {
      const sql = 'UPDATE uploads SET receiving = NULL WHERE id = ? AND receiving = ?';
      await database.run(sql, [id, since]);
    },
    received: (id, file, bytes) =>
      database.transaction(() => received(database, queue, id, file, bytes)),
    hasFile: async (file) =>
      (await database.get('SELECT id FROM uploads WHERE file = ?', [file], (row) =>
        row.text('id'),
      )) !== undefined,
    purge: (now, usedBefore, receivingBefore) =>
      database.transaction(async () => [
        ...(await giveUpLate(database, queue, now, receivingBefore)),
        ...(await forgetUsed(database, usedBefore)),
      ]),
    addReport: async (report, fenced) => fenced(() => addReport(database, report)),
    since: async (imageId, time) =>
      (await database.get(
        `SELECT created >= ? AS is_new, coalesce(annotated_at, -1) >= ? AS is_annotated
         FROM images WHERE id = ?`,
        [time, time, imageId],
        (row) => ({ isNew: row.boolean('is_new'), isAnnotated: row.boolean('is_annotated') }),
      )) ?? { isNew: false, isAnnotated: false },
  };
}

async function addReport(
  database: AsyncDatabase,
  { taskId, workspaceId, projectId, hash, refused, now }: ZipReport,
): Promise<void> {
  await database.run(
    `INSERT INTO zip_reports (task_id, workspace_id, hash, created) VALUES (?, ?, ?, ?)
     ON CONFLICT (task_id) DO UPDATE SET hash = excluded.hash`,
    [taskId, workspaceId, hash, now],
  );
  await keepRefused(database, projectId, refused);
}

async function add(
  database: AsyncDatabase,
  queue: TaskQueue,
  upload: Omit<Upload, 'file' | 'bytes'>,
  newTask: NewTask | undefined,
): Promise<void> {
  const { id, workspaceId, kind, taskId, name, expires, created } = upload;
  await database.transaction(async () => {
    await database.run(
      `INSERT INTO uploads (id, workspace_id, kind, task_id, name, expires, created)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [id, workspaceId, kind, taskId, name, expires, created],
    );
    if (newTask) await queue.add({ ...newTask, held: true });
  });
}

async function received(
  database: AsyncDatabase,
  queue: TaskQueue,
  id: string,
  file: string,
  bytes: number,
): Promise<Received> {
  const upload = await database.get('SELECT * FROM uploads WHERE id = ?', [id], readUpload);
  if (upload === undefined) return 'missing';
  if (upload.file !== undefined) return 'taken_before';
  if (upload.taskId !== undefined && !(await queue.begin(upload.taskId))) return 'over';
  await database.run('UPDATE uploads SET file = ?, bytes = ?, receiving = NULL WHERE id = ?', [
    file,
    bytes,
    id,
  ]);
  return 'taken';
}

async function giveUpLate(
  database: AsyncDatabase,
  queue: TaskQueue,
  now: number,
  receivingBefore: number,
): Promise<readonly string[]> {
  const late = await database.all(
    `SELECT * FROM uploads WHERE file IS NULL AND expires <= ?
       AND (receiving IS NULL OR receiving <= ?) LIMIT 500`,
    [now, receivingBefore],
    readUpload,
  );
  for (const { taskId } of late) {
    if (taskId !== undefined) {
      await queue.failUnclaimed(taskId, 'No file was uploaded within an hour.', 'invalid_input');
    }
  }
  await removeUploads(database, late);
  return [];
}

async function forgetUsed(database: AsyncDatabase, usedBefore: number): Promise<readonly string[]> {
  const old = await database.all(
    `SELECT * FROM uploads WHERE file IS NOT NULL AND created <= ? AND NOT EXISTS (
       SELECT 1 FROM work WHERE status IN ('created', 'running')
         AND payload ->> 'uploadId' = uploads.id) LIMIT 500`,
    [usedBefore],
    readUpload,
  );
  await removeUploads(database, old);
  return old.flatMap(({ file }) => file ?? []);
}

async function removeUploads(database: AsyncDatabase, uploads: readonly Upload[]): Promise<void> {
  const sql = 'DELETE FROM uploads WHERE id IN (SELECT value FROM json_each(?))';
  await database.run(sql, [JSON.stringify(uploads.map(({ id }) => id))]);
}

function readUpload(row: Row): Upload {
  return {
    id: row.text('id'),
    workspaceId: row.text('workspace_id'),
    kind: row.text('kind') === 'zip' ? 'zip' : 'video',
    taskId: row.optionalText('task_id'),
    name: row.text('name'),
    file: row.optionalText('file'),
    bytes: row.optionalInteger('bytes'),
    expires: row.integer('expires'),
    created: row.integer('created'),
  };
}
