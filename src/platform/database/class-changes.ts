// Changes of classes, and the annotations that images had before them.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import { type ClassTargets, changeClasses, classTargets } from '../../annotations/class-change.ts';
import {
  type WrittenAnnotation,
  writeAnnotation,
} from '../../annotations/serialized-annotation.ts';
import { FoveaError } from '../../errors.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { ClassChangeStore, KnownClassChange, UndonePage } from '../store/class-changes.ts';
import type { ImageIndex } from '../store/image-index.ts';
import { serverClassNotes } from './activity/change-triggers.ts';
import { readClassesSince, readClassState, readSettings } from './class-change-reads.ts';
import { readAnnotation, readProjectType } from './column-readers.ts';
import { replaceLabels } from './images.ts';
import type { LongReads } from './long-reads/long-reads.ts';
import { isLive } from './projects.ts';
import { changingImages } from './search-index/update-index.ts';

const tables = `
CREATE TABLE class_changes (
  -- Also the id of its task.
  id TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES projects ON DELETE CASCADE,
  settings TEXT NOT NULL, found INTEGER NOT NULL, labels INTEGER NOT NULL, images INTEGER NOT NULL,
  emptied INTEGER NOT NULL, undo_task_id TEXT, restored INTEGER NOT NULL, changed INTEGER NOT NULL,
  gone INTEGER NOT NULL, created INTEGER NOT NULL
) STRICT;
CREATE INDEX class_changes_project ON class_changes (project_id);

-- Annotations as they were before. An image may go to the trash and come back: no key of images.
CREATE TABLE class_change_images (
  change_id TEXT NOT NULL REFERENCES class_changes ON DELETE CASCADE, image_id TEXT NOT NULL,
  annotation TEXT NOT NULL, predicted INTEGER NOT NULL,
  -- Of the annotation that the change made: who changes it makes another one.
  revision TEXT NOT NULL, PRIMARY KEY (change_id, image_id)
) STRICT, WITHOUT ROWID;
`;

export const classChangeTables: Migration = {
  name: 'class_changes',
  sql: tables,
  postgres: tables + serverClassNotes,
};

/** Who saves the same labels again makes no other revision, and has looked at them. */
export const classChangeTimes: Migration = {
  name: 'class_change_times',
  sql: `
ALTER TABLE class_change_images ADD COLUMN annotated_before INTEGER;
ALTER TABLE class_change_images ADD COLUMN annotated_after INTEGER;
`,
};

export function classChangeStore(
  database: AsyncDatabase,
  index: ImageIndex,
  queue: TaskQueue,
  reader: LongReads,
): ClassChangeStore {
  return {
    start: ({ id, workspaceId, projectId, change, images, created }) =>
      database.transaction(async () => {
        await database.run(
          `INSERT INTO class_changes (id, project_id, settings, found, labels, images, emptied,
             restored, changed, gone, created) VALUES (?, ?, ?, ?, 0, 0, 0, 0, 0, 0, ?)`,
          [id, projectId, JSON.stringify(change), images, created],
        );
        const payload = { workspaceId, projectId };
        await queue.add({ id, kind: 'classes', payload, turn: projectId });
      }),
    find: (projectId, changeId) =>
      database.get(
        'SELECT * FROM class_changes WHERE project_id = ? AND id = ?',
        [projectId, changeId],
        readChange,
      ),
    state: (projectId) => readClassState(database, projectId),
    since: (projectId, state) => readClassesSince(database, projectId, state),
    affected: (workspaceId, projectId, change) =>
      reader.read(workspaceId, { name: 'affectedLabels', asked: [projectId, change] }),
    imagesLeft: (workspaceId, wanted) =>
      reader.read(workspaceId, { name: 'classChangeImages', asked: [wanted] }),
    apply: (change, imageIds, fenced, now) =>
      fenced(() => applyTo(database, index, change, imageIds, now)),
    startUndo: ({ id, projectId }, { taskId, workspaceId, undoTaskId }) =>
      database.transaction(async () => {
        const begun = await database.run(
          `UPDATE class_changes SET undo_task_id = ?, restored = 0, changed = 0, gone = 0
           WHERE id = ? AND undo_task_id IS NOT DISTINCT FROM ?`,
          [taskId, id, undoTaskId],
        );
        if (begun === 0) return false;
        const payload = { workspaceId, projectId, changeId: id };
        await queue.add({ id: taskId, kind: 'classes-undo', payload, turn: projectId });
        return true;
      }),
    countUndoable: async (changeId) => {
      const sql = 'SELECT count(*) AS n FROM class_change_images WHERE change_id = ?';
      return (await database.get(sql, [changeId], (row) => row.integer('n'))) ?? 0;
    },
    undoSome: (change, wanted, fenced, now) =>
      fenced(() => undoIn(database, index, change, wanted, now)),
  };
}

async function refuseInTrash(database: AsyncDatabase, projectId: string): Promise<void> {
  if (await isLive(database, projectId)) return;
  throw new FoveaError('conflict', 'The project is in the trash.');
}

/** An image that a change is about to change. */
interface Due {
  readonly id: string;
  readonly before: string;
  readonly annotatedBefore: number | undefined;
  readonly isPredicted: boolean;
  readonly changed: number;
  readonly isEmptied: boolean;
  /** Undefined: the image is not annotated any more. */
  readonly after: WrittenAnnotation | undefined;
}

async function applyTo(
  database: AsyncDatabase,
  index: ImageIndex,
  { id: changeId, projectId, change }: KnownClassChange,
  imageIds: readonly string[],
  now: number,
): Promise<number> {
  await refuseInTrash(database, projectId);
  const targets = classTargets(change);
  const due = await database.all(
    // CROSS: the ids come first, or all images of the project are held against each of them.
    `SELECT images.id, images.annotation, annotated_at, predicted, projects.type FROM json_each(?) AS wanted
       CROSS JOIN images ON images.id = wanted.value
       JOIN projects ON projects.id = images.project_id
     WHERE project_id = ? AND images.annotation IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM class_change_images AS done
       WHERE done.change_id = ? AND done.image_id = images.id)`,
    [JSON.stringify(imageIds), projectId, changeId],
    (row) => dueOf(row, targets),
  );
  const changed = due.flatMap((one) => one ?? []);
  await changingImages(database, index, idsOf(changed), async () => {
    for (const { id, before, annotatedBefore, isPredicted, after } of changed) {
      replaceLabels(database, { id, projectId }, after, { isPredicted, annotatedAt: now });
      database.send(
        `INSERT INTO class_change_images (change_id, image_id, annotation, predicted, revision,
           annotated_before, annotated_after) VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [changeId, id, before, isPredicted, revisionOf(after?.json), annotatedBefore, now],
      );
    }
  });
  const labels = changed.reduce((sum, one) => sum + one.changed, 0);
  const emptied = changed.filter(({ isEmptied }) => isEmptied).length;
  await database.run(
    `UPDATE class_changes SET labels = labels + ?, images = images + ?, emptied = emptied + ?
     WHERE id = ?`,
    [labels, changed.length, emptied, changeId],
  );
  return changed.length;
}

function dueOf(row: Row, targets: ClassTargets): Due | undefined {
  const known = readAnnotation(row);
  if (known === undefined) return undefined;
  const { annotation, changed } = changeClasses(known, targets);
  if (changed === 0) return undefined;
  const after = writeAnnotation(annotation);
  const isEmptied = after.objects === 0;
  // Of exactly one class, none is no answer: nobody has said yet which one it is.
  const isOpen = isEmptied && readProjectType(row) === 'single-label-classification';
  return {
    id: row.text('id'),
    before: row.text('annotation'),
    annotatedBefore: row.optionalInteger('annotated_at'),
    isPredicted: row.boolean('predicted'),
    changed,
    isEmptied,
    after: isOpen ? undefined : after,
  };
}

/** What an image had before the change, and has now. */
interface Kept {
  readonly id: string;
  readonly before: WrittenAnnotation | undefined;
  readonly annotatedBefore: number | undefined;
  readonly isPredicted: boolean;
  readonly state: 'as_changed' | 'changed' | 'gone';
}

async function undoIn(
  database: AsyncDatabase,
  index: ImageIndex,
  { id: changeId, projectId }: KnownClassChange,
  { after, countMax }: UndonePage,
  now: number,
): Promise<string | undefined> {
  await refuseInTrash(database, projectId);
  const kept = await database.all(
    `SELECT kept.*, images.id AS present, images.annotation AS present_annotation,
       images.predicted AS present_predicted, images.annotated_at AS present_annotated
     FROM class_change_images AS kept
       LEFT JOIN images ON images.id = kept.image_id AND images.project_id = ?
     WHERE change_id = ? AND kept.image_id > ? ORDER BY kept.image_id LIMIT ?`,
    [projectId, changeId, after, countMax],
    readKept,
  );
  const last = kept.at(-1);
  if (last === undefined) return undefined;
  const restored = kept.filter(({ state }) => state === 'as_changed');
  const changed = kept.filter(({ state }) => state === 'changed').length;
  await changingImages(database, index, idsOf(restored), async () => {
    for (const { id, before, annotatedBefore, isPredicted } of restored) {
      // A change before this one knows its labels by their time.
      const how = { isPredicted, annotatedAt: annotatedBefore ?? now };
      replaceLabels(database, { id, projectId }, before, how);
    }
  });
  // The others may be as this change left them another time: once a later one is taken back.
  await database.run(
    `DELETE FROM class_change_images
     WHERE change_id = ? AND image_id IN (SELECT value FROM json_each(?))`,
    [changeId, JSON.stringify(idsOf(restored))],
  );
  const gone = kept.length - restored.length - changed;
  const isFirst = after === '';
  await database.run(
    `UPDATE class_changes SET restored = restored + ?, changed = ? + ${isFirst ? 0 : 'changed'},
       gone = ? + ${isFirst ? 0 : 'gone'} WHERE id = ?`,
    [restored.length, changed, gone, changeId],
  );
  return last.id;
}

function idsOf(images: readonly { readonly id: string }[]): readonly string[] {
  return images.map(({ id }) => id);
}

function readKept(row: Row): Kept {
  const before = readAnnotation(row);
  const present = row.optionalText('present_annotation');
  const madeAt = row.optionalInteger('annotated_after');
  const isSame =
    row.text('revision') === revisionOf(present) &&
    (present === undefined ||
      madeAt === undefined ||
      madeAt === row.optionalInteger('present_annotated'));
  const isThere = row.optionalText('present') !== undefined;
  return {
    id: row.text('image_id'),
    // The same text: then the revision is that of before, too.
    before: before && { ...writeAnnotation(before), json: row.text('annotation') },
    annotatedBefore: row.optionalInteger('annotated_before'),
    isPredicted: row.boolean(present === undefined ? 'predicted' : 'present_predicted'),
    state: isThere ? (isSame ? 'as_changed' : 'changed') : 'gone',
  };
}

function readChange(row: Row): KnownClassChange {
  return {
    id: row.text('id'),
    projectId: row.text('project_id'),
    change: readSettings(row),
    found: row.integer('found'),
    labels: row.integer('labels'),
    images: row.integer('images'),
    emptied: row.integer('emptied'),
    undoTaskId: row.optionalText('undo_task_id'),
    restored: row.integer('restored'),
    changed: row.integer('changed'),
    gone: row.integer('gone'),
  };
}
