// Moves images between the splits of a project.

import { setImmediate } from 'node:timers/promises';
import { splitName } from '../../contract/fields.ts';
import { projects } from '../../contract/projects.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { compareImages } from '../projects/compare-images.ts';
import { countSplits, planRebalance, planShuffle } from '../projects/plan-splits.ts';
import type { SplitGroup } from '../projects/split-groups.ts';
import type { NearDuplicates } from '../store/projects.ts';
import type { EligibleImage, SplitMove } from '../store/rebalance.ts';
import type { Store } from '../store/store.ts';
import { type BackgroundTask, payloadText } from './background-task.ts';
import { fencedProgress } from './fenced-progress.ts';
import { inChunks } from './process-items.ts';

const { body } = projects.projects_rebalance_splits;

/**
 * The plan is made anew at the start of each attempt, from the images as they are then: the id of
 * the task chooses which ones move, so what another attempt has moved stays moved. Near-duplicates,
 * as the health finds them, keep together.
 */
export const rebalanceSplits: BackgroundTask = async (dependencies, claim, signal) => {
  const { store, clock, descriptors } = dependencies;
  const projectId = payloadText(claim, 'projectId');
  const settings = body.parse(JSON.parse(payloadText(claim, 'settings')));
  const { classes } = settings;
  await refuseInTrash(store, projectId);
  const images = await readEligible(store, projectId, classes, signal);
  const workspaceId = payloadText(claim, 'workspaceId');
  await descriptors.areComplete({ workspaceId, projectIds: [projectId] }, signal);
  const found = await compareImages(store.projects, workspaceId, projectId, signal);
  const groups = groupsToMove(found, images);
  const begun = await store.splits.begin(claim.id, countSplits(images), claim.fenced);
  await setImmediate();
  const moves = await planMoves(store, projectId, { images, groups, settings }, claim.id);
  let { moved } = begun;
  let done = begun.moved;
  const total = done + moves.length;
  await claim.progress(done, total);
  await inChunks(moves, limits.rebalanceRowsAtOnceMax, signal, async (chunk) => {
    done += chunk.length;
    const fenced = fencedProgress(claim, done, total);
    moved += await store.splits.move(claim.id, projectId, chunk, fenced, clock.now());
  });
  return {
    moved,
    images: images.length,
    before: begun.before,
    splits: await store.splits.counts(projectId, classes),
    keptTogether: {
      groups: groups.length,
      images: groups.reduce((sum, group) => sum + group.images.length, 0),
      compared: found.compared,
      complete: found.isComplete,
    },
    ...(classes && { classes }),
  };
};

/** In slices too: all rows of a large project take seconds. */
async function readEligible(
  { splits }: Store,
  projectId: string,
  classes: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly EligibleImage[]> {
  const images: EligibleImage[] = [];
  const ordinals = await splits.ordinals(projectId);
  await inChunks(ordinals, limits.rebalanceRowsReadMax, signal, async (chunk) => {
    for (const image of await splits.eligible(projectId, chunk, classes)) images.push(image);
  });
  return images;
}

/** Moving looks again, in its transactions; here also where there is nothing to move. */
async function refuseInTrash(store: Store, projectId: string): Promise<void> {
  if (await store.projects.isLive(projectId)) return;
  throw new FoveaError('conflict', 'The project is in the trash.');
}

/**
 * Those with an image that may be moved, in stored order, so that each attempt has the same order.
 * A group with images that may not be moved goes where these are.
 */
function groupsToMove(
  { ordinals, splits, ends }: NearDuplicates,
  images: readonly EligibleImage[],
): readonly ImageGroup[] {
  const groupOf = new Map<number, number>();
  for (const [group, end] of ends.entries()) {
    for (const ordinal of ordinals.subarray(ends[group - 1] ?? 0, end)) groupOf.set(ordinal, group);
  }
  const movable = Map.groupBy(images, ({ ordinal }) => groupOf.get(ordinal));
  return [...movable].flatMap(([group, own]) => {
    if (group === undefined) return [];
    const ownOrdinals = new Set(own.map(({ ordinal }) => ordinal));
    const start = ends[group - 1] ?? 0;
    const other = ordinals.subarray(start, ends[group]).findIndex((at) => !ownOrdinals.has(at));
    const fixed = other < 0 ? undefined : splitName.options[splits[start + other] ?? 0];
    return [{ images: own, fixed }];
  });
}

type ImageGroup = SplitGroup<EligibleImage>;

interface ToPlan {
  readonly images: readonly EligibleImage[];
  readonly groups: readonly ImageGroup[];
  readonly settings: ReturnType<typeof body.parse>;
}

async function planMoves(
  store: Store,
  projectId: string,
  { images, groups, settings }: ToPlan,
  seed: string,
): Promise<readonly SplitMove[]> {
  const { mode, grouping, splits } = settings;
  if (mode !== 'shuffle') return planRebalance(images, splits, seed, groups);
  if (grouping !== 'batch') return planShuffle(images, splits, seed, groups);
  const jobs = await store.splits.completedJobs(projectId);
  const groupOf = new Map(
    groups.flatMap((group) => group.images.map(({ id }) => [id, group] as const)),
  );
  // Of a group in several batches, the first of its images decides.
  const byBatch = Map.groupBy(images, (image) => {
    const { id, batchId } = groupOf.get(image.id)?.images[0] ?? image;
    return jobs.get(id) ?? batchId;
  });
  const moves = [...byBatch.values()].flatMap((some) => {
    const own = new Set(some.flatMap(({ id }) => groupOf.get(id) ?? []));
    return planShuffle(some, splits, seed, [...own]);
  });
  return inOrder(moves, images);
}

function inOrder(
  moves: readonly SplitMove[],
  images: readonly EligibleImage[],
): readonly SplitMove[] {
  const byImage = new Map(moves.map((move) => [move.imageId, move]));
  return images.flatMap(({ id }) => byImage.get(id) ?? []);
}
