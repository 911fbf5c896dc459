// Predictions that people refused: a list of boxes with each image.

import { FoveaError, invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { RefusalChange, RefusedBox } from '../store/images.ts';
import { serverRefusalNote } from './activity/change-triggers.ts';

const column = 'ALTER TABLE images ADD COLUMN refused_predictions TEXT;';

export const refusedPredictionColumn: Migration = {
  name: 'refused_predictions',
  sql: column,
  postgres: column + serverRefusalNote,
};

/** As `refused` of the store. */
export async function readRefused(
  database: AsyncDatabase,
  imageId: string,
): Promise<readonly RefusedBox[]> {
  const json = await database.get(
    'SELECT refused_predictions FROM images WHERE id = ?',
    [imageId],
    (row) => row.optionalText('refused_predictions'),
  );
  if (json === undefined) return [];
  const boxes: unknown = JSON.parse(json);
  if (Array.isArray(boxes) && boxes.every(isRefusedBox)) return boxes;
  throw new FoveaError('internal', `What is refused of the image ${imageId} is damaged.`);
}

/** As `changeRefused` of the store. */
export function changeRefused(
  database: AsyncDatabase,
  imageId: string,
  { refuse, restore }: RefusalChange,
): Promise<readonly RefusedBox[]> {
  return database.transaction(async () => {
    const known = await readRefused(database, imageId);
    const kept = new Map([...known, ...refuse].map((box) => [nameOf(box), box]));
    for (const box of restore) kept.delete(nameOf(box));
    if (kept.size > limits.refusedPredictionsMax) {
      const most = `the image would have more than ${limits.refusedPredictionsMax} refused boxes`;
      throw invalidArgument('refuse', most, 'Restore some first.');
    }
    const boxes = [...kept.values()];
    await database.run('UPDATE images SET refused_predictions = ? WHERE id = ?', [
      boxes.length === 0 ? undefined : JSON.stringify(boxes),
      imageId,
    ]);
    return boxes;
  });
}

/** Boxes of one name are the same. */
function nameOf({ label, x, y, width, height }: RefusedBox): string {
  return JSON.stringify([label, x, y, width, height]);
}

function isRefusedBox(value: unknown): value is RefusedBox {
  const { label, ...numbers } = Object(value);
  const places = ['x', 'y', 'width', 'height'].map((name) => numbers[name]);
  return typeof label === 'string' && places.every((place) => typeof place === 'number');
}
