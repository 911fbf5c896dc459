// One version of very many images, made in parts by 1, 2 and 4 workers: the images are added once,
// and each version resizes them to another width, so that all of it is made anew.

import { availableParallelism } from 'node:os';
import { startPlatforms } from './platforms.ts';
import { addPhotos, secondsOf } from './versions.ts';

export interface LargeVersionOptions {
  readonly workers: readonly number[];
  readonly images: number;
  readonly arePinned: boolean;
}

const narrowest = 200;
const cores = availableParallelism();

/** `database`: the URL of an empty one. */
export async function measureLargeVersion(
  database: string,
  { workers, images, arePinned }: LargeVersionOptions,
): Promise<string[][]> {
  const { clients, startWorker, stopWorkers, close } = await startPlatforms(1, database);
  try {
    const [client] = clients;
    if (client === undefined) throw new Error('no platform');
    const startMs = performance.now();
    await addPhotos(client, images);
    process.stderr.write(`added in ${Math.round((performance.now() - startMs) / 1000)} s\n`);
    const rows = [['workers', 'one version, s', 'images/s', 'images/s of a worker']];
    for (const [place, count] of workers.entries()) {
      process.stderr.write(`${count} workers...\n`);
      for (let number = 0; number < count; number += 1) {
        await startWorker(database, arePinned ? number % cores : undefined);
      }
      const seconds = await secondsOf(client, [narrowest + place]);
      await stopWorkers();
      const rate = images / seconds;
      const each = (rate / count).toFixed(0);
      rows.push([`${count}`, seconds.toFixed(1), rate.toFixed(0), each]);
    }
    return rows;
  } finally {
    await close();
  }
}
