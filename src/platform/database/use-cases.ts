// Use cases of vision events, as rows.

import { FoveaError, invalidArgument } from '../../errors.ts';
import { quotedName } from '../../quoted-name.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { UseCase, UseCaseChange, UseCaseStore } from '../store/use-cases.ts';

export const useCaseTables: Migration = {
  name: 'use_cases',
  sql: `
-- How many events each has is counted here: they are never removed.
CREATE TABLE use_cases (
  workspace_id TEXT NOT NULL REFERENCES workspaces, id TEXT NOT NULL, name TEXT NOT NULL,
  archived_at INTEGER, events INTEGER NOT NULL, PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX use_cases_name ON use_cases (workspace_id, name, id);
INSERT INTO use_cases (workspace_id, id, name, events)
  SELECT workspace_id, use_case_id, use_case_id, count(*) FROM vision_events GROUP BY 1, 2;
-- Answers queries by time and kind without the events, which images make large.
CREATE INDEX vision_events_time
  ON vision_events (workspace_id, use_case_id, occurred, event_id, event_type);
`,
};

export function useCaseStore(database: AsyncDatabase): UseCaseStore {
  return {
    list: (workspaceId, isArchived, countMax) =>
      database.all(
        `SELECT * FROM use_cases
         WHERE workspace_id = ? AND archived_at IS ${isArchived ? 'NOT NULL' : 'NULL'}
         ORDER BY name, id LIMIT ?`,
        [workspaceId, countMax],
        readUseCase,
      ),
    find: (workspaceId, idOrName) => find(database, workspaceId, idOrName),
    add: (workspaceId, name, ids) =>
      database.transaction(async () => {
        await refuseSameName(database, workspaceId, name, undefined);
        const id = await firstFree(database, workspaceId, ids);
        if (id === undefined) throw new FoveaError('internal', 'No id of a use case is free.');
        await database.run(
          'INSERT INTO use_cases (workspace_id, id, name, events) VALUES (?, ?, ?, 0)',
          [workspaceId, id, name],
        );
        return { id, name, isArchived: false, events: 0 };
      }),
    change: (workspaceId, idOrName, change) =>
      database.transaction(() => changeUseCase(database, workspaceId, idOrName, change)),
  };
}

async function firstFree(
  database: AsyncDatabase,
  workspaceId: string,
  ids: readonly string[],
): Promise<string | undefined> {
  for (const id of ids) {
    if ((await findById(database, workspaceId, id)) === undefined) return id;
  }
  return undefined;
}

/** New events of a use case. */
export interface CountedEvents {
  readonly count: number;
  /** Where the input names the use case. */
  readonly argument: string;
}

/** Of those ids that are known, by id, whether it is archived. */
export async function knownUseCases(
  database: AsyncDatabase,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  return new Map(
    await database.all(
      `SELECT use_cases.id, archived_at
       FROM json_each(?) AS wanted CROSS JOIN use_cases ON use_cases.id = wanted.value
       WHERE workspace_id = ?`,
      [JSON.stringify(ids), workspaceId],
      (row) => [row.text('id'), row.optionalInteger('archived_at') !== undefined],
    ),
  );
}

/**
 * Counts events that are stored in the transaction of the caller, by their use cases, and makes
 * those that nobody made. Throws `invalid_input`, naming `argument`, for one that is archived.
 */
export async function countEvents(
  database: AsyncDatabase,
  workspaceId: string,
  added: ReadonlyMap<string, CountedEvents>,
  known: ReadonlyMap<string, boolean>,
): Promise<void> {
  for (const [id, { argument }] of added) {
    if (known.get(id)) throw archived(id, argument);
    if (known.has(id)) continue;
    await refuseSameName(database, workspaceId, id, undefined);
    await database.run(
      'INSERT INTO use_cases (workspace_id, id, name, events) VALUES (?, ?, ?, 0)',
      [workspaceId, id, id],
    );
  }
  const counts = [...added].map(([id, { count }]) => [id, count]);
  await database.run(
    `UPDATE use_cases SET events = events + CAST(added.value ->> 1 AS BIGINT)
     FROM json_each(?) AS added WHERE workspace_id = ? AND use_cases.id = added.value ->> 0`,
    [JSON.stringify(counts), workspaceId],
  );
}

function archived(id: string, argument: string): FoveaError {
  return invalidArgument(
    argument,
    `the use case ${quotedName(id)} is archived`,
    'Take it out of the archive, or name another one; nothing was recorded.',
  );
}

async function changeUseCase(
  database: AsyncDatabase,
  workspaceId: string,
  idOrName: string,
  { name, archivedAt }: UseCaseChange,
): Promise<UseCase | undefined> {
  const known = await find(database, workspaceId, idOrName);
  if (known === undefined) return undefined;
  const { id } = known;
  // Older versions let two have one name: each may keep it.
  if (name !== undefined && name !== known.name) {
    await refuseSameName(database, workspaceId, name, id);
    const sql = 'UPDATE use_cases SET name = ? WHERE workspace_id = ? AND id = ?';
    await database.run(sql, [name, workspaceId, id]);
  }
  if (archivedAt !== undefined) {
    // Archived once more, it stays so since the first time.
    const since = archivedAt === null ? 'NULL' : 'coalesce(archived_at, :at)';
    await database.run(
      `UPDATE use_cases SET archived_at = ${since} WHERE workspace_id = :workspace AND id = :id`,
      { workspace: workspaceId, id, ...(archivedAt !== null && { at: archivedAt }) },
    );
  }
  return findById(database, workspaceId, id);
}

/** An id goes before a name, which another use case may have. */
async function find(
  database: AsyncDatabase,
  workspaceId: string,
  idOrName: string,
): Promise<UseCase | undefined> {
  const sql = 'SELECT * FROM use_cases WHERE workspace_id = ? AND name = ? ORDER BY id LIMIT 1';
  return (
    (await findById(database, workspaceId, idOrName)) ??
    (await database.get(sql, [workspaceId, idOrName], readUseCase))
  );
}

async function findById(
  database: AsyncDatabase,
  workspaceId: string,
  id: string,
): Promise<UseCase | undefined> {
  const sql = 'SELECT * FROM use_cases WHERE workspace_id = ? AND id = ?';
  return database.get(sql, [workspaceId, id], readUseCase);
}

/** `ownId` is that of the use case which is to have the name. */
async function refuseSameName(
  database: AsyncDatabase,
  workspaceId: string,
  name: string,
  ownId: string | undefined,
): Promise<void> {
  const taken = await database.get(
    'SELECT id FROM use_cases WHERE workspace_id = ? AND name = ? AND id <> ?',
    [workspaceId, name, ownId ?? ''],
    (row) => row.text('id'),
  );
  if (taken === undefined) return;
  throw new FoveaError('conflict', `There is a use case of the name ${quotedName(name)} already.`, {
    hint: `Its id is ${quotedName(taken)}.`,
  });
}

function readUseCase(row: Row): UseCase {
  return {
    id: row.text('id'),
    name: row.text('name'),
    isArchived: row.optionalInteger('archived_at') !== undefined,
    events: row.integer('events'),
  };
}
