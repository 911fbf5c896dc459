// The table of the task queue, and the steps by which it changed.

import type { Migration } from './migrations.ts';

export const taskTable: Migration = {
  name: 'work',
  sql: `
    CREATE TABLE work (
      ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      payload TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('created', 'running', 'completed', 'failed')),
      current INTEGER NOT NULL DEFAULT 0,
      total INTEGER NOT NULL DEFAULT 0,
      result TEXT,
      error TEXT,
      attempts INTEGER NOT NULL DEFAULT 0,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      lease_owner TEXT,
      lease_expires INTEGER
    ) STRICT;
    CREATE INDEX work_open ON work (ordinal) WHERE status IN ('created', 'running');
  `,
};

/** Error codes of failed tasks. */
export const taskErrorCodes: Migration = {
  name: 'error codes of work',
  sql: 'ALTER TABLE work ADD COLUMN error_code TEXT;',
};

/** For the order in which workspaces are served. */
export const taskFairness: Migration = {
  name: 'turns of work',
  sql: `CREATE INDEX work_served ON work (payload ->> 'workspaceId', updated) WHERE attempts > 0;`,
};

/** What tasks have to wait for each other: they are of one turn. */
export const taskTurns: Migration = {
  name: 'tasks in turn',
  sql: `
    ALTER TABLE work ADD COLUMN turn TEXT;
    CREATE INDEX work_turn ON work (turn, ordinal)
      WHERE turn IS NOT NULL AND status IN ('created', 'running');
  `,
};

/** What a task waits for, and since when it got no further. */
export const taskWaits: Migration = {
  name: 'waits of tasks',
  sql: `
    ALTER TABLE work ADD COLUMN waits_for TEXT;
    ALTER TABLE work ADD COLUMN waits_since INTEGER;
  `,
};
