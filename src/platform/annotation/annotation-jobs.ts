// Handlers of annotation jobs: images for a person to label, and the review of their labels.

import type { annotation, annotationExtensions } from '../../contract/annotation.ts';
import { FoveaError, invalidArgument, invalidInput, notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { quotedName } from '../../quoted-name.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import { credentialWords } from '../access-control/credential-names.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import type { AnnotationJob, NotFree } from '../store/annotation-jobs.ts';
import type { Batch } from '../store/images.ts';
import type { Project } from '../store/projects.ts';
import { agreementsOf } from './agreement.ts';
import { checkPeople, refuseOwnWork } from './known-person.ts';
import { sentBackOf } from './sent-back-images.ts';

type Named = Readonly<Record<'name' | 'labelerEmail' | 'reviewerEmail', string>>;

type Operations = Pick<
  typeof annotation,
  'annotation_jobs_list' | 'annotation_jobs_create' | 'annotation_jobs_get'
> &
  Pick<typeof annotationExtensions, 'annotation_jobs_create_for_images' | 'annotation_jobs_review'>;

export function annotationJobHandlers(
  dependencies: PlatformDependencies,
): Handlers<Operations, Principal> {
  const { store, clock, people } = dependencies;
  const checkAsked = ({ labelerEmail, reviewerEmail }: Named, principal: Principal) =>
    checkPeople(people, principal, { labelerEmail, reviewerEmail });
  const newJob = (input: Named, project: Project, principal: Principal) => ({
    id: newId(),
    projectId: project.id,
    name: input.name,
    labeler: input.labelerEmail,
    reviewer: input.reviewerEmail,
    createdBy: principal.name,
    created: clock.now(),
  });
  return {
    annotation_jobs_list: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const jobs = await store.annotationJobs.list(project.id);
      return { jobs: jobs.map((job) => describeJob(job, project, principal)) };
    },
    annotation_jobs_create: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      await checkAsked(input, principal);
      const batch = await findBatch(dependencies, project, input.batch, 'batch');
      const wanted = input.num_images;
      const { job, free } = await store.annotationJobs.add(
        { ...newJob(input, project, principal), batchId: batch.id },
        wanted,
      );
      if (job === undefined) throw tooManyImages(free);
      return describeJob(job, project, principal);
    },
    annotation_jobs_create_for_images: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      await checkAsked(input, principal);
      const imageIds = [...new Set(input.images)];
      const job = newJob(input, project, principal);
      const isIndependent = input.independent === true;
      const jobs = isIndependent ? store.independentLabels.add : store.annotationJobs.addChosen;
      const added = await jobs({ ...job, isOrdered: input.ordered === true }, imageIds);
      if ('kind' in added) throw notFree(added, imageIds.length);
      return describeJob(added, project, principal);
    },
    annotation_jobs_get: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const job = await findJob(dependencies, project, input.jobId);
      return describeInFull(dependencies, principal, project, job);
    },
    annotation_jobs_review: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { approve = [], reject = [] } = input;
      refuseBoth(approve, reject);
      const review = { approve, reject, by: principal.name };
      const { id } = project;
      const known = await findJob(dependencies, project, input.jobId);
      refuseIndependent(known);
      if (approve.length > 0) await refuseOwnWork(people, principal, known);
      const job = await store.annotationJobs.review(id, input.jobId, review, clock.now());
      if (job === undefined) throw noJob(input.jobId);
      return describeJob(job, project, principal);
    },
  };
}

/** With what reviewers said, and how far it agrees with others. */
async function describeInFull(
  { store, people }: PlatformDependencies,
  principal: Principal,
  project: Project,
  job: AnnotationJob,
) {
  const agreement = await agreementsOf(store, project.type, job, limits.disagreementsToldMax);
  const differing = agreement.flatMap(({ disagreements }) => disagreements.map(({ id }) => id));
  const openJob = await store.annotationJobs.openJobOf(differing);
  const wordsFor = await credentialWords(store, people, principal);
  const sentBack = job.isIndependent ? [] : await sentBackOf(store, job, wordsFor);
  return {
    ...describeJob(job, project, principal),
    ...(sentBack.length > 0 && { sentBack }),
    ...(agreement.length > 0 && { agreement }),
    ...(openJob !== undefined && { openJob }),
  };
}

/** Throws `not_found` for a job that is not of this project. */
export async function findJob(
  { store }: Pick<PlatformDependencies, 'store'>,
  project: Project,
  jobId: string,
): Promise<AnnotationJob> {
  const job = await store.annotationJobs.find(project.id, jobId);
  if (job === undefined) throw noJob(jobId);
  return job;
}

/** Throws `conflict` for a job whose labels are compared, not approved. */
export function refuseIndependent({ isIndependent, name }: AnnotationJob): void {
  if (!isIndependent) return;
  const message = `Labels of the independent job ${quotedName(name)} are compared, not approved.`;
  throw new FoveaError('conflict', message, {
    hint: 'annotation_jobs_get tells the agreement; annotation_review takes ids of its disagreements.',
  });
}

/** The batch of an id or a name in the body. Throws `invalid_input`, naming the nearest. */
export async function findBatch(
  { store }: Pick<PlatformDependencies, 'store'>,
  project: Project,
  idOrName: string,
  argument: string,
): Promise<Batch> {
  const batches = await store.images.batches(project.id);
  const batch =
    batches.find(({ id }) => id === idOrName) ?? batches.find(({ name }) => name === idOrName);
  if (batch !== undefined) return batch;
  const names = batches.map(({ name }) => name);
  const near = suggestSpelling(idOrName, names);
  const right = near === undefined ? 'batches_list names the batches' : `did you mean "${near}"?`;
  throw invalidArgument(argument, `is no batch of this project: ${right}`);
}

/** A job as the API shows it. Its times are those of the hosted platform. */
export function describeJob(job: AnnotationJob, project: Project, { workspace }: Principal) {
  const { id, name, createdBy, batchId, labeler, reviewer, status, created, states } = job;
  return {
    id,
    name,
    project: project.slug,
    owner: workspace.slug,
    createdBy,
    status,
    ...(batchId !== undefined && { sourceBatch: batchId }),
    ...(labeler !== undefined && { labeler }),
    ...(reviewer !== undefined && { reviewer }),
    numImages: job.images,
    ...states,
    ...(job.isIndependent && { independent: true }),
    instructionsText: job.instructions ?? null,
    created: {
      _seconds: Math.floor(created / 1000),
      _nanoseconds: (created % 1000) * 1_000_000,
    },
  };
}

function refuseBoth(approve: readonly string[], reject: readonly string[]): void {
  const known = new Set(approve);
  const both = reject.filter((id) => known.has(id));
  if (both.length === 0) return;
  const message = `also rejects what it approves: ${both.slice(0, 3).join(', ')}`;
  throw invalidInput([{ path: 'reject', message }]);
}

/** Why no job was made of so many images. */
export function notFree(taken: NotFree, all: number): FoveaError {
  const { kind, imageIds } = taken;
  const which = `${imageIds.length} of ${all}`;
  const some = imageIds.slice(0, 3).join(', ');
  if (kind === 'unknown') {
    return invalidArgument('images', `${which} are not in this project (${some})`);
  }
  return new FoveaError(
    'conflict',
    `${which} images are in an open job, such as image ${imageIds[0]}, in job ${taken.jobId}.`,
    {
      hint: `No job was made. annotation_review with job "${taken.jobId}" goes on with that one, for another person too (assignedTo); it ends once all of its images are decided. The search term -job:${taken.jobId} leaves out its images.`,
    },
  );
}

function tooManyImages(free: number) {
  const are = free === 1 ? '1 image is' : `${free} images are`;
  return invalidArgument(
    'num_images',
    `only ${are} free in this batch: without annotation, and in no open job`,
  );
}

function noJob(jobId: string) {
  return notFound('annotation job', jobId, 'annotation_jobs_list names the jobs.');
}
