// What others call their images changes nothing in what a search finds.

import { expect, it, onTestFinished } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { startTestPlatform } from '../../fixtures/platform.ts';
import { createProject } from '../labelled-projects.ts';
import { callsTo } from '../platform-with-model.ts';
import { scene } from './distinct-images.ts';

it('finds own words with *, however many words of others start so', async () => {
  const platform = await startTestPlatform();
  onTestFinished(() => platform.close());
  const { client, data } = platform;
  const project = await createProject(client, 'Cells');
  const add = async (number: number, name: string, tag: string[] = []) => {
    const file = { name, content: await scene(number) };
    await client.call(images.images_upload, { project, file, tag });
  };
  await add(1, 'apple_1.png');
  await add(2, 'x.png', ['red-apricot']);
  await add(3, 'banana_12345.png');
  await add(4, 'bananapple.png');
  const { tell } = callsTo(platform.url);
  const found = async (query: string) => {
    const { status, body } = await tell('POST', '/acme/search/v1', { query, fields: ['name'] });
    const results: unknown[] = Array.isArray(body.results) ? body.results : [];
    return [status, results.map((one) => String(Object(one).name)).sort()];
  };
  const all = async () => [await found('ap*'), await found('123*'), await found('-ap*')];
  const right = [
    [200, ['apple_1.png', 'x.png']],
    [200, ['banana_12345.png']],
    [200, ['banana_12345.png', 'bananapple.png']],
  ];
  expect(await all()).toEqual(right);
  await platform.otherWorkspace();
  const database = openDatabase(`${data}/platform.db`, platformMigrations);
  onTestFinished(() => database.close());
  // As if somebody else had so many images, with a word and a number each.
  for (const kind of ['word:ap', 'head:123']) {
    database.run(
      `WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 10001)
       INSERT INTO search_terms (term) SELECT ? || n || 'x' FROM numbers`,
      [kind],
    );
  }
  expect(await all()).toEqual(right);
});
