// How far a comparison in a thread is: told in steps, and heard by who waits for it.

import { limits } from '../../../limits.ts';
import type { OnShare } from '../../../work-watcher.ts';
import type { ShareDone } from '../long-reads/long-reads.ts';

/** The beginning of each is told, then each step. */
export function tellShares(send: OnShare): OnShare {
  let told = 0;
  return (share) => {
    if (share > 0 && share < told + limits.comparisonShareStep) return;
    told = share;
    send(share);
  };
}

/** Takes what is told before the answer. */
export function toWatcher(onShare: OnShare | undefined) {
  return (message: { readonly kind: string } | ShareDone): boolean => {
    if (!('share' in message)) return false;
    onShare?.(message.share);
    return true;
  };
}
