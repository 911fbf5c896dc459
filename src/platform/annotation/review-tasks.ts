// An annotation job as a task, which is completed once every image is approved or sent back.

import { limits } from '../../limits.ts';
import { accessibleProjects, isAccessible } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import { credentialWords, type People } from '../access-control/credential-names.ts';
import type { AnnotationJob } from '../store/annotation-jobs.ts';
import type { Store } from '../store/store.ts';
import { reviewChanges } from './review-changes.ts';
import { sentBackOf } from './sent-back-images.ts';

interface Dependencies {
  readonly store: Store;
  readonly people: People | undefined;
}

/** An annotation job as a task; undefined: there is none of this id that the caller may see. */
export async function describeReviewTask(
  { store, people }: Dependencies,
  principal: Principal,
  taskId: string,
) {
  const job = await store.annotationJobs.findAnywhere(principal.workspace.id, taskId);
  if (job === undefined) return undefined;
  const accessible = await accessibleProjects(store, principal);
  if (!isAccessible(accessible, job.projectId)) return undefined;
  const project = await store.projects.get(job.projectId);
  const { approved, rejected, annotated } = job.states;
  const isDone = job.status === 'completed';
  const current = job.isIndependent ? annotated : approved + rejected;
  const person = job.isIndependent ? job.labeler : (job.reviewer ?? job.labeler);
  return {
    taskId,
    status: isDone ? 'completed' : current > 0 ? 'running' : 'created',
    progress: job.images === 0 ? null : { current, total: job.images },
    ...(isDone && { result: await outcomeOf({ store, people }, principal, job) }),
    ...(!isDone &&
      project && {
        review: {
          jobId: job.id,
          project: project.slug,
          undecided: job.images - current,
          ...(!job.isIndependent && { approved, sentBack: rejected }),
          ...(person !== undefined && { assignedTo: person }),
        },
      }),
  };
}

/** What was decided, and what became of the labels between the request and the decisions. */
async function outcomeOf(
  { store, people }: Dependencies,
  principal: Principal,
  job: AnnotationJob,
) {
  const { id, states, images, goneUndecided } = job;
  const gone = goneUndecided > 0 && { goneUndecided };
  if (job.isIndependent) return { jobId: id, labelled: images, ...gone };
  const wordsFor = await credentialWords(store, people, principal);
  return {
    jobId: id,
    ...gone,
    approved: states.approved,
    sentBack: states.rejected,
    ...(await decidersOf(store, job, wordsFor)),
    sentBackImages: await sentBackOf(store, job, wordsFor),
    ...(await reviewChanges(store, job, wordsFor)),
  };
}

/** Who decided, also about images that nobody changed; those beyond are counted by their images. */
async function decidersOf(
  { annotationJobs }: Store,
  { id, states }: AnnotationJob,
  wordsFor: (credential: string) => string,
) {
  const known = await annotationJobs.deciders(id, limits.reviewGroupsToldMax);
  const deciders = known.map(({ by, approved, rejected }) => ({
    ...(by !== undefined && { by: wordsFor(by) }),
    approved,
    sentBack: rejected,
  }));
  const told = known.reduce((sum, { approved, rejected }) => sum + approved + rejected, 0);
  const others = states.approved + states.rejected - told;
  return { deciders, ...(others > 0 && { decidedByOthers: others }) };
}
