// Where tests have their temporary files: in memory, where that is to be had. With hundreds of
// small databases on a disk, tests spend a quarter more time in the system; and a training writes
// hundreds of megabytes an epoch.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const shared = '/dev/shm';
const prefix = 'fovea-tests-';
/** Twice what the tests of the machine have there at one time. */
const bytesMin = 4 * 1024 ** 3;

/** A new folder of this process; undefined where there is little room, or programs may not run. */
export function folderInMemory(): string | undefined {
  try {
    removeLeft();
    const { bavail, bsize } = statfsSync(shared);
    if (bavail * bsize < bytesMin) return undefined;
    const folder = join(shared, `${prefix}${process.pid}`);
    mkdirSync(folder);
    if (mayRun(join(folder, 'program'))) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // Another system, or a folder that is not ours.
  }
  return undefined;
}

/** What a run that was killed has left would take memory until the machine restarts. */
function removeLeft(): void {
  for (const name of readdirSync(shared)) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    rmSync(join(shared, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function mayRun(path: string): boolean {
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  return spawnSync(path).status === 0;
}
