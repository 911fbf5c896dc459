// The log of what was changed in a workspace.

import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { ActivityEntry, ActivityStore, WantedActivity } from '../store/activity.ts';
import { serverNotes } from './activity/change-triggers.ts';
import { turnTable } from './activity/record-activity.ts';
import { readTexts } from './column-readers.ts';

export const activityTables: Migration = {
  name: 'activity',
  sql: `
-- No foreign keys: it outlives what it tells of.
CREATE TABLE activity (
  ordinal INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL,
  project_id TEXT, project TEXT, at INTEGER NOT NULL, until INTEGER NOT NULL,
  who TEXT, action TEXT NOT NULL, kind TEXT NOT NULL, verb TEXT NOT NULL,
  thing_id TEXT NOT NULL, n INTEGER NOT NULL, names TEXT NOT NULL, before TEXT, after TEXT
) STRICT;
CREATE INDEX activity_workspace ON activity (workspace_id, ordinal);
CREATE INDEX activity_task ON activity (thing_id) WHERE kind = 'task';
`,
};

const activityImages = `
CREATE TABLE activity_images (
  entry INTEGER NOT NULL, image_id TEXT NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY (entry, image_id)
) STRICT, WITHOUT ROWID;
`;

/** The images that an entry changed, of which it names the first ones itself. */
export const activityImageTables: Migration = {
  name: 'activity images',
  sql: activityImages,
  postgres: activityImages + serverNotes + turnTable,
};

export function activityStore(database: AsyncDatabase): ActivityStore {
  return {
    list: async (workspaceId, wanted) =>
      database.all(
        `SELECT * FROM activity WHERE ${conditions}
           AND (:beforeId IS NULL OR ordinal < :beforeId)
         ORDER BY ordinal DESC LIMIT :countMax`,
        parameters(workspaceId, wanted),
        readEntry,
      ),
    count: async (workspaceId, wanted) => {
      const { beforeId: _, countMax: __, ...rest } = parameters(workspaceId, wanted);
      const sql = `SELECT count(*) AS n FROM activity WHERE ${conditions}`;
      return (await database.get(sql, rest, (row) => row.integer('n'))) ?? 0;
    },
    noteSignIn: (workspaceId, { who, action, verb, accountId, where }, now) =>
      database.transaction(async () => {
        const names = JSON.stringify([where]);
        const said = { workspaceId, who, verb, names, now };
        const since = now - limits.activityBurstMs;
        if ((await database.run(joinSignIn, { ...said, since })) > 0) return;
        await database.run(addSignIn, { ...said, action, accountId });
      }),
    images: (entryId) =>
      database.all(
        'SELECT image_id, name FROM activity_images WHERE entry = ? ORDER BY name, image_id',
        [entryId],
        (row) => ({ id: row.text('image_id'), name: row.text('name') }),
      ),
  };
}

const joinSignIn = `
  UPDATE activity SET n = n + 1, until = :now
  WHERE ordinal = (SELECT max(ordinal) FROM activity WHERE workspace_id = :workspaceId)
    AND kind = 'account' AND verb = :verb AND who = :who AND names = :names AND until >= :since`;

const addSignIn = `
  INSERT INTO activity (workspace_id, at, until, who, action, kind, verb, thing_id, n, names)
  VALUES (:workspaceId, :now, :now, :who, :action, 'account', :verb, :accountId, 1, :names)`;

const conditions = `workspace_id = :workspaceId
  AND (:since IS NULL OR until >= :since) AND (:until IS NULL OR at < :until)
  AND (:kind IS NULL OR kind = :kind) AND (:action IS NULL OR action = :action)
  AND (:who IS NULL OR who = :who) AND (:projectId IS NULL OR project_id = :projectId)
  AND (:thingId IS NULL OR thing_id = :thingId OR EXISTS (
    SELECT 1 FROM activity_images WHERE entry = activity.ordinal AND image_id = :thingId))
  AND (:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds))
    OR (project_id IS NULL AND who = :caller))`;

function parameters(workspaceId: string, { projectIds, ...wanted }: WantedActivity) {
  return { workspaceId, projectIds: projectIds && JSON.stringify(projectIds), ...wanted };
}

function readEntry(row: Row): ActivityEntry {
  return {
    id: row.integer('ordinal'),
    at: row.integer('at'),
    until: row.integer('until'),
    who: row.optionalText('who'),
    action: row.text('action'),
    kind: row.text('kind'),
    verb: row.text('verb'),
    projectId: row.optionalText('project_id'),
    project: row.optionalText('project'),
    count: row.integer('n'),
    thingId: row.text('thing_id'),
    names: readTexts(row, 'names'),
    before: row.optionalJson('before'),
    after: row.optionalJson('after'),
  };
}
