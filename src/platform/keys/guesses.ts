// How often an address may present credentials that nobody has.

import type { Clock } from '../../clock.ts';
import { createRateLimit } from '../../http-server/rate-limit.ts';
import { limits } from '../../limits.ts';
import type { Door } from '../principal.ts';

/**
 * A door that no more than `limits.refusedPerMinuteMax` unknown credentials of one address reach
 * in a minute: more of them are `rate_limited` before anything is looked up. Credentials that were
 * good here before still pass, since many callers share the address of a proxy.
 */
export function limitGuesses(door: Door, clock: Clock): Door {
  const refusals = createRateLimit(clock, {
    callsPerMinuteMax: limits.refusedPerMinuteMax,
    callsAtOnceMax: limits.refusedPerMinuteMax,
  });
  const good = new Set<string>();
  return async (presented, place, address) => {
    if (presented === undefined) return door(presented, place, address);
    const hash = presented.hash();
    if (!good.has(hash)) refusals.check(address);
    const principal = await door(presented, place, address);
    good.delete(hash);
    if (principal === undefined) refusals.enter(address).leave();
    else remember(good, hash);
    return principal;
  };
}

/** The newest come last. */
function remember(good: Set<string>, hash: string): void {
  good.add(hash);
  const [oldest] = good;
  if (oldest !== undefined && good.size > limits.goodCredentialsKeptMax) good.delete(oldest);
}
