// Imports all images of a source with their annotations, as a background task.

import { mkdir } from 'node:fs/promises';
import { type SplitName, splitName } from '../../contract/fields.ts';
import { FoveaError, notFound } from '../../errors.ts';
import type { Claim } from '../../storage/task-queue.ts';
import { openZipAnnotationReader } from '../annotation-threads/zip-annotation-reader.ts';
import type { Project } from '../store/projects.ts';
import { classifyFiles } from '../zip-import/classify-files.ts';
import {
  type ImportDependencies,
  type ImportedImage,
  importImage,
  type Turn,
  type ZipSettings,
} from '../zip-import/import-image.ts';
import {
  refusedFiles,
  type ZipOutcome,
  zipReport,
  zipResult,
} from '../zip-import/import-report.ts';
import type { ImportSource } from '../zip-import/import-source.ts';
import { type PlannedImage, planImport } from '../zip-import/plan-import.ts';
import { optionalPayloadText, payloadText, type TaskDependencies } from './background-task.ts';
import { inParallel, throttleProgress } from './process-items.ts';

/** What an import was started with: all of it text, as the payload of work. */
export interface ImportPayload extends Readonly<Record<string, string>> {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly split: SplitName;
  readonly batchName: string;
  /** Separated by commas, which no tag has. */
  readonly tags: string;
  /** When the task was made, in milliseconds since 1970. */
  readonly since: string;
  /** The credential of the upload. */
  readonly startedBy: string;
}

async function liveProject({ store }: TaskDependencies, projectId: string): Promise<Project> {
  const project = await store.projects.get(projectId);
  const live = project && (await store.projects.find(project.workspaceId, project.slug));
  if (live) return live;
  if (project === undefined) throw notFound('project', projectId);
  throw new FoveaError('conflict', 'The project is in the trash: nothing was taken.');
}

/** What is imported, and how. */
export interface OpenedSource {
  readonly source: ImportSource;
  /** Images that are read at the same time: each may take the memory of the largest image. */
  readonly readersMax: number;
  /** Milliseconds for all annotation files. */
  readonly textMsMax: number;
}

/**
 * Takes all images that can be taken; what is wrong with a file is in the report, and ends nothing.
 * `open` gets a folder for files that are there only meanwhile. The report and the end of the work
 * are one transaction.
 */
export async function importDataset(
  dependencies: TaskDependencies,
  claim: Claim,
  open: (folder: string) => Promise<OpenedSource>,
  signal: AbortSignal,
) {
  const settings = readSettings(claim);
  const project = await liveProject(dependencies, payloadText(claim, 'projectId'));
  const outcome = await dependencies.temporaryFiles.withFile(async (folder) => {
    await mkdir(folder, { mode: 0o700 });
    const toTake = { ...(await open(folder)), project, folder };
    return takeAll(dependencies, claim, toTake, settings, signal);
  });
  return finish(dependencies, claim, settings.batchName, outcome);
}

interface ToTake extends OpenedSource {
  readonly project: Project;
  readonly folder: string;
}

function readSettings(claim: Claim): ZipSettings {
  const tags = payloadText(claim, 'tags');
  return {
    split: splitName.parse(payloadText(claim, 'split')),
    batchName: payloadText(claim, 'batchName'),
    tags: tags === '' ? [] : tags.split(','),
    since: Number(payloadText(claim, 'since')),
  };
}

/** It may go there at any moment: what was taken before comes back with it. */
async function refuseInTrash({ store, project }: ImportDependencies): Promise<void> {
  if (await store.projects.isLive(project.id)) return;
  throw new FoveaError('conflict', 'The project went to the trash while its images were taken.');
}

async function takeAll(
  { store, blobs, clock, uploads: { diskReservations } }: TaskDependencies,
  claim: Claim,
  { source, project, folder, readersMax, textMsMax }: ToTake,
  settings: ZipSettings,
  signal: AbortSignal,
): Promise<ZipOutcome> {
  const layout = classifyFiles(source.entries);
  const imagePaths = layout.images.map(({ path }) => path);
  const reader = openZipAnnotationReader({
    zip: source,
    folder,
    diskReservations,
    allMsMax: textMsMax,
    imagePaths,
    clock,
    signal,
  });
  try {
    const plan = await planImport({ layout, projectType: project.type, reader });
    const { findClassList, whyNoNames, classLists, passedOver, unlisted } = plan;
    const dependencies: ImportDependencies = {
      store,
      blobs,
      clock,
      zip: source,
      reader,
      project,
      settings,
      findClassList,
      whyNoNames,
      first: new Map(),
      hasBegun: claim.hasBegun,
      annotated: new Set(),
    };
    const images = await importImages(dependencies, claim, plan.images, readersMax, signal);
    return { images, refused: source.refused, passedOver, classLists, unlisted };
  } finally {
    reader.close();
  }
}

async function importImages(
  dependencies: ImportDependencies,
  claim: Claim,
  images: readonly PlannedImage[],
  readersMax: number,
  signal: AbortSignal,
): Promise<readonly ImportedImage[]> {
  const report = throttleProgress((done, total) => claim.progress(done, total));
  const taken = new Map<PlannedImage, ImportedImage>();
  await claim.progress(0, images.length);
  const nextTurn = createTurns();
  const take = async (image: PlannedImage) => {
    taken.set(image, await importImage(dependencies, image, nextTurn()));
    await refuseInTrash(dependencies);
    await report({ done: taken.size, total: images.length });
  };
  await inParallel(images, readersMax, take, signal);
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

async function finish(
  { store, blobs, clock }: TaskDependencies,
  claim: Claim,
  batchName: string,
  outcome: ZipOutcome,
) {
  const { hash } = await blobs.put(Buffer.from(zipReport(outcome)));
  const result = { ...zipResult(outcome, batchName), _report: hash };
  const now = clock.now();
  const report = {
    taskId: claim.id,
    workspaceId: payloadText(claim, 'workspaceId'),
    projectId: payloadText(claim, 'projectId'),
    hash,
    refused: refusedFiles(outcome, now, optionalPayloadText(claim, 'startedBy')),
    now,
  };
  await store.uploads.addReport(report, (writes) =>
    claim.fenced(async () => {
      const written = await writes();
      await claim.complete(result);
      return written;
    }),
  );
  return result;
}
