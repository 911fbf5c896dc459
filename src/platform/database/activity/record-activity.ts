// A database that writes down, in the transaction of each change, what was changed and by whom, and
// moves the time of the last change of the projects concerned.

import type { Clock } from '../../../clock.ts';
import { currentCaller, currentWork } from '../../../current-caller.ts';
import { limits } from '../../../limits.ts';
import { Semaphore } from '../../../semaphore.ts';
import type {
  AsyncDatabase,
  AsyncSnapshot,
  OpenAsyncDatabase,
} from '../../../storage/async-database.ts';
import type { Reader, Row, SqlParameters } from '../../../storage/database.ts';
import type { OpenServerDatabase } from '../../../storage/postgres/postgres-database.ts';
import { noteChanges } from './change-triggers.ts';

/**
 * The same database, whose outer transactions end with the entries of the log. A single statement
 * that writes is a transaction too.
 */
export async function recordingActivity(
  database: OpenAsyncDatabase,
  clock: Clock,
): Promise<OpenAsyncDatabase> {
  await noteChanges(database);
  return new RecordingFile(database, clock);
}

/** The same on a server. */
export function recordingActivityOnServer(
  database: OpenServerDatabase,
  clock: Clock,
): OpenServerDatabase {
  return new RecordingServer(database, clock);
}

abstract class RecordingDatabase<Opened extends AsyncDatabase> implements AsyncDatabase {
  protected readonly database: Opened;
  readonly #clock: Clock;

  constructor(database: Opened, clock: Clock) {
    this.database = database;
    this.#clock = clock;
  }

  get isInTransaction(): boolean {
    return this.database.isInTransaction;
  }

  all<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): Promise<T[]> {
    return this.database.all(sql, parameters, read);
  }

  each(sql: string, parameters: SqlParameters, read: (row: Row) => boolean): Promise<void> {
    return this.database.each(sql, parameters, read);
  }

  get<T>(sql: string, parameters: SqlParameters, read: (row: Row) => T): Promise<T | undefined> {
    return this.database.get(sql, parameters, read);
  }

  run(sql: string, parameters?: SqlParameters): Promise<number> {
    if (this.isInTransaction) return this.database.run(sql, parameters);
    return this.transaction(() => this.database.run(sql, parameters));
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.isInTransaction) return this.database.transaction(work);
    return this.transact(async () => {
      const result = await work();
      if (await record(this.database, this.#clock.now())) await this.forget();
      return result;
    });
  }

  protected abstract transact<T>(work: () => Promise<T>): Promise<T>;

  /** Empties the tables of noted changes. */
  protected abstract forget(): Promise<void>;

  snapshot(): Promise<AsyncSnapshot> {
    return this.database.snapshot();
  }
}

class RecordingFile extends RecordingDatabase<OpenAsyncDatabase> implements OpenAsyncDatabase {
  get reader(): Reader {
    return this.database.reader;
  }

  protected transact<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  protected async forget(): Promise<void> {
    await this.database.run('DELETE FROM noted_changes');
    await this.database.run('DELETE FROM noted_things');
  }

  close(): void {
    this.database.close();
  }
}

class RecordingServer extends RecordingDatabase<OpenServerDatabase> implements OpenServerDatabase {
  /** Here they wait in turns between callers, and without a connection. */
  readonly #turns = new Semaphore({ permitsMax: 1 });

  protected transact<T>(work: () => Promise<T>): Promise<T> {
    const caller = currentCaller();
    return this.#turns.run(() => this.database.transaction(work, takeTurn), caller && { caller });
  }

  /** Whoever writes next does it, in the round trip with which it begins. */
  protected async forget(): Promise<void> {}

  close(): Promise<void> {
    return this.database.close();
  }
}

/**
 * An empty table on PostgreSQL. Those who write take turns by its lock, in whatever process: they
 * write one log, and at once would only undo each other. To ask for an advisory lock a transaction
 * would first have to see a state of the database, which is old once it has the lock.
 */
export const turnTable = 'CREATE TABLE turn_to_write ();';

const takeTurn = `LOCK TABLE turn_to_write IN EXCLUSIVE MODE;
  DELETE FROM noted_changes; DELETE FROM noted_things`;

/** Several changes of one kind and one project; of images, the same change of each. */
interface Group {
  readonly kind: string;
  readonly verb: string;
  readonly projectId: string | undefined;
  readonly project: string | undefined;
  readonly workspaceId: string;
  readonly count: number;
  readonly id: string;
  readonly names: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** What its rows of `noted_things` have in common beside kind, verb and project. */
  readonly shared: string | undefined;
}

/** Whether anything was noted. */
async function record(database: AsyncDatabase, now: number): Promise<boolean> {
  const [things, groups] = await Promise.all([
    database.run(fillThings, { changesMax: limits.activityChangesMax }),
    database.all(grouped, { names: limits.activityNamesMax }, readGroup),
    database.run(touchProjects, [now]),
  ]);
  if (things === 0) return false;
  for (const group of groups) await keepImages(database, group, await write(database, group, now));
  return true;
}

/**
 * What happens to an image in the transaction that adds or restores it belongs to that. A tag that
 * many images get is one thing in common; where each changed otherwise, they have nothing.
 */
const fillThings = `
  INSERT INTO noted_things
  WITH noted AS MATERIALIZED (
      SELECT rowid AS first, * FROM noted_changes AS noted
      WHERE kind <> 'image' OR verb IN ('added', 'deleted', 'restored') OR NOT EXISTS (
        SELECT 1 FROM noted_changes AS added
        WHERE added.kind = 'image' AND added.verb IN ('added', 'restored') AND added.id = noted.id)),
    different AS (
      SELECT DISTINCT project_id, before, after FROM noted
      WHERE kind = 'image' AND verb = 'changed'),
    few AS (SELECT project_id FROM different GROUP BY project_id HAVING count(*) <= :changesMax),
    sharing AS (
      SELECT *, CASE WHEN kind = 'image' AND verb = 'changed' AND project_id IN (SELECT * FROM few)
        THEN CAST(json_array(before, after) AS TEXT) END AS shared
      FROM noted)
  SELECT kind, verb, id, max(name), project_id, workspace_id, min(before), min(after), shared,
    count(*), min(first)
  FROM sharing GROUP BY kind, verb, id, project_id, workspace_id, shared`;

const touchProjects = `
  UPDATE projects SET updated = ? WHERE id IN (
    SELECT project_id FROM noted_changes WHERE kind <> 'task' AND verb <> 'purged'
      AND (kind <> 'project' OR verb = 'changed'))`;

const grouped = `
  SELECT kind, verb, things.project_id, slug, count(*) AS n, sum(changes) AS changes,
    coalesce(things.workspace_id, projects.workspace_id) AS workspace, min(things.id) AS id,
    (SELECT json_group_array(name) FROM (
       SELECT coalesce(same.name, same.id) AS name FROM noted_things AS same
       WHERE same.kind = things.kind AND same.verb = things.verb
         AND same.project_id IS NOT DISTINCT FROM things.project_id
         AND same.shared IS NOT DISTINCT FROM things.shared
       ORDER BY first LIMIT :names) AS named) AS names,
    min(before) AS before, min(after) AS after, shared
  FROM noted_things AS things LEFT JOIN projects ON projects.id = things.project_id
  GROUP BY kind, verb, things.project_id, slug, workspace, shared ORDER BY min(first)`;

function readGroup(row: Row): Group {
  const shared = row.optionalText('shared');
  const isOneChange = row.integer('changes') === 1 || shared !== undefined;
  const small = (text: string | undefined) =>
    isOneChange && text !== undefined && text.length <= limits.activityValueCharactersMax
      ? text
      : undefined;
  return {
    kind: row.text('kind'),
    verb: row.text('verb'),
    projectId: row.optionalText('project_id'),
    project: row.optionalText('slug'),
    workspaceId: row.optionalText('workspace') ?? '',
    count: row.integer('n'),
    id: row.text('id'),
    names: row.text('names'),
    before: small(row.optionalText('before')),
    after: small(row.optionalText('after')),
    shared,
  };
}

/** The number of the entry. */
async function write(
  database: AsyncDatabase,
  group: Group,
  now: number,
): Promise<number | undefined> {
  const { action = 'platform', who = await starterOf(database) } = currentWork() ?? {};
  if (group.kind === 'image') {
    const joined = await joinLast(database, { ...group, action, who }, now);
    if (joined !== undefined) return joined;
  }
  const { workspaceId, projectId, project, kind, verb, id, count, names, before, after } = group;
  return database.get(
    `INSERT INTO activity (workspace_id, project_id, project, at, until, who, action, kind, verb,
       thing_id, n, names, before, after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     RETURNING ordinal`,
    [
      workspaceId,
      projectId,
      project,
      now,
      now,
      who,
      action,
      kind,
      verb,
      id,
      count,
      names,
      before,
      after,
    ],
    readOrdinal,
  );
}

function readOrdinal(row: Row): number {
  return row.integer('ordinal');
}

/** Images that were added are there to be asked; of all others it is kept which ones they were. */
async function keepImages(
  database: AsyncDatabase,
  group: Group,
  entry: number | undefined,
): Promise<void> {
  const { kind, verb, projectId, shared } = group;
  if (kind !== 'image' || verb === 'added' || entry === undefined) return;
  await database.run(
    `INSERT INTO activity_images
     SELECT :entry, id, coalesce(name, '') FROM noted_things
     WHERE kind = 'image' AND verb = :verb AND project_id IS NOT DISTINCT FROM :projectId
       AND shared IS NOT DISTINCT FROM :shared
     ORDER BY first
     LIMIT max(0, :countMax - (SELECT count(*) FROM activity_images WHERE entry = :entry))
     ON CONFLICT DO NOTHING`,
    { entry, verb, projectId, shared, countMax: limits.activityImagesMax },
  );
}

/** A task works for whoever had it started: the log knows who that was. */
async function starterOf(database: AsyncDatabase): Promise<string | undefined> {
  const { taskId } = currentWork() ?? {};
  if (taskId === undefined) return undefined;
  const sql = "SELECT who FROM activity WHERE thing_id = ? AND kind = 'task' LIMIT 1";
  return database.get(sql, [taskId], (row) => row.optionalText('who'));
}

interface Burst extends Group {
  readonly action: string;
  readonly who: string | undefined;
}

/**
 * A folder of images comes in a request for each: they join the entry before, as long as that is
 * the newest of the workspace and of the same kind, and says the same of what was changed. The
 * number of that entry.
 */
async function joinLast(
  database: AsyncDatabase,
  burst: Burst,
  now: number,
): Promise<number | undefined> {
  const { workspaceId, projectId, action, who, verb, count, names, before, after } = burst;
  return database.get(
    `UPDATE activity SET n = n + :count, until = :now,
       before = CASE WHEN verb = 'changed' THEN before END,
       after = CASE WHEN verb = 'changed' THEN after END,
       names = (SELECT json_group_array(value) FROM (
         SELECT value FROM json_each(names) UNION ALL SELECT value FROM json_each(:names)
         LIMIT :namesMax) AS named)
     WHERE ordinal = (SELECT max(ordinal) FROM activity WHERE workspace_id = :workspaceId)
       AND kind = 'image' AND verb = :verb AND action = :action AND who IS NOT DISTINCT FROM :who
       AND project_id IS NOT DISTINCT FROM :projectId AND until >= :since
       AND (verb <> 'changed' OR (before IS NOT DISTINCT FROM :before
         AND after IS NOT DISTINCT FROM :after))
     RETURNING ordinal`,
    {
      workspaceId,
      projectId,
      action,
      who,
      verb,
      count,
      names,
      before,
      after,
      now,
      since: now - limits.activityBurstMs,
      namesMax: limits.activityNamesMax,
    },
    readOrdinal,
  );
}
