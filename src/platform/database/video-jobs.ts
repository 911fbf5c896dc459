// Video inference jobs and their results.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { VideoInput, VideoJob, VideoJobStore, VideoSettings } from '../store/video-jobs.ts';

export const videoJobTables: Migration = {
  name: 'video_jobs',
  sql: `
CREATE TABLE video_jobs (
  -- Also the id of its task.
  id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL REFERENCES workspaces, input TEXT NOT NULL,
  settings TEXT NOT NULL, hash TEXT, bytes INTEGER NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX video_jobs_hash ON video_jobs (hash);
`,
};

/** The picture of some frames. */
export const videoSheetColumn: Migration = {
  name: 'video_sheets',
  sql: `
ALTER TABLE video_jobs ADD COLUMN sheet_hash TEXT;
CREATE INDEX video_jobs_sheet ON video_jobs (sheet_hash) WHERE sheet_hash IS NOT NULL;
`,
};

/** When a caller was last told the state of a job. */
export const videoLookTable: Migration = {
  name: 'video_job_looks',
  sql: `
CREATE TABLE video_job_looks (
  job_id TEXT NOT NULL REFERENCES video_jobs ON DELETE CASCADE, caller TEXT NOT NULL,
  at INTEGER NOT NULL, PRIMARY KEY (job_id, caller)
) STRICT, WITHOUT ROWID;
`,
};

/** Which of these rows point at a blob. */
export const videoJobBlobs: readonly string[] = [
  'SELECT 1 FROM video_jobs WHERE hash = ?',
  'SELECT 1 FROM video_jobs WHERE sheet_hash = ?',
];

export function videoJobStore(database: AsyncDatabase, queue: TaskQueue): VideoJobStore {
  return {
    add: ({ id, workspaceId, input, settings, created }, newTask) =>
      database.transaction(async () => {
        await database.run(
          `INSERT INTO video_jobs (id, workspace_id, input, settings, bytes, created)
           VALUES (?, ?, ?, ?, 0, ?)`,
          [id, workspaceId, JSON.stringify(input), JSON.stringify(settings), created],
        );
        await queue.add(newTask);
      }),
    find: (workspaceId, id) =>
      database.get(
        'SELECT * FROM video_jobs WHERE id = ? AND workspace_id = ?',
        [id, workspaceId],
        readJob,
      ),
    look: async (id, caller, { now, intervalMs }) => {
      const last = await database.get(
        'SELECT at FROM video_job_looks WHERE job_id = ? AND caller = ?',
        [id, caller],
        (row) => row.integer('at'),
      );
      // A time ahead is of a clock that was set back.
      if (last !== undefined && last <= now && last + intervalMs > now) {
        return last + intervalMs - now;
      }
      await database.run(
        `INSERT INTO video_job_looks (job_id, caller, at) VALUES (?, ?, ?)
         ON CONFLICT (job_id, caller) DO UPDATE SET at = excluded.at`,
        [id, caller, now],
      );
      return 0;
    },
    finish: async (id, { hash, bytes, sheetHash }, fenced) => {
      const sql = 'UPDATE video_jobs SET hash = ?, bytes = ?, sheet_hash = ? WHERE id = ?';
      await fenced(() => database.run(sql, [hash, bytes, sheetHash, id]));
    },
  };
}

function readJob(row: Row): VideoJob {
  return {
    id: row.text('id'),
    workspaceId: row.text('workspace_id'),
    input: readInput(members(row.json('input'))),
    settings: readSettings(members(row.json('settings'))),
    hash: row.optionalText('hash'),
    sheetHash: row.optionalText('sheet_hash'),
    created: row.integer('created'),
  };
}

type Members = ReadonlyMap<string, unknown>;

function members(value: unknown): Members {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}

function readInput(input: Members): VideoInput {
  const uploadId = input.get('uploadId');
  if (typeof uploadId === 'string') return { kind: 'upload', uploadId };
  return { kind: 'url', url: String(input.get('url')) };
}

function readSettings(settings: Members): VideoSettings {
  const models: unknown = settings.get('models');
  return {
    framesPerSecond: Number(settings.get('framesPerSecond')),
    models: (Array.isArray(models) ? models : []).map((model: unknown) => {
      const fields = members(model);
      return {
        modelId: String(fields.get('modelId')),
        inferenceType: String(fields.get('inferenceType')),
        confidence: Number(fields.get('confidence')),
      };
    }),
  };
}
