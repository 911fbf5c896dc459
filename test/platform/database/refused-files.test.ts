// How many refused files a project keeps, and which.

import { expect, it } from 'vitest';
import { keepRefused, listRefused } from '../../../src/platform/database/refused-files.ts';
import { numberIn, seedImages } from '../seed-images.ts';

function refused(number: number, at = number) {
  const file = `folder/${number}.png`;
  const name = `${number}.png`;
  return { file, name, identity: file, reason: 'is empty', at, who: 'key:1' };
}

it('keeps the newest thousand, the newest upload first, and each file once', async () => {
  const { shared } = await seedImages(1);
  const files = Array.from({ length: 1_000 }, (_, at) => refused(at + 2));
  await keepRefused(shared, 'large-project', files);
  await keepRefused(shared, 'large-project', [refused(2_000), refused(5)]);
  const kept = (await listRefused(shared, 'large-project')).map(({ name }) => name);
  expect(kept).toHaveLength(1_000);
  expect(kept.slice(0, 3)).toEqual(['2000.png', '5.png', '2.png']);
  expect(kept.filter((name) => name === '5.png')).toHaveLength(1);
  expect(kept).not.toContain('1001.png');
});

it('leaves out what is there by now, and names a file again that is refused again', async () => {
  const { shared } = await seedImages(2);
  await keepRefused(shared, 'large-project', [refused(1, 0), refused(2, 5)]);
  const [only, ...others] = await listRefused(shared, 'large-project');
  expect(only).toEqual(refused(2, 5));
  expect(others).toEqual([]);
});

it('keeps nothing of a project that is gone, and loses all with it', async () => {
  const { database, shared } = await seedImages(0);
  await keepRefused(shared, 'no-project', [refused(1)]);
  expect(numberIn(database, 'SELECT count(*) AS n FROM refused_files')).toBe(0);
  await keepRefused(shared, 'large-project', [refused(1)]);
  database.run('DELETE FROM images');
  database.run('DELETE FROM batches');
  database.run("DELETE FROM projects WHERE id = 'large-project'");
  expect(numberIn(database, 'SELECT count(*) AS n FROM refused_files')).toBe(0);
});
