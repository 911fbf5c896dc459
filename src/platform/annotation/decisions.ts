// Handlers of decisions: an image of an annotation job is approved, or sent back with a comment.

import type { annotationExtensions } from '../../contract/annotation.ts';
import { notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { AnnotationJob, JobImage, JobImagesPage } from '../store/annotation-jobs.ts';
import type { Store } from '../store/store.ts';
import { describeJob, findJob, refuseIndependent } from './annotation-jobs.ts';
import { labelsApart } from './independent-labels.ts';
import { refuseOwnWork } from './known-person.ts';

type Operations = Pick<
  typeof annotationExtensions,
  'annotation_jobs_images' | 'annotation_jobs_decide'
>;

export function decisionHandlers(
  dependencies: PlatformDependencies,
): Handlers<Operations, Principal> {
  const { store, clock } = dependencies;
  return {
    annotation_jobs_images: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const job = await findJob(dependencies, project, input.jobId);
      const { image: imageId, limit = limits.annotationJobImagesMax, offset = 0 } = input;
      const found = await imagesOf(store, job, { imageId, limit, offset });
      const apart = imageId === undefined ? {} : await labelsApart(store, job, imageId);
      const described = found.map((image) => ({ ...describeImage(image), ...apart }));
      return { job: describeJob(job, project, principal), images: described };
    },
    annotation_jobs_decide: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const known = await findJob(dependencies, project, input.jobId);
      refuseIndependent(known);
      const isApproval = input.decision === 'approve';
      if (isApproval) await refuseOwnWork(dependencies.people, principal, known);
      const { id } = known;
      const decision = {
        state: stateAfter(input.decision),
        comment: input.comment,
        by: principal.name,
        seenDecisions: input.decisions,
        seenRevision: input.annotation_revision,
      };
      const image = await store.annotationJobs.decide(id, input.imageId, decision, clock.now());
      if (image === undefined) throw notFound('image', input.imageId, 'It is not in this job.');
      const job = await findJob(dependencies, project, id);
      return { job: describeJob(job, project, principal), image: describeImage(image) };
    },
  };
}

function imagesOf(store: Store, job: AnnotationJob, page: JobImagesPage) {
  const jobs = job.isIndependent ? store.independentLabels : store.annotationJobs;
  return jobs.images(job.id, page);
}

function stateAfter(decision: 'approve' | 'send_back'): 'approved' | 'rejected' {
  return decision === 'approve' ? 'approved' : 'rejected';
}

function describeImage(image: JobImage) {
  const { imageId, name, decisions } = image;
  return { id: imageId, name, ...describeDecision(image), decisions };
}

/** What was decided about an image last, by whom and when. */
export function describeDecision(image: JobImage) {
  const { state, comment, decidedBy, decidedAt, labelsChanged } = image;
  return {
    state,
    ...(comment !== undefined && { comment }),
    ...(decidedBy !== undefined && { decided_by: decidedBy }),
    ...(decidedAt !== undefined && { decided_at: decidedAt / 1000 }),
    ...(labelsChanged && { labels_changed: true }),
  };
}
