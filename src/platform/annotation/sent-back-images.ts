// The images of a job that a reviewer sent back, with what they said, as agents are told.

import { limits } from '../../limits.ts';
import type { Principal } from '../access-control/authorization.ts';
import { credentialWords, type People } from '../access-control/credential-names.ts';
import type { AnnotationJob } from '../store/annotation-jobs.ts';
import type { Store } from '../store/store.ts';

interface Dependencies {
  readonly store: Store;
  readonly people: People | undefined;
}

/** The first of them, whether the job is done or not. */
export async function sentBackOf(
  { store, people }: Dependencies,
  principal: Principal,
  { id, images, states }: AnnotationJob,
) {
  if (states.rejected === 0) return [];
  const decided = await store.annotationJobs.images(id, { limit: images, offset: 0 });
  const wordsFor = await credentialWords(store, people, principal);
  return decided
    .filter(({ state }) => state === 'rejected')
    .slice(0, limits.reviewCommentsToldMax)
    .map(({ imageId, name, comment, decidedBy }) => ({
      image: imageId,
      name,
      ...(comment !== undefined && { comment }),
      ...(decidedBy !== undefined && { by: wordsFor(decidedBy) }),
    }));
}
