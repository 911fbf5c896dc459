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
import { addChanger } from '../review-labels.ts';
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

  send(sql: string, parameters?: SqlParameters): void {
    this.database.send(sql, parameters);
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

  checkTables(): Promise<void> {
    return this.database.checkTables();
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
    this.database.send('DELETE FROM noted_changes');
    this.database.send('DELETE FROM noted_things');
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
  const { action = 'platform', who, taskId } = currentWork() ?? {};
  database.send(fillThings, { changesMax: limits.activityChangesMax });
  database.send(touchProjects, [now]);
  const [groups, starter] = await Promise.all([
    database.all(grouped, { names: limits.activityNamesMax }, readGroup),
    who === undefined && taskId !== undefined ? starterOf(database, taskId) : undefined,
  ]);
  const by = who ?? starter;
  for (const group of groups) write(database, { ...group, action, who: by }, now);
  if (groups.some(({ kind, verb }) => kind === 'image' && verb === 'annotated')) {
    database.send(addChanger(annotatedImages), { who: by ?? action });
  }
  return groups.length > 0;
}

const annotatedImages = "SELECT id FROM noted_things WHERE kind = 'image' AND verb = 'annotated'";

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

interface Entry extends Group {
  readonly action: string;
  readonly who: string | undefined;
}

/**
 * A folder of images comes in a request for each: they join the entry before, as long as that is
 * the newest of the workspace and of the same kind, and says the same of what was changed.
 */
function write(database: AsyncDatabase, entry: Entry, now: number): void {
  const { workspaceId, projectId, project, action, who, kind, verb, id, count, names } = entry;
  const { before, after, shared } = entry;
  const said = { workspaceId, projectId, action, who, verb, before, after, count, names, now };
  const added = { ...said, project, kind, id };
  if (kind !== 'image') {
    database.send(addEntry, added);
    return;
  }
  const { activityNamesMax: namesMax, activityImagesMax: countMax } = limits;
  const since = now - limits.activityBurstMs;
  database.send(joinLast, { ...said, since, namesMax });
  database.send(addUnlessJoined, { ...added, since });
  // Images that were added are there to be asked; of all others it is kept which ones they were.
  if (verb === 'added') return;
  database.send(keepImages, { workspaceId, verb, projectId, shared, countMax });
}

const newest = 'ordinal = (SELECT max(ordinal) FROM activity WHERE workspace_id = :workspaceId)';

const isSame = `${newest}
  AND kind = 'image' AND verb = :verb AND action = :action AND who IS NOT DISTINCT FROM :who
  AND project_id IS NOT DISTINCT FROM :projectId AND until >= :since
  AND (verb <> 'changed' OR (before IS NOT DISTINCT FROM :before
    AND after IS NOT DISTINCT FROM :after))`;

const joinLast = `
  UPDATE activity SET n = n + :count, until = :now,
    before = CASE WHEN verb = 'changed' THEN before END,
    after = CASE WHEN verb = 'changed' THEN after END,
    names = (SELECT json_group_array(value) FROM (
      SELECT value FROM json_each(names) UNION ALL SELECT value FROM json_each(:names)
      LIMIT :namesMax) AS named)
  WHERE ${isSame}`;

const addEntry = `
  INSERT INTO activity (workspace_id, project_id, project, at, until, who, action, kind, verb,
    thing_id, n, names, before, after)
  SELECT :workspaceId, :projectId, :project, :now, :now, :who, :action, :kind, :verb, :id, :count,
    :names, :before, :after`;

const addUnlessJoined = `${addEntry} WHERE NOT EXISTS (SELECT 1 FROM activity WHERE ${isSame})`;

/** Those who write take turns: the newest entry is that of this transaction. */
const keepImages = `
  INSERT INTO activity_images
  SELECT (SELECT max(ordinal) FROM activity WHERE workspace_id = :workspaceId), id,
    coalesce(name, '')
  FROM noted_things
  WHERE kind = 'image' AND verb = :verb AND project_id IS NOT DISTINCT FROM :projectId
    AND shared IS NOT DISTINCT FROM :shared
  ORDER BY first
  LIMIT max(0, :countMax - (SELECT count(*) FROM activity_images WHERE entry =
    (SELECT max(ordinal) FROM activity WHERE workspace_id = :workspaceId)))
  ON CONFLICT DO NOTHING`;

/** A task works for whoever had it started: the log knows who that was. */
function starterOf(database: AsyncDatabase, taskId: string): Promise<string | undefined> {
  const sql = "SELECT who FROM activity WHERE thing_id = ? AND kind = 'task' LIMIT 1";
  return database.get(sql, [taskId], (row) => row.optionalText('who'));
}
