// Tasks in parts, each of which any worker takes: what their rows are, and how parts end.

import type { ErrorCode } from '../errors.ts';
import type { AsyncDatabase } from './async-database.ts';
import type { Migration } from './migrations.ts';
import type { AwaitedService } from './service-away.ts';

/** A task with open parts waits for them. Its parts are gone once they all have ended. */
export const taskParts: Migration = {
  name: 'parts of work',
  sql: `
    ALTER TABLE work ADD COLUMN parent TEXT;
    ALTER TABLE work ADD COLUMN open_parts INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX work_parts ON work (parent) WHERE parent IS NOT NULL;
  `,
};

export interface TaskPart {
  readonly id: string;
  readonly kind: string;
  /** As that of any task; its `workspaceId` is that of the whole. */
  readonly payload: unknown;
}

/**
 * What a run gives in place of a result: the task goes on once all of these are completed, with
 * another run. Where one fails, the task fails with its reason, and the others end.
 */
export class SplitTask {
  readonly parts: readonly TaskPart[];

  constructor(parts: readonly TaskPart[]) {
    this.parts = parts;
  }
}

/** Each of these is for a transaction of the caller; `now` is in milliseconds since 1970. */

/** What a part has done is done of the whole. Comes before its own progress is written. */
export function addToWhole(
  database: AsyncDatabase,
  part: { readonly id: string; readonly parent: string },
  current: number,
  now: number,
): void {
  database.send(
    `UPDATE work SET updated = ?, waits_for = NULL, waits_since = NULL,
       current = current + max(0, ? - (SELECT current FROM work AS part WHERE part.id = ?))
     WHERE id = ?`,
    [now, current, part.id, part.parent],
  );
}

/** A part waits, and so does the whole, until one of its parts gets further. */
export function holdWhole(
  database: AsyncDatabase,
  parent: string,
  service: AwaitedService,
  now: number,
): void {
  database.send(
    `UPDATE work SET waits_for = ?, waits_since = coalesce(waits_since, ?), updated = ?
     WHERE id = ?`,
    [service, now, now, parent],
  );
}

/** The last one lets the task go on. */
export function completePart(database: AsyncDatabase, parent: string, now: number): void {
  database.send(
    `UPDATE work SET open_parts = open_parts - 1, waits_for = NULL, waits_since = NULL, updated = ?
     WHERE id = ? AND open_parts > 0`,
    [now, parent],
  );
  database.send(
    `DELETE FROM work WHERE parent = ? AND NOT EXISTS (
       SELECT 1 FROM work AS whole WHERE whole.id = ? AND whole.open_parts > 0)`,
    [parent, parent],
  );
}

/** Whoever works for it loses its lease, and so do those who work for parts of it. */
export async function failOpen(
  database: AsyncDatabase,
  id: string,
  why: { readonly message: string; readonly code: ErrorCode },
  now: number,
): Promise<boolean> {
  const failed = await database.run(
    `UPDATE work SET status = 'failed', error = ?, error_code = ?, lease_owner = NULL,
       open_parts = 0, waits_for = NULL, updated = ?
     WHERE id = ? AND status IN ('created', 'running')`,
    [why.message, why.code, now, id],
  );
  await database.run('DELETE FROM work WHERE parent = ?', [id]);
  return failed > 0;
}
