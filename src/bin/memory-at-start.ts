// What bounds the memory of a service and is read only when a process starts: settings of the
// allocator of Linux, and flags of V8.

import { accessSync, constants } from 'node:fs';
import { ownEnvironment } from '../environment.ts';

/** Of glibc, which reads it once, at the start of a process. musl and others do not know it. */
const trimThreshold = 'MALLOC_TRIM_THRESHOLD_';

/** The default at the start of a process; setting it keeps glibc from raising it. */
const trimThresholdBytes = 128 * 1024;

export interface StartSettings {
  /** Those of its user come after them. */
  readonly nodeFlags: readonly string[];
  /** Where its user has not set them. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Restarts this process in its place, under its process id, with a trim threshold that stays as it
 * is. By default glibc raises the threshold with each large allocation that is freed, and then
 * keeps up to twice as much for each thread that ever ran: after images were decoded in threads
 * that have ended, a service held some 120 MB for good. Does nothing where the variable is set, so
 * it happens once and its user may set another value. Costs some 50 ms. `more`: of this service.
 */
export function restartWithMemoryBounds(more?: StartSettings): void {
  const environment = ownEnvironment();
  if (process.platform !== 'linux' || environment[trimThreshold] !== undefined) return;
  if (process.execve === undefined || !isExecutable(process.execPath)) return;
  const flags = [...(more?.nodeFlags ?? []), ...process.execArgv];
  process.execve(process.execPath, [process.execPath, ...flags, ...process.argv.slice(1)], {
    ...more?.environment,
    ...environment,
    [trimThreshold]: String(trimThresholdBytes),
  });
}

/** A failing execve ends the process: the file may have been replaced by an upgrade. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
