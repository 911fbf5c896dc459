// What the disk itself gives: the limit of a store that syncs for each event.

import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Appends that many bytes and syncs, again and again. Gives how often per second. */
export function measureSyncs(folder: string, bytes: number, seconds: number): number {
  const path = join(folder, 'syncs');
  const record = Buffer.alloc(bytes, 'x');
  const file = openSync(path, 'w');
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < seconds * 1_000; count += 1) {
    writeSync(file, record);
    fdatasyncSync(file);
  }
  const perSecond = (count * 1_000) / (performance.now() - start);
  closeSync(file);
  rmSync(path);
  return perSecond;
}

/** Throws where the folder lies in memory: a sync costs nothing there. */
export function refuseMemory(folder: string): void {
  if (statfsSync(folder).type !== tmpfsMagic) return;
  throw new Error(`${folder} is in memory; set TMPDIR to a folder on a disk.`);
}

const tmpfsMagic = 0x01021994;
