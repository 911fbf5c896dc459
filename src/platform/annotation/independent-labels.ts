// Handlers of independent jobs: what one person says of an image is kept apart from its labels, so
// that people can be compared.

import { revisionOf } from '../../annotations/annotation-revision.ts';
import { labelsOf } from '../../annotations/serialized-annotation.ts';
import type { annotationExtensions } from '../../contract/annotation.ts';
import { FoveaError, notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { describeFindings, readSentAnnotation } from '../images/upload-image.ts';
import type { AnnotationJob } from '../store/annotation-jobs.ts';
import type { IndependentLabels } from '../store/independent-labels.ts';
import type { Store } from '../store/store.ts';
import { agreementsOf } from './agreement.ts';
import { describeJob, findJob } from './annotation-jobs.ts';

type Operations = Pick<
  typeof annotationExtensions,
  'annotation_jobs_label' | 'annotation_jobs_agreement'
>;

export function independentLabelHandlers(
  dependencies: PlatformDependencies,
): Handlers<Operations, Principal> {
  const { store, clock } = dependencies;
  return {
    annotation_jobs_label: async (input, { principal, signal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const job = await findJob(dependencies, project, input.jobId);
      const image = await store.images.find(project.id, input.imageId);
      if (image === undefined) throw notInJob(input.imageId);
      if (!job.isIndependent) throw notIndependent();
      const given = { project, image, input };
      const read = await readSentAnnotation(dependencies, given, { principal, signal });
      const place = { jobId: job.id, imageId: image.id };
      const seen = { revision: input.revision, by: principal.name };
      const { annotation } = read;
      const outcome = await store.independentLabels.label(place, annotation, seen, clock.now());
      if (outcome === 'missing') throw notInJob(image.id);
      if (outcome === 'was_changed') throw wasChanged();
      const revision = revisionOf(annotation.json);
      return { success: true, annotation_revision: revision, ...describeFindings(read) };
    },
    annotation_jobs_agreement: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const job = await findJob(dependencies, project, input.jobId);
      const agreement = await agreementsOf(store, project.type, job, limits.annotationJobImagesMax);
      return { job: describeJob(job, project, principal), agreement };
    },
  };
}

/**
 * The labels of an image in an independent job, or those of all that began before another job; who
 * labels sees those of nobody else.
 */
export async function labelsApart(store: Store, job: AnnotationJob, imageId: string) {
  if (!job.isIndependent) {
    const found = await store.independentLabels.ofImage(imageId, job.created);
    return found.length === 0 ? {} : { independent: found.map(describeLabels) };
  }
  const own = await store.independentLabels.find(job.id, imageId);
  if (own === undefined) return {};
  const revision = revisionOf(own.annotation && JSON.stringify(own.annotation));
  return { annotation_revision: revision, independent: [describeLabels(own)] };
}

function describeLabels({ jobId, labeler, annotation }: IndependentLabels) {
  return {
    job: jobId,
    ...(labeler !== undefined && { labeler }),
    annotated: annotation !== undefined,
    ...(annotation?.kind === 'detection' && { boxes: annotation.boxes.map((box) => ({ ...box })) }),
    labels: annotation ? [...new Set(labelsOf(annotation))] : [],
  };
}

function notIndependent(): FoveaError {
  return new FoveaError('conflict', 'The labels of this job are those of its images.', {
    hint: 'images_annotate sets them; a job that is made with independent: true keeps its own.',
  });
}

function wasChanged(): FoveaError {
  return new FoveaError(
    'conflict',
    'The labels of this image in this job have changed meanwhile.',
    {
      hint: 'annotation_jobs_images tells those that it has now, and their annotation_revision.',
    },
  );
}

function notInJob(imageId: string): FoveaError {
  return notFound('image', imageId, 'It is not in this job.');
}
