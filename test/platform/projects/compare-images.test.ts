// Near-duplicates for work that goes on without them, where the comparison is given up.

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { createSqliteStore } from '../../../src/platform/database/create-store.ts';
import { startLongReadThreads } from '../../../src/platform/database/long-reads/long-read-threads.ts';
import { compareImages } from '../../../src/platform/projects/compare-images.ts';
import { createTaskQueue } from '../../../src/storage/task-queue.ts';
import { seedImages } from '../seed-images.ts';

const { signal } = new AbortController();

it('tells none, and that it is not complete, where it takes too long', async () => {
  const { data, database, shared } = await seedImages(2_000);
  // All in one picture: each is compared with each.
  const vector = Uint8Array.from({ length: 64 }, (_, at) => (at % 7 === 1 ? 50 : 0));
  database.run(
    'INSERT INTO likeness_vectors (ordinal, vector) SELECT ordinal, ? FROM image_ordinals',
    [vector],
  );
  const work = createTaskQueue(shared, { clock: systemClock, owner: 'x' });
  const open = (msMax?: number) => startLongReadThreads(join(data, 'platform.db'), msMax, msMax);
  const [patient, hasty] = [open(), open(0)];
  const { projects } = createSqliteStore(shared, work, patient);
  const found = await compareImages(projects, 'a', 'large-project', signal);
  expect(found).toMatchObject({ leaks: 0, compared: 2_000, isComplete: true });
  expect([...found.ends]).toEqual([2_000]);
  const { projects: late } = createSqliteStore(shared, work, hasty);
  expect(await compareImages(late, 'a', 'large-project', signal)).toEqual({
    ordinals: new Float64Array(),
    splits: new Uint8Array(),
    ends: new Uint32Array(),
    leaks: 0,
    compared: 0,
    plain: 0,
    isComplete: false,
  });
  await Promise.all([patient.close(), hasty.close()]);
  await expect(compareImages(late, 'a', 'large-project', signal)).rejects.toMatchObject({
    code: 'cancelled',
  });
});
