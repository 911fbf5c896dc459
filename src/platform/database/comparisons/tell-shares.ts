// How far a comparison in a thread is: told some times a second, and heard by who waits for it.

import { limits } from '../../../limits.ts';
import type { OnShare } from '../../../work-watcher.ts';
import type { ShareDone } from '../long-reads/long-reads.ts';

/** The beginning of each is told, whatever was told just before. */
export function tellShares(send: OnShare): OnShare {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (share) => {
    const now = performance.now();
    if (share > 0 && now - toldAt < limits.comparisonToldMs) return;
    toldAt = now;
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
