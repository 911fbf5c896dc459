// The log of changes does not grow for ever, nor do the images that its entries keep.

import { expect, it } from 'vitest';
import { limits } from '../../../src/limits.ts';
import { purgeStore } from '../../../src/platform/database/purge-trash.ts';
import { bitSlicedImageIndex } from '../../../src/platform/database/search-index/bit-sliced-image-index.ts';
import { numberIn, seedImages } from '../seed-images.ts';

it('keeps the newest entries of a workspace, and the images of fewer', async () => {
  const { database, shared } = await seedImages(1);
  const [workspace] = database.all('SELECT id FROM workspaces', [], (row) => row.text('id'));
  const entries = limits.activityEntriesMax + 5;
  database.run(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     INSERT INTO activity (workspace_id, at, until, action, kind, verb, thing_id, n, names)
     SELECT ?, n, n, 'images_tag', 'image', 'changed', 'i', 2, '[]' FROM numbers`,
    [entries, String(workspace)],
  );
  database.run(
    `INSERT INTO activity_images SELECT ordinal, value, 'x.jpg' FROM activity
       CROSS JOIN json_each('["a", "b"]')`,
  );
  const { oldActivity } = purgeStore(shared, bitSlicedImageIndex);
  const now = <T>(writes: () => Promise<T>) => writes();
  for (let removed = 1; removed > 0; ) removed = await oldActivity(1_000, now);
  expect(numberIn(database, 'SELECT count(*) AS n FROM activity')).toBe(limits.activityEntriesMax);
  expect(numberIn(database, 'SELECT count(*) AS n FROM activity_images')).toBe(
    2 * limits.activityImagesEntriesMax,
  );
  expect(numberIn(database, 'SELECT min(entry) AS n FROM activity_images')).toBe(
    entries - limits.activityImagesEntriesMax + 1,
  );
});
