// Handler of reviews: a person is asked to look at images, which become an annotation job.

import type { reviews } from '../../contract/annotation.ts';
import type { Input } from '../../contract/operation.ts';
import { jobPage } from '../../contract/page-addresses.ts';
import { FoveaError } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import type { AnnotationJob, AskedReview } from '../store/annotation-jobs.ts';
import type { Project } from '../store/projects.ts';
import { findJob, notFree, refuseIndependent } from './annotation-jobs.ts';
import { checkPeople } from './known-person.ts';

type ReviewInput = Input<typeof reviews.annotation_review>;

export function reviewHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof reviews, Principal> {
  return {
    annotation_review: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      await checkPeople(dependencies.people, principal, { assignedTo: input.assignedTo });
      const { job, replaced } =
        input.job === undefined
          ? { job: await begin(dependencies, principal, project, input), replaced: undefined }
          : await goOn(dependencies, project, input.job, input);
      const { unannotated, annotated } = job.states;
      const assignedTo = input.assignedTo ?? job.reviewer;
      return {
        taskId: job.id,
        jobId: job.id,
        images: job.images,
        undecided: unannotated + annotated,
        ...(assignedTo !== undefined && { assignedTo }),
        ...(replaced && { replaced }),
        page: jobPage(project.slug, job.id),
      };
    },
  };
}

async function begin(
  { store, clock }: PlatformDependencies,
  principal: Principal,
  project: Project,
  { images = [], ordered, instructions, assignedTo }: ReviewInput,
): Promise<AnnotationJob> {
  const imageIds = [...new Set(images)];
  const job = {
    id: newId(),
    projectId: project.id,
    name: nameOf(instructions, imageIds.length),
    labeler: undefined,
    reviewer: undefined,
    createdBy: principal.name,
    created: clock.now(),
    isOrdered: ordered === true,
  };
  const asked = { instructions, reviewer: assignedTo };
  const added = await store.annotationJobs.addReview(job, imageIds, asked);
  if ('kind' in added) throw notFree(added, imageIds.length);
  return added;
}

/** Under which it stands among the jobs of its project. */
function nameOf(instructions: string | undefined, images: number): string {
  const name = instructions ?? `Review of ${images === 1 ? '1 image' : `${images} images`}`;
  return name.slice(0, nameCharactersMax).toWellFormed();
}

/** That of the contract. */
const nameCharactersMax = 200;

async function goOn(
  dependencies: PlatformDependencies,
  project: Project,
  jobId: string,
  { instructions, assignedTo }: ReviewInput,
) {
  const job = await findJob(dependencies, project, jobId);
  refuseIndependent(job);
  if (job.status === 'completed') {
    throw new FoveaError('conflict', 'Every image of this job is decided already.', {
      hint: 'To have them looked at again, give their ids as images, or the query job:ID.',
    });
  }
  const asked = { instructions, reviewer: assignedTo };
  await dependencies.store.annotationJobs.askReview(job.id, asked);
  return { job, replaced: replacedIn(job, asked) };
}

/** What the job said and no longer says, so that it can be given back; undefined: nothing. */
function replacedIn(job: AnnotationJob, asked: AskedReview) {
  const isOther = (before: string | undefined, now: string | undefined) =>
    before !== undefined && now !== undefined && before !== now;
  const reviewer = isOther(job.reviewer, asked.reviewer);
  const instructions = isOther(job.instructions, asked.instructions);
  if (!reviewer && !instructions) return undefined;
  return {
    ...(reviewer && { assignedTo: job.reviewer }),
    ...(instructions && { instructions: job.instructions }),
  };
}
