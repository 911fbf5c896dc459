// Rate limits: how often a credential may call, and how often an address may present wrong ones.

import type { Clock } from '../../clock.ts';
import { createRateLimiter } from '../../http-server/rate-limiter.ts';
import { limits } from '../../limits.ts';
import type { Authenticate } from './authentication.ts';
import type { Principal } from './authorization.ts';

/**
 * Answers `rate_limited` after `limits.refusedPerMinuteMax` unknown credentials from one address in
 * a minute. Each credential is looked up first (one row, by its hash), so that wrong credentials
 * never lock out a right one behind the same address. Calls without a credential do not count.
 */
export function limitFailedCredentials(authenticate: Authenticate, clock: Clock): Authenticate {
  const refusals = createRateLimiter(clock, {
    callsPerMinuteMax: limits.refusedPerMinuteMax,
    callsAtOnceMax: limits.refusedPerMinuteMax,
  });
  return async (presented, place, address) => {
    const principal = await authenticate(presented, place, address);
    const isRefused = presented !== undefined && principal === undefined;
    if (isRefused) refusals.begin(address).end();
    return principal;
  };
}

/**
 * Counts the calls of each credential, and those of all credentials of a workspace: a key may
 * create others.
 */
export function createCallCounter(callsPerMinuteMax: number, clock: Clock) {
  const callsAtOnceMax = limits.rateLimitAtOnceMax;
  const ofCredential = createRateLimiter(clock, { callsPerMinuteMax, callsAtOnceMax });
  const ofWorkspace = createRateLimiter(clock, {
    callsPerMinuteMax: callsPerMinuteMax * limits.rateLimitKeysOfWorkspace,
    callsAtOnceMax: callsAtOnceMax * limits.rateLimitKeysOfWorkspace,
  });
  return ({ name, workspace: { id } }: Principal) => {
    const own = ofCredential.begin(name);
    try {
      const all = ofWorkspace.begin(id);
      const end = () => {
        own.end();
        all.end();
      };
      return { count: own.count, end };
    } catch (thrown) {
      own.end();
      throw thrown;
    }
  };
}
