// A version of many images, made by 1, 2 and 4 workers, and by one whose database is far away.

import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { versions } from '../../src/contract/versions.ts';
import type { Client } from '../../src/http-client/client.ts';
import { inParallel } from '../../src/platform/background-tasks/process-items.ts';
import { makePhotos, makeProject, project, upload } from './calls.ts';
import { openCountingLine, socketOf } from './counting-line.ts';
import { startPlatforms, workspace } from './platforms.ts';

export interface VersionOptions {
  readonly workers: readonly number[];
  readonly images: number;
  /** What a network takes there and back to the database, in the last row. */
  readonly farMs: number;
  /** Each worker has one core alone, as if it were on a machine of its own. */
  readonly arePinned: boolean;
}

/** `newDatabase` gives the URL of an empty one. */
export async function measureVersions(
  newDatabase: () => Promise<string>,
  options: VersionOptions,
): Promise<string[][]> {
  const rows = [['workers', 'network, ms', 'one version, s', 'four at once, s', 'round trips']];
  for (const workers of options.workers) {
    rows.push(await measure(new URL(await newDatabase()), { ...options, workers, farMs: 0 }));
  }
  rows.push(await measure(new URL(await newDatabase()), { ...options, workers: 1 }));
  return rows;
}

async function measure(
  database: URL,
  {
    workers,
    images,
    farMs,
    arePinned,
  }: Omit<VersionOptions, 'workers'> & { readonly workers: number },
): Promise<string[]> {
  process.stderr.write(`${workers} workers, ${farMs} ms...\n`);
  const line = await openCountingLine(socketOf(database));
  const { clients, startWorker, close } = await startPlatforms(1, database.href);
  try {
    const [client] = clients;
    if (client === undefined) throw new Error('no platform');
    await addPhotos(client, images);
    const url = farMs === 0 ? database.href : line.urlOf(database.pathname.slice(1));
    line.delay(farMs);
    const cores = availableParallelism();
    for (let number = 0; number < workers; number += 1) {
      await startWorker(url, arePinned ? number % cores : undefined);
    }
    const before = line.counts.roundTrips;
    const one = await secondsOf(client, [224]);
    const roundTrips = farMs === 0 ? '' : `${line.counts.roundTrips - before}`;
    const four = await secondsOf(client, [128, 160, 192, 256]);
    return [`${workers}`, `${farMs}`, one.toFixed(1), four.toFixed(1), roundTrips];
  } finally {
    await close();
    line.close();
  }
}

export async function addPhotos(client: Client, count: number): Promise<void> {
  await makeProject(client);
  const photoOf = await makePhotos();
  const add = async (number: number) => {
    await upload(client, number, photoOf(number));
  };
  const numbers = Array.from({ length: count }, (_, number) => number);
  await inParallel(numbers, 16, add, new AbortController().signal);
}

/** Until versions of these widths are ready. */
export async function secondsOf(client: Client, widths: readonly number[]): Promise<number> {
  const startMs = performance.now();
  const made = await Promise.all(
    widths.map((width) =>
      client.call(versions.versions_generate, {
        workspace,
        project,
        preprocessing: { resize: { width, height: width, format: 'Stretch to' } },
        augmentation: {},
      }),
    ),
  );
  for (const { body } of made) await untilReady(client, Number(body.version));
  return (performance.now() - startMs) / 1000;
}

async function untilReady(client: Client, version: number): Promise<void> {
  for (;;) {
    const { body } = await client.call(versions.versions_get, { workspace, project, version });
    if (body.version.error) throw new Error(body.version.error);
    if (body.version.generating !== true) return;
    await wait(50);
  }
}
