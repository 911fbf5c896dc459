// What a change of classes would do, and which images it has to look at still.

import { type ClassChange, classTargets } from '../../annotations/class-change.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { AffectedLabels, WantedImages } from '../store/class-changes.ts';

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

const among = 'IN (SELECT value FROM json_each(?))';

async function readCount(
  database: AsyncReader,
  sql: string,
  parameters: readonly string[],
): Promise<number> {
  return (await database.get(sql, [...parameters], (row) => row.integer('n'))) ?? 0;
}
