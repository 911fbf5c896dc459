// Uploads that are awaited or there, and the reports of zip files.

import type { Database, Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { NewTask, TaskQueue } from '../../storage/task-queue.ts';
import type { FencedTransaction } from './store.ts';

export const uploadTables: Migration = {
  name: 'uploads',
  sql: `
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
`,
};

/** Which of these rows point at a blob. */
export const uploadBlobs: readonly string[] = ['SELECT 1 FROM zip_reports WHERE hash = ?'];

export type UploadKind = 'zip' | 'video';

export interface Upload {
  readonly id: string;
  readonly workspaceId: string;
  readonly kind: UploadKind;
  /** The work that is held until the file is there. */
  readonly taskId: string | undefined;
  readonly name: string;
  /** In the file store; undefined until it is there. */
  readonly file: string | undefined;
  readonly bytes: number | undefined;
  /** The end of the link. */
  readonly expires: number;
  readonly created: number;
}

/** `over`: the work that waited for it has been given up. */
export type Received = 'taken' | 'taken_before' | 'over' | 'missing';

export interface UploadStore {
  /** With its held work, in one transaction. */
  add(upload: Omit<Upload, 'file' | 'bytes'>, task?: NewTask): Promise<void>;
  find(id: string): Promise<Upload | undefined>;
  ofTask(taskId: string): Promise<Upload | undefined>;
  /** Uploads of a workspace whose links are good, and whose files are not there. */
  countWaiting(workspaceId: string, now: number): Promise<number>;
  /** Keeps an upload from being given up while its bytes come in. */
  setReceiving(id: string, since: number): Promise<void>;
  /** They no longer do, unless another attempt has begun. */
  endReceiving(id: string, since: number): Promise<void>;
  /** The file is there: its work may begin, in the same transaction. */
  received(id: string, file: string, bytes: number): Promise<Received>;
  hasFile(file: string): Promise<boolean>;
  /**
   * Fails the work of uploads that nobody sent in time, and forgets those that are older than
   * `usedBefore` and no work needs any more. Gives the files to be removed.
   */
  purge(now: number, usedBefore: number, receivingBefore: number): Promise<readonly string[]>;
  addReport(
    taskId: string,
    workspaceId: string,
    hash: string,
    now: number,
    fenced: FencedTransaction,
  ): Promise<void>;
  /**
   * Whether an image, and its annotation, are there since a time: so an attempt that starts over
   * knows what the one before it did.
   */
  since(
    imageId: string,
    time: number,
  ): Promise<{ readonly isNew: boolean; readonly isAnnotated: boolean }>;
}

export function uploadStore(database: Database, queue: TaskQueue): UploadStore {
  return {
    add: async (upload, newTask) => add(database, queue, upload, newTask),
    find: async (id) => database.get('SELECT * FROM uploads WHERE id = ?', [id], readUpload),
    ofTask: async (taskId) =>
      database.get('SELECT * FROM uploads WHERE task_id = ?', [taskId], readUpload),
    countWaiting: async (workspaceId, now) =>
      database.get(
        `SELECT count(*) AS count FROM uploads
         WHERE workspace_id = ? AND file IS NULL AND expires > ?`,
        [workspaceId, now],
        (row) => row.integer('count'),
      ) ?? 0,
    setReceiving: async (id, since) => {
      database.run('UPDATE uploads SET receiving = ? WHERE id = ?', [since, id]);
    },
    endReceiving: async (id, since) => {
      const sql = 'UPDATE uploads SET receiving = NULL WHERE id = ? AND receiving = ?';
      database.run(sql, [id, since]);
    },
    received: async (id, file, bytes) =>
      database.transaction(() => received(database, queue, id, file, bytes)),
    hasFile: async (file) =>
      database.get('SELECT id FROM uploads WHERE file = ?', [file], (row) => row.text('id')) !==
      undefined,
    purge: async (now, usedBefore, receivingBefore) =>
      database.transaction(() => [
        ...giveUpLate(database, queue, now, receivingBefore),
        ...forgetUsed(database, usedBefore),
      ]),
    addReport: async (taskId, workspaceId, hash, now, fenced) => {
      fenced(() =>
        database.run(
          `INSERT INTO zip_reports (task_id, workspace_id, hash, created) VALUES (?, ?, ?, ?)
           ON CONFLICT (task_id) DO UPDATE SET hash = excluded.hash`,
          [taskId, workspaceId, hash, now],
        ),
      );
    },
    since: async (imageId, time) =>
      database.get(
        `SELECT created >= ? AS is_new, coalesce(annotated_at >= ?, 0) AS is_annotated
         FROM images WHERE id = ?`,
        [time, time, imageId],
        (row) => ({ isNew: row.boolean('is_new'), isAnnotated: row.boolean('is_annotated') }),
      ) ?? { isNew: false, isAnnotated: false },
  };
}

function add(
  database: Database,
  queue: TaskQueue,
  upload: Omit<Upload, 'file' | 'bytes'>,
  newTask: NewTask | undefined,
): void {
  const { id, workspaceId, kind, taskId, name, expires, created } = upload;
  database.transaction(() => {
    database.run(
      `INSERT INTO uploads (id, workspace_id, kind, task_id, name, expires, created)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [id, workspaceId, kind, taskId, name, expires, created],
    );
    if (newTask) queue.add({ ...newTask, held: true });
  });
}

function received(
  database: Database,
  queue: TaskQueue,
  id: string,
  file: string,
  bytes: number,
): Received {
  const upload = database.get('SELECT * FROM uploads WHERE id = ?', [id], readUpload);
  if (upload === undefined) return 'missing';
  if (upload.file !== undefined) return 'taken_before';
  if (upload.taskId !== undefined && !queue.begin(upload.taskId)) return 'over';
  database.run('UPDATE uploads SET file = ?, bytes = ?, receiving = NULL WHERE id = ?', [
    file,
    bytes,
    id,
  ]);
  return 'taken';
}

function giveUpLate(
  database: Database,
  queue: TaskQueue,
  now: number,
  receivingBefore: number,
): readonly string[] {
  const late = database.all(
    `SELECT * FROM uploads WHERE file IS NULL AND expires <= ?
       AND (receiving IS NULL OR receiving <= ?) LIMIT 500`,
    [now, receivingBefore],
    readUpload,
  );
  for (const { id, taskId } of late) {
    if (taskId !== undefined) {
      queue.failUnclaimed(taskId, 'No file was uploaded within an hour.', 'invalid_input');
    }
    database.run('DELETE FROM uploads WHERE id = ?', [id]);
  }
  return [];
}

function forgetUsed(database: Database, usedBefore: number): readonly string[] {
  const old = database.all(
    `SELECT * FROM uploads WHERE file IS NOT NULL AND created <= ? AND NOT EXISTS (
       SELECT 1 FROM work WHERE status IN ('created', 'running')
         AND payload ->> 'uploadId' = uploads.id) LIMIT 500`,
    [usedBefore],
    readUpload,
  );
  for (const { id } of old) database.run('DELETE FROM uploads WHERE id = ?', [id]);
  return old.flatMap(({ file }) => file ?? []);
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
