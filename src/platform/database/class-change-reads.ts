// What a change of classes would do, which images it has to look at still, and what classes are
// called since.

import { type ClassChange, classTargets, composedTargets } from '../../annotations/class-change.ts';
import { membersOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { AffectedLabels, SeenClasses, WantedImages } from '../store/class-changes.ts';

export async function readAffected(
  database: AsyncReader,
  projectId: string,
  change: ClassChange,
): Promise<AffectedLabels> {
  const labels = JSON.stringify([...classTargets(change).keys()]);
  const classes = await database.all(
    `SELECT label, sum(n) AS labels, count(*) AS images FROM image_labels
     WHERE project_id = ? AND label ${among} GROUP BY label ORDER BY label`,
    [projectId, labels],
    (row) => ({
      label: row.text('label'),
      labels: row.integer('labels'),
      images: row.integer('images'),
    }),
  );
  const images = await readCount(
    database,
    `SELECT count(DISTINCT image_id) AS n FROM image_labels WHERE project_id = ? AND label ${among}`,
    [projectId, labels],
  );
  const removed = JSON.stringify(change.remove);
  const emptied = await readCount(
    database,
    `SELECT count(DISTINCT image_id) AS n FROM image_labels AS removed
     WHERE project_id = ? AND label ${among} AND NOT EXISTS (
       SELECT 1 FROM image_labels AS kept
       WHERE kept.image_id = removed.image_id AND kept.label NOT ${among})`,
    [projectId, removed, removed],
  );
  return { classes, images, emptied };
}

export function readImagesLeft(
  database: AsyncReader,
  { changeId, projectId, labels, after }: WantedImages,
): Promise<readonly string[]> {
  return database.all(
    `SELECT DISTINCT image_id FROM image_labels AS found
     WHERE project_id = ? AND label ${among} AND image_id > ? AND NOT EXISTS (
       SELECT 1 FROM class_change_images AS done
       WHERE done.change_id = ? AND done.image_id = found.image_id)
     ORDER BY image_id LIMIT ?`,
    [projectId, JSON.stringify(labels), after, changeId, limits.classChangeImagesReadMax],
    (row) => row.text('image_id'),
  );
}

interface ListedChange {
  readonly id: string;
  readonly change: ClassChange;
  readonly isOpen: boolean;
  readonly isTakenBack: boolean;
}

/** In the order in which they are made: of a project one after the other. */
function listChanges(database: AsyncReader, projectId: string): Promise<readonly ListedChange[]> {
  return database.all(
    `SELECT id, settings, undo_task_id IS NOT NULL AS taken_back, EXISTS (
       SELECT 1 FROM work WHERE work.id = class_changes.id AND status IN ('created', 'running')
     ) AS open
     FROM class_changes WHERE project_id = ? ORDER BY created, id`,
    [projectId],
    (row) => ({
      id: row.text('id'),
      change: readSettings(row),
      isOpen: row.boolean('open'),
      isTakenBack: row.boolean('taken_back'),
    }),
  );
}

/** Without what is being changed. */
export async function readClassState(database: AsyncReader, projectId: string): Promise<string> {
  const changes = await listChanges(database, projectId);
  const open = changes.findIndex(({ isOpen }) => isOpen);
  return stateAfter(open < 0 ? changes : changes.slice(0, open));
}

function stateAfter(changes: readonly ListedChange[]): string {
  return changes.at(-1)?.id ?? 'none';
}

/** A state that is not known any more is older than all changes that are. */
export async function readClassesSince(
  database: AsyncReader,
  projectId: string,
  state: string,
): Promise<SeenClasses> {
  const changes = await listChanges(database, projectId);
  const unseen = changes.slice(changes.findIndex(({ id }) => id === state) + 1);
  const made = unseen.filter(({ isTakenBack }) => !isTakenBack);
  return { state: stateAfter(changes), targets: composedTargets(made.map(({ change }) => change)) };
}

export function readSettings(row: Row): ClassChange {
  const settings = Object(row.json('settings'));
  const { remove } = settings;
  return {
    rename: Object.fromEntries(
      Object.entries(membersOf(settings.rename)).map(([name, to]) => [name, String(to)]),
    ),
    remove: Array.isArray(remove) ? remove.map(String) : [],
  };
}

const among = 'IN (SELECT value FROM json_each(?))';

async function readCount(
  database: AsyncReader,
  sql: string,
  parameters: readonly string[],
): Promise<number> {
  return (await database.get(sql, [...parameters], (row) => row.integer('n'))) ?? 0;
}
