// Files whose rows are elsewhere: no new rows are made beside them, a sweep would remove them.

import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openRows } from '../../src/platform/open-platform-database.ts';
import { openBlobs } from '../../src/storage/open-blobs.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

it('a folder with files gets no new rows', async () => {
  const data = await temporaryFolder();
  await (await openRows({ data }, systemClock)).database.close();
  const blobs = await openBlobs({ data, objects: undefined, owner: '', clock: systemClock });
  const { hash } = await blobs.put(Buffer.from('an image'));
  // As it is after a move to PostgreSQL.
  await rename(join(data, 'platform.db'), join(data, 'moved.db'));

  await expect(openRows({ data }, systemClock)).rejects.toMatchObject({
    code: 'conflict',
    message: `There is no platform.db, but "${data}" has the files of datasets.`,
    hint: expect.stringContaining('FOVEA_DATABASE_URL'),
  });
  expect(await readdir(data)).not.toContain('platform.db');
  expect(await blobs.has(hash)).toBe(true);

  await rename(join(data, 'moved.db'), join(data, 'platform.db'));
  await (await openRows({ data }, systemClock)).database.close();
});

it('folders that a sweep has emptied do not count', async () => {
  const data = await temporaryFolder();
  await mkdir(join(data, 'blobs/ab'), { recursive: true });
  await mkdir(join(data, 'blobs/incoming'));
  await (await openRows({ data }, systemClock)).database.close();
});
