// Renames, merges and removes classes in the images of a project, and takes that back.

import { setImmediate } from 'node:timers/promises';
import { classTargets } from '../../annotations/class-change.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { KnownClassChange } from '../store/class-changes.ts';
import type { Store } from '../store/store.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { fencedProgress } from './fenced-progress.ts';
import { inChunks } from './process-items.ts';

/** Each changed image is kept with the change: another attempt goes on behind them. */
export const changeClassesOfProject: BackgroundTask = async ({ store, clock }, claim, signal) => {
  const workspaceId = payloadText(claim, 'workspaceId');
  const projectId = payloadText(claim, 'projectId');
  const change = await knownChange(store, projectId, claim.id);
  const labels = [...classTargets(change.change).keys()];
  const { classChanges } = store;
  let done = change.images;
  const pass = async () => {
    let changed = 0;
    for (let after = ''; ; ) {
      const wanted = { changeId: claim.id, projectId, labels, after };
      const ids = await classChanges.imagesLeft(workspaceId, wanted);
      await inChunks(ids, limits.classChangeRowsAtOnceMax, signal, async (chunk) => {
        done += chunk.length;
        const fenced = fencedProgress(claim, done, Math.max(done, change.found));
        changed += await classChanges.apply(change, chunk, fenced, clock.now());
      });
      const last = ids.at(-1);
      if (last === undefined) return changed;
      after = last;
    }
  };
  // Images that came meanwhile may lie before those of this pass.
  while ((await pass()) > 0) signal.throwIfAborted();
  const made = await knownChange(store, projectId, claim.id);
  return {
    changeId: claim.id,
    labels: made.labels,
    images: made.images,
    emptied: made.emptied,
  };
};

/** What it has restored is forgotten in the same transaction: another attempt has the rest. */
export const undoClassChange: BackgroundTask = async ({ store, clock }, claim, signal) => {
  const projectId = payloadText(claim, 'projectId');
  const changeId = payloadText(claim, 'changeId');
  const { classChanges } = store;
  const change = await knownChange(store, projectId, changeId);
  const countMax = limits.classChangeRowsAtOnceMax;
  const left = await classChanges.countUndoable(changeId);
  const total = change.restored + left;
  let last: string | undefined = '';
  for (let looked = countMax; last !== undefined; looked += countMax) {
    signal.throwIfAborted();
    const page = { after: last, countMax };
    const fenced = fencedProgress(claim, change.restored + Math.min(looked, left), total);
    last = await classChanges.undoSome(change, page, fenced, clock.now());
    // Statements resolve within this turn.
    await setImmediate();
  }
  const { restored, changed, gone } = await knownChange(store, projectId, changeId);
  return { changeId, restored, changed, gone };
};

async function knownChange(
  { classChanges }: Store,
  projectId: string,
  changeId: string,
): Promise<KnownClassChange> {
  const change = await classChanges.find(projectId, changeId);
  if (change !== undefined) return change;
  throw new FoveaError('conflict', 'The project is gone, or the change is too old.');
}
