// Takes in the images and annotations of a zip file.

import { mkdir } from 'node:fs/promises';
import { type SplitName, splitName } from '../../contract/fields.ts';
import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Claim, LeaseLost } from '../../storage/task-queue.ts';
import { openAnnotationReader } from '../annotation-threads/zip-annotation-reader.ts';
import type { Project } from '../store/projects.ts';
import { layOut } from '../zip-import/classify-files.ts';
import {
  type TakenImage,
  type TakeParts,
  type Turn,
  takeImage,
  type ZipSettings,
} from '../zip-import/import-image.ts';
import { type ZipOutcome, zipReport, zipResult } from '../zip-import/import-report.ts';
import { openZip, type Zip } from '../zip-import/open-zip.ts';
import { type PlannedImage, planZip } from '../zip-import/plan-import.ts';
import { type Job, type JobParts, payloadText } from './background-task.ts';
import { inParallel } from './process-items.ts';
import { inSteps } from './steps.ts';

/** What a zip upload was started with: all of it text, as the payload of work. */
export interface ZipPayload extends Readonly<Record<string, string>> {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly uploadId: string;
  readonly split: SplitName;
  readonly batchName: string;
  /** Separated by commas, which no tag has. */
  readonly tags: string;
  /** When the task was made, in milliseconds since 1970. */
  readonly since: string;
}

/**
 * Takes all images that can be taken; what is wrong with a file is in the report, and ends nothing.
 * An attempt that starts over takes each image again, finds it there by its bytes, and comes to the
 * same figures. The file is removed when the work ends, well or not.
 */
export const runZip: Job = async (parts, claim, signal) => {
  const settings = readSettings(claim);
  const upload = await parts.store.uploads.find(payloadText(claim, 'uploadId'));
  if (upload?.file === undefined) throw new FoveaError('internal', 'The zip file is lost.');
  try {
    const project = await liveProject(parts, payloadText(claim, 'projectId'));
    const zip = await openZip(parts.uploads.files, upload.file, signal);
    const outcome = await parts.scratch.withFile(async (folder) => {
      await mkdir(folder, { mode: 0o700 });
      return takeAll(parts, claim, { zip, project, settings, folder }, signal);
    });
    const result = await finish(parts, claim, settings.batchName, outcome);
    await parts.uploads.files.remove([upload.file]);
    return result;
  } catch (thrown) {
    const goesOn = signal.aborted || thrown instanceof LeaseLost;
    if (!goesOn) await parts.uploads.files.remove([upload.file]);
    throw thrown;
  }
};

function readSettings(claim: Claim): ZipSettings {
  const tags = payloadText(claim, 'tags');
  return {
    split: splitName.parse(payloadText(claim, 'split')),
    batchName: payloadText(claim, 'batchName'),
    tags: tags === '' ? [] : tags.split(','),
    since: Number(payloadText(claim, 'since')),
  };
}

async function liveProject({ store }: JobParts, projectId: string): Promise<Project> {
  const project = await store.projects.get(projectId);
  const live = project && (await store.projects.find(project.workspaceId, project.slug));
  if (live) return live;
  if (project === undefined) throw notFound('project', projectId);
  throw new FoveaError('conflict', 'The project is in the trash: nothing was taken.');
}

/** It may go there at any moment: what was taken before comes back with it. */
async function refuseInTrash({ store, project }: TakeParts): Promise<void> {
  if (await store.projects.isLive(project.id)) return;
  throw new FoveaError('conflict', 'The project went to the trash while its images were taken.');
}

interface ToTake {
  readonly zip: Zip;
  readonly project: Project;
  readonly settings: ZipSettings;
  /** For files that are there only meanwhile. */
  readonly folder: string;
}

async function takeAll(
  { store, blobs, clock, uploads: { room } }: JobParts,
  claim: Claim,
  { zip, project, settings, folder }: ToTake,
  signal: AbortSignal,
): Promise<ZipOutcome> {
  const layout = layOut(zip.entries);
  const imagePaths = layout.images.map(({ path }) => path);
  const reader = openAnnotationReader({ zip, folder, room, imagePaths, clock, signal });
  try {
    const plan = await planZip({ layout, projectType: project.type, reader });
    const { findLabelmap, passedOver } = plan;
    const parts: TakeParts = {
      store,
      blobs,
      clock,
      zip,
      reader,
      project,
      settings,
      findLabelmap,
      first: new Map(),
      annotated: new Set(),
    };
    const images = await takeImages(parts, claim, plan.images, signal);
    return { images, refused: zip.refused, passedOver };
  } finally {
    reader.close();
  }
}

async function takeImages(
  parts: TakeParts,
  claim: Claim,
  images: readonly PlannedImage[],
  signal: AbortSignal,
): Promise<readonly TakenImage[]> {
  const report = inSteps((done, total) => claim.progress(done, total));
  const taken = new Map<PlannedImage, TakenImage>();
  claim.progress(0, images.length);
  const nextTurn = createTurns();
  const take = async (image: PlannedImage) => {
    taken.set(image, await takeImage(parts, image, nextTurn()));
    await refuseInTrash(parts);
    report({ done: taken.size, total: images.length });
  };
  await inParallel(images, limits.zipReadersMax, take, signal);
  return images.flatMap((image) => taken.get(image) ?? []);
}

function createTurns(): () => Turn {
  let before = Promise.resolve();
  return () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn = { before, end: resolve };
    before = promise;
    return turn;
  };
}

/** The report and the end of the work are one transaction. */
async function finish(
  { store, blobs, clock }: JobParts,
  claim: Claim,
  batchName: string,
  outcome: ZipOutcome,
) {
  const { hash } = await blobs.put(Buffer.from(zipReport(outcome)));
  const result = { ...zipResult(outcome, batchName), _report: hash };
  const workspaceId = payloadText(claim, 'workspaceId');
  await store.uploads.addReport(claim.id, workspaceId, hash, clock.now(), (writes) =>
    claim.fenced(() => {
      const written = writes();
      claim.complete(result);
      return written;
    }),
  );
  return result;
}
