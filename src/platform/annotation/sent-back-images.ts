// The images of a job that a reviewer sent back, with what they said, as agents are told.

import { limits } from '../../limits.ts';
import type { AnnotationJob } from '../store/annotation-jobs.ts';
import type { Store } from '../store/store.ts';

/** The first of them, whether the job is done or not. `wordsFor` gives credentials their names. */
export async function sentBackOf(
  { annotationJobs }: Pick<Store, 'annotationJobs'>,
  { id, states }: AnnotationJob,
  wordsFor: (credential: string) => string,
) {
  if (states.rejected === 0) return [];
  const page = { state: 'rejected', limit: limits.reviewCommentsToldMax, offset: 0 } as const;
  const sentBack = await annotationJobs.images(id, page);
  return sentBack.map(({ imageId, name, comment, decidedBy, labelsChanged }) => ({
    image: imageId,
    name,
    ...(comment !== undefined && { comment }),
    ...(decidedBy !== undefined && { by: wordsFor(decidedBy) }),
    ...(labelsChanged && { labels_changed: true }),
  }));
}
