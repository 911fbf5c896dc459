// A disk that gets full to its last byte in the middle of mixed load, and free again.

import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Machine } from './linux-disks.ts';
import { create, type LoadOptions, startLoad } from './send-load.ts';
import { type Result, Trial } from './trial.ts';

const resumeMsMax = 5_000;

export interface FullDisk {
  readonly disk: 'tmpfs' | 'ext4';
  readonly megabytes: number;
  /** All events wait for an unreachable cloud, so no event may be removed. */
  readonly isOffline: boolean;
  readonly fullMs: number;
}

export async function tryFullDisk(folder: string, options: FullDisk): Promise<Result> {
  const { disk, megabytes, isOffline, fullMs } = options;
  const bytes = megabytes * 1024 * 1024;
  const load = { clients: 8, fileBytesMax: bytes / 24 };
  const machine = new Machine(folder);
  const name = `full ${disk}${isOffline ? ', nothing may be removed' : ''}`;
  try {
    const path =
      disk === 'tmpfs'
        ? await machine.mountMemory(megabytes)
        : await machine.mountImage(disk, await machine.makeImage(disk, megabytes));
    const environment = { RESERVE_BYTES: String(bytes / 16), ...(isOffline && offline) };
    const trial = new Trial({ name, data: join(path, 'data'), environment });
    await trial.start();
    const running = startLoad(trial.history, trial.url, load);
    // A store that has less could remove all of it and gain too little.
    await storeBytes(trial, bytes / 3);
    const removedBefore = await removedEvents(trial.url);
    const ballast = openSync(join(path, 'ballast'), 'w');
    fill(ballast);
    const once = await watchFor(trial, fullMs, () => {});
    const removed = (await removedEvents(trial.url)) - removedBefore;
    const greedy = await watchFor(trial, fullMs, () => fill(ballast));
    closeSync(ballast);
    rmSync(join(path, 'ballast'));
    const resumedMs = await resume(trial, load);
    await wait(1_000);
    await running.stop();
    await trial.judge();
    await trial.kill();
    await trial.start();
    await trial.judge();
    await trial.kill();
    const refused = once.refused + greedy.refused;
    const failedReads = once.failedReads + greedy.failedReads;
    if (greedy.refused === 0) trial.failures.push('no write was refused: the disk was never full');
    if (failedReads > 0) trial.failures.push(`${failedReads} reads failed on the full disk`);
    if (resumedMs > resumeMsMax) trial.failures.push(`writes resumed after ${resumedMs} ms`);
    if (!isOffline && removed === 0) trial.failures.push('no cleanup worked on the full disk');
    return trial.result(
      `${refused} refused, ${removed} removed while full, resumed after ${resumedMs} ms`,
    );
  } finally {
    await machine.restore();
  }
}

const offline = {
  CLOUD_UPLOAD_ENABLED: 'true',
  CLOUD_UPLOAD_URL: 'http://127.0.0.1:9',
  DEFAULT_SOLUTION_ID: 'trials',
  MAX_RECORDS: '1000000',
};

/** Waits until the load has stored so much. */
async function storeBytes(trial: Trial, bytes: number): Promise<void> {
  for (let leftMs = 60_000; leftMs > 0; leftMs -= 100) {
    if (Number((await stats(trial.url)).bytes_used) >= bytes) return;
    await wait(100);
  }
  throw new Error(`the store did not come to ${bytes} bytes`);
}

/** Reads for a while, and does something else again and again. */
async function watchFor({ history, url }: Trial, milliseconds: number, again: () => void) {
  const refusals = () => (history.statuses.get(529) ?? 0) + (history.statuses.get(500) ?? 0);
  const before = refusals();
  let failedReads = 0;
  for (let leftMs = milliseconds; leftMs > 0; leftMs -= stepMs) {
    again();
    if (!(await canRead(url))) failedReads += 1;
    await wait(stepMs);
  }
  return { refused: refusals() - before, failedReads };
}

const stepMs = 50;

/** Takes every byte that is free. */
function fill(file: number): void {
  const pieces = [Buffer.alloc(1024 * 1024, 'b'), Buffer.alloc(4096, 'b'), Buffer.alloc(1, 'b')];
  for (const piece of pieces) {
    try {
      while (writeSync(file, piece) === piece.length);
    } catch {
      // Full: a smaller piece may still fit.
    }
  }
}

/** The newest event, and its first image. */
async function canRead(url: string): Promise<boolean> {
  const page = await get(`${url}/v2/events/latest/query?limit=1`);
  if (page.status !== 200) return false;
  const { events } = Object(await page.json());
  const fileId = events[0]?.images[0]?.file_id;
  if (typeof fileId !== 'string') return true;
  const image = await get(`${url}/images/${fileId}`);
  await image.arrayBuffer();
  // A cleanup may just have removed it.
  return image.status === 200 || image.status === 404;
}

async function removedEvents(url: string): Promise<number> {
  const removed = Object.values(Object((await stats(url)).removed));
  return removed.reduce<number>((sum, each) => sum + Number(each), 0);
}

async function stats(url: string): Promise<Readonly<Record<string, unknown>>> {
  return Object(await (await get(`${url}/v2/stats`)).json());
}

/** Again on another connection: this one was idle while the disk was being filled. */
async function get(url: string): Promise<Response> {
  return fetch(url).catch(() => fetch(url));
}

/** Milliseconds until a write goes through again. */
async function resume({ history, url }: Trial, load: LoadOptions): Promise<number> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < 4 * resumeMsMax) {
    const { event } = await create(history, url, load, false);
    if (event.outcome === 'stored') break;
    await wait(50);
  }
  return Math.round(performance.now() - startedMs);
}
