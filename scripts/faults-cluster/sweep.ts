// Removes what no row refers to, as the hourly sweep does, but at once: nobody writes meanwhile.

import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { openRows } from '../../src/platform/open-platform-database.ts';
import { openParts } from '../../src/platform/platform-parts.ts';
import type { Cluster } from './cluster.ts';

/** How many contents it removed. */
export async function sweep({ databaseUrl, place, folder }: Cluster): Promise<number> {
  const data = join(folder, 'sweep');
  const options = {
    data,
    databaseUrl,
    objects: place,
    log: createLog('error'),
    clock: systemClock,
  };
  const parts = await openParts(await openRows(options, systemClock), options);
  const { store, blobs } = parts.dependencies;
  try {
    return (await blobs.sweep((hash) => store.refersTo(hash), 0)).removed;
  } finally {
    await parts.stopWork();
    await parts.close();
  }
}
