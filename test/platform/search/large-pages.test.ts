// Annotations that are too much for one answer: never a page that is cut off unseen.

import { expect, it, onTestFinished } from 'vitest';
import { startTestPlatform } from '../../fixtures/platform.ts';
import { callsTo } from '../platform-with-model.ts';
import { seedImages } from '../seed-images.ts';

it('ends a page early with a token, and refuses places that do not fit', async () => {
  const { data, database } = await seedImages(3);
  // As seeded they are not in the index: a start brings them in.
  database.run('UPDATE image_ordinals SET indexed = 0');
  const box = { label: 'x'.repeat(100), x: 1, y: 1, width: 1, height: 1 };
  const annotation = { kind: 'detection', boxes: Array.from({ length: 16_000 }, () => box) };
  database.run('UPDATE images SET annotation = ?', [JSON.stringify(annotation)]);
  const platform = await startTestPlatform({ data });
  onTestFinished(() => platform.close());
  const { tell } = callsTo(platform.url);
  const count = async () => (await tell('POST', '/acme/large/search', {})).body.total;
  await expect.poll(count, { timeout: 15_000 }).toBe(3);
  const refused = await tell('POST', '/acme/large/search', { fields: ['annotations'] });
  expect([refused.status, refused.body]).toMatchObject([
    400,
    {
      error: {
        message:
          'limit: the annotations of these images have more than 4000000 characters; 1 of them fit',
        hint: 'Ask for 1 at a time, or without the field annotations.',
      },
    },
  ]);
  const ids: string[] = [];
  let continuationToken: unknown;
  for (let page = 1; page <= 3; page += 1) {
    const { status, body } = await tell('POST', '/acme/search/v1', {
      query: '*',
      fields: ['annotations'],
      ...(continuationToken !== undefined && { continuationToken }),
    });
    expect([status, body.total]).toEqual([200, 3]);
    ids.push(...(Array.isArray(body.results) ? body.results : []).map((one) => one.id));
    continuationToken = body.continuationToken;
  }
  expect(ids).toEqual(['image-3', 'image-2', 'image-1']);
  expect(continuationToken).toBeUndefined();
});
