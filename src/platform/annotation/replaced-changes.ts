// What is said to who replaces labels that somebody else changed during a review, before anybody
// has decided about the image.

import { limits } from '../../limits.ts';
import type { Principal } from '../access-control/authorization.ts';
import { credentialWords } from '../access-control/credential-names.ts';
import type { PlatformDependencies } from '../dependencies.ts';

/** To be read before the labels are written. Nothing where no other one changed them. */
export async function replacedChangeWarnings(
  { store, people }: PlatformDependencies,
  principal: Principal,
  imageId: string,
): Promise<readonly { readonly message: string }[]> {
  const countMax = limits.reviewChangersToldMax;
  const changers = await store.annotationJobs.openChangers(imageId, principal.name, countMax);
  if (changers.length === 0) return [];
  const wordsFor = await credentialWords(store, people, principal);
  return changers.map(({ jobId, who }) => ({
    message:
      `${JSON.stringify(wordsFor(who))} had changed the labels of this image in the annotation ` +
      `job "${jobId}", where nobody has decided about it yet: their labels are replaced.`,
  }));
}
