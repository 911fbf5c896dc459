// A peer for searches: the tables of Label Studio and their indexes, in SQLite, on the same images.
// It is the model in which that product stores, and not its server.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';

/**
 * Tags, split and metadata of an image are in the JSON of its task, and all boxes of an annotation
 * in the JSON of its result (label_studio/tasks/models.py). Indexes: those that the model names
 * and filters by project, task or state can use; the others would only cost room.
 */
const peerTables = {
  name: 'peer',
  sql: `
CREATE TABLE task (
  id INTEGER PRIMARY KEY, project_id TEXT NOT NULL, inner_id INTEGER NOT NULL,
  is_labeled INTEGER NOT NULL, data TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE task_completion (
  id INTEGER PRIMARY KEY, task_id INTEGER NOT NULL, project_id TEXT NOT NULL,
  was_cancelled INTEGER NOT NULL, result TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX task_labeled ON task (project_id, is_labeled);
CREATE INDEX task_inner ON task (project_id, inner_id);
CREATE INDEX completion_task ON task_completion (task_id, was_cancelled);
CREATE INDEX completion_project ON task_completion (project_id, was_cancelled);
CREATE INDEX completion_created ON task_completion (created_at);
`,
};

/** Opens it, filled from the images of the database in the same folder at the first time. */
export function openPeer(folder: string): Database {
  const path = join(folder, 'label-studio.db');
  const isThere = existsSync(path);
  const peer = openDatabase(path, [peerTables]);
  if (isThere) return peer;
  process.stderr.write('  filling the tables of Label Studio...\n');
  peer.run('ATTACH ? AS platform', [join(folder, 'platform.db')]);
  peer.transaction(() => {
    peer.run(`INSERT INTO task SELECT o.ordinal, i.project_id, o.ordinal, i.annotation IS NOT NULL,
        json_object('image', i.name, 'split', i.split, 'metadata', json(i.metadata), 'tags',
          (SELECT json_group_array(tag) FROM platform.image_tags WHERE image_id = i.id)), i.created
      FROM platform.images i JOIN platform.image_ordinals o ON o.image_id = i.id`);
    peer.run(`INSERT INTO task_completion SELECT o.ordinal, o.ordinal, i.project_id, 0,
        (SELECT json_group_array(json_object('type', 'rectanglelabels', 'value', json_object(
            'x', value ->> 'x', 'y', value ->> 'y', 'width', value ->> 'width',
            'height', value ->> 'height',
            'rectanglelabels', json_array(value ->> 'label'))))
          FROM json_each(i.annotation, '$.boxes')), i.created
      FROM platform.images i JOIN platform.image_ordinals o ON o.image_id = i.id
      WHERE i.annotation IS NOT NULL`);
  });
  peer.run('DETACH platform');
  peer.run('ANALYZE');
  return peer;
}

/** Conditions on `t` (task). Its own filters look for text in these JSON documents as well. */
export const peerHasTag = (tag: string) =>
  `EXISTS (SELECT 1 FROM json_each(t.data, '$.tags') WHERE value = '${tag}')`;
export const peerHasClass = (label: string) =>
  `EXISTS (SELECT 1 FROM task_completion c WHERE c.task_id = t.id AND c.was_cancelled = 0
     AND c.result LIKE '%["${label}"]%')`;
export const peerIsIn = (split: string) => `t.data ->> 'split' = '${split}'`;

/** The same question: its total and a page of 50, newest first, in milliseconds. */
export function askPeer(peer: Database, condition: string) {
  const start = systemClock.monotonic();
  const total = peer.get(`SELECT count(*) AS n FROM task t WHERE ${condition}`, [], (row) =>
    row.integer('n'),
  );
  peer.all(`SELECT t.id FROM task t WHERE ${condition} ORDER BY t.id DESC LIMIT 50`, [], (row) =>
    row.integer('id'),
  );
  return { total, ms: systemClock.monotonic() - start };
}
