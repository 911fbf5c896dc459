// Removes what no row refers to, as the hourly sweep does, but at once and without a question for
// each content: nobody writes meanwhile.

import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { openRows } from '../../src/platform/open-platform-database.ts';
import { openParts } from '../../src/platform/platform-parts.ts';
import type { Cluster } from './cluster.ts';
import { untilAnswered } from './until-answered.ts';

export async function sweep(
  { databaseUrl, place, folder }: Cluster,
  wanted: ReadonlySet<string>,
): Promise<void> {
  const data = join(folder, 'sweep');
  const options = {
    data,
    databaseUrl,
    objects: place,
    log: createLog('error'),
    clock: systemClock,
  };
  const parts = await openParts(await openRows(options, systemClock), options);
  const { blobs } = parts.dependencies;
  try {
    await untilAnswered(async () => {
      const { problems } = await blobs.sweep((hash) => wanted.has(hash), 0);
      if (problems !== undefined) throw problems.first;
    });
  } finally {
    await parts.stopWork();
    await parts.close();
  }
}
