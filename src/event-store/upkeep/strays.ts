// Files that have no row: what a crash left between the two, found and removed.

import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { timeOfUuidv7 } from '../../uuid.ts';
import type { EventStore } from '../store/store.ts';
import { removeEach } from './unlink.ts';

export interface StrayParts {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Which files without a row are strays: those whose id was made before. */
export interface StrayRule {
  /** Milliseconds since 1970. */
  readonly before: number;
  /** Whether the row may be about to come: then a second look follows, a minute after the first. */
  readonly isShared: boolean;
}

/**
 * Goes through all files, a few at a time, and removes the strays; says how many. The signal ends
 * it early.
 */
export async function sweepStrays(parts: StrayParts, rule: StrayRule): Promise<number> {
  const { store, files, signal } = parts;
  let removed = 0;
  let suspects: string[] = [];
  let seen = 0;
  for await (const id of files.ids()) {
    seen += 1;
    if (seen % limits.unlinkBatchMax === 0) await pause(limits.cleanupPauseMs, signal);
    if (signal.aborted) return removed;
    const isOld = timeOfUuidv7(id) < rule.before;
    if (!isOld || (await store.file(id)) !== undefined) continue;
    suspects.push(id);
    if (suspects.length < limits.straysAtOnceMax) continue;
    removed += await removeStrays(parts, rule, suspects);
    suspects = [];
  }
  return removed + (await removeStrays(parts, rule, suspects));
}

async function removeStrays(
  { store, files, clock, signal }: StrayParts,
  { before, isShared }: StrayRule,
  suspects: readonly string[],
): Promise<number> {
  if (suspects.length === 0) return 0;
  if (isShared && !(await pause(limits.strayConfirmMs, signal))) return 0;
  // A clock that was set back makes ids that look old.
  if (clock.now() < before) return 0;
  const strays: string[] = [];
  for (const id of suspects) if ((await store.file(id)) === undefined) strays.push(id);
  return strays.length - (await removeEach(files, strays)).size;
}

/** False: it was ended early. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return wait(milliseconds, true, { signal }).catch(() => false);
}
