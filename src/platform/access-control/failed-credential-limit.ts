// How often an address may present credentials that nobody has.

import type { Clock } from '../../clock.ts';
import { createRateLimiter } from '../../http-server/rate-limiter.ts';
import { limits } from '../../limits.ts';
import type { Door } from './authorization.ts';

/**
 * A door that says `rate_limited` in place of a refusal to whoever had more than
 * `limits.refusedPerMinuteMax` refusals from one address in a minute. Each credential is looked up
 * first, which takes one row by its hash: so wrong ones never keep out a right one, whoever shares
 * the address. A call without a credential is no guess.
 */
export function limitGuesses(door: Door, clock: Clock): Door {
  const refusals = createRateLimiter(clock, {
    callsPerMinuteMax: limits.refusedPerMinuteMax,
    callsAtOnceMax: limits.refusedPerMinuteMax,
  });
  return async (presented, place, address) => {
    const principal = await door(presented, place, address);
    const isRefused = presented !== undefined && principal === undefined;
    if (isRefused) refusals.begin(address).end();
    return principal;
  };
}
