// The log of the database, which a thread of its own moves into the file.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { newEvent, sqliteStore } from './new-events.ts';

/** How often the log has begun anew: https://www.sqlite.org/fileformat2.html#walformat */
function beginnings(log: string): number {
  return readFileSync(log).readUInt32BE(12);
}

test('while much is written the log begins anew often, and it goes with the store', async () => {
  const data = await temporaryFolder();
  const log = join(data, 'events.db-wal');
  const store = await sqliteStore(systemClock, data);
  const customMetadata = { text: 'x'.repeat(100_000) };
  let megabytes = 0;
  // SQLite alone would begin anew after every 16.
  const isOften = () => beginnings(log) > megabytes / 16 + 2;
  // On a busy machine the thread comes to it later.
  while (megabytes < 64 || (megabytes < 256 && !isOften())) {
    await Promise.all(Array.from({ length: 10 }, () => store.create(newEvent({ customMetadata }))));
    megabytes += 1;
  }
  expect(isOften()).toBe(true);
  expect(await store.count({})).toMatchObject({ total: 10 * megabytes });
  await store.close();
  expect(existsSync(log)).toBe(false);
});
