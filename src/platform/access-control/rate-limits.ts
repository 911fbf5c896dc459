// Rate limits: how often a credential may call, and how often an address may present wrong ones.

import type { Clock } from '../../clock.ts';
import { type CallsElsewhere, createRateLimiter } from '../../http-server/rate-limiter.ts';
import { limits } from '../../limits.ts';
import type { Authenticate } from './authentication.ts';
import type { Principal } from './authorization.ts';

/**
 * Answers `rate_limited` after `limits.refusedPerMinuteMax` unknown credentials from one address in
 * a minute. Each credential is looked up first (one row, by its hash), so that wrong credentials
 * never lock out a right one behind the same address. Calls without a credential do not count.
 */
export function limitFailedCredentials(
  authenticate: Authenticate,
  clock: Clock,
  elsewhere?: CallsElsewhere,
): Authenticate {
  const bounds = {
    callsPerMinuteMax: limits.refusedPerMinuteMax,
    callsAtOnceMax: limits.refusedPerMinuteMax,
  };
  const refusals = createRateLimiter(clock, bounds, kindOf(elsewhere, 'refused'));
  return async (presented, place, address) => {
    const principal = await authenticate(presented, place, address);
    const isRefused = presented !== undefined && principal === undefined;
    if (isRefused) refusals.begin(address).end();
    return principal;
  };
}

/** The calls of one kind among those that processes tell each other. */
function kindOf(elsewhere: CallsElsewhere | undefined, kind: string): CallsElsewhere | undefined {
  if (elsewhere === undefined) return undefined;
  return {
    add: (name, calls) => elsewhere.add(`${kind} ${name}`, calls),
    count: (name) => elsewhere.count(`${kind} ${name}`),
  };
}

/**
 * Counts the calls of each credential, and those of all credentials of a workspace: a key may
 * create others.
 */
export function createCallCounter(
  callsPerMinuteMax: number,
  clock: Clock,
  elsewhere?: CallsElsewhere,
) {
  const callsAtOnceMax = limits.rateLimitAtOnceMax;
  const ofCredential = createRateLimiter(
    clock,
    { callsPerMinuteMax, callsAtOnceMax },
    kindOf(elsewhere, 'credential'),
  );
  const boundsOfWorkspace = {
    callsPerMinuteMax: callsPerMinuteMax * limits.rateLimitKeysOfWorkspace,
    callsAtOnceMax: callsAtOnceMax * limits.rateLimitKeysOfWorkspace,
  };
  const ofWorkspace = createRateLimiter(clock, boundsOfWorkspace, kindOf(elsewhere, 'workspace'));
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
