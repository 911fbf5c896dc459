// When work behind uploads begins: once no more images are coming, or after they came for a while.

import type { Clock } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { SearchStore } from '../store/search.ts';

export interface NewImages {
  /** The number of the newest image; 0 without one. */
  readonly newest: number;
  /** While images come, their uploads have the processor: for a while. */
  readonly isTime: boolean;
}

/** To be asked once a second; also sees images that other processes took. */
export function watchNewImages(
  search: Pick<SearchStore, 'newest'>,
  clock: Clock,
): () => Promise<NewImages> {
  let newest = 0;
  let comingSinceMs: number | undefined;
  return async () => {
    const before = newest;
    newest = await search.newest();
    comingSinceMs = newest === before ? undefined : (comingSinceMs ?? clock.monotonic());
    const heldBackMs = comingSinceMs === undefined ? Infinity : clock.monotonic() - comingSinceMs;
    return { newest, isTime: heldBackMs >= limits.describeHeldBackMsMax };
  };
}
