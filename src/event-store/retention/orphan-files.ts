// Finds and removes orphan files: a crash after writing a file and before its row leaves one.

import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { timeOfUuidv7 } from '../../uuid.ts';
import type { EventStore } from '../store/store.ts';
import { unlinkEach } from './pending-unlinks.ts';

export interface OrphanSweepDependencies {
  readonly store: EventStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Which files without a row are orphans: those whose id is older than `before`. */
export interface OrphanRule {
  /** Milliseconds since 1970. */
  readonly before: number;
  /** Another process may be about to write the row: then a second check follows a minute later. */
  readonly isShared: boolean;
}

/** Goes through all files in batches; returns how many it removed. The signal ends it early. */
export async function removeOrphanFiles(
  dependencies: OrphanSweepDependencies,
  rule: OrphanRule,
): Promise<number> {
  const { store, files, signal } = dependencies;
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
    if (suspects.length < limits.orphansAtOnceMax) continue;
    removed += await removeStrays(dependencies, rule, suspects);
    suspects = [];
  }
  return removed + (await removeStrays(dependencies, rule, suspects));
}

async function removeStrays(
  { store, files, clock, signal }: OrphanSweepDependencies,
  { before, isShared }: OrphanRule,
  suspects: readonly string[],
): Promise<number> {
  if (suspects.length === 0) return 0;
  if (isShared && !(await pause(limits.orphanConfirmMs, signal))) return 0;
  // New ids look old while the clock is set back.
  if (clock.now() < before) return 0;
  const strays: string[] = [];
  for (const id of suspects) if ((await store.file(id)) === undefined) strays.push(id);
  return strays.length - (await unlinkEach(files, strays)).size;
}

/** False: the signal was aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return wait(milliseconds, true, { signal }).catch(() => false);
}
