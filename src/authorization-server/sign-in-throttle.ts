// Throttles password guessing: per account and network together, and with higher limits per each.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { LruCache } from '../lru-cache.ts';
import { customerNetwork } from '../network/client-address.ts';

/**
 * The limit of the pair is low and those of account and network alone are high: guesses from one
 * network do not lock out the owner elsewhere, and many networks together still guess slowly.
 */
export interface SignInThrottle {
  /**
   * Counts an attempt as failed before its password is checked, so that concurrent attempts count
   * too. Over a limit it counts nothing and returns the seconds to wait.
   */
  begin(nameKey: string, address: string): { readonly waitSeconds: number };
  /** The password was right: resets the pair and takes this attempt back. */
  succeeded(nameKey: string, address: string): void;
}

interface Count {
  failures: number;
  /** Whether its pause was logged. */
  isLogged: boolean;
  /** Monotonic milliseconds. */
  readonly ends: number;
}

export function createSignInThrottle(clock: Clock, log: Log): SignInThrottle {
  const counts = new LruCache<string, Count>({ weightMax: limits.passwordFailuresRememberedMax });
  const current = (key: string): Count | undefined => {
    const count = counts.peek(key);
    if (count === undefined || count.ends > clock.monotonic()) return count;
    counts.delete(key);
    return undefined;
  };
  const add = (key: string) => {
    const failures = (current(key)?.failures ?? 0) + 1;
    // The pause counts from the last attempt, and so does the order of eviction.
    counts.set(key, {
      failures,
      isLogged: false,
      ends: clock.monotonic() + limits.passwordPauseMs,
    });
  };
  /** Once for each pause, without the name, which may be a mistyped password. */
  const logPause = (exceeded: readonly Count[], address: string) => {
    const isNew = exceeded.some(({ isLogged }) => !isLogged);
    for (const count of exceeded) count.isLogged = true;
    if (isNew) log.warn('There were too many wrong passwords: a pause began.', { address });
  };
  return {
    begin: (nameKey, address) => {
      const exceeded = keysOf(nameKey, address).flatMap(({ key, max }) => {
        const count = current(key);
        return count && count.failures >= max ? [count] : [];
      });
      if (exceeded.length > 0) {
        logPause(exceeded, address);
        const ends = Math.max(...exceeded.map((count) => count.ends));
        return { waitSeconds: Math.ceil((ends - clock.monotonic()) / 1_000) };
      }
      for (const { key } of keysOf(nameKey, address)) add(key);
      return { waitSeconds: 0 };
    },
    succeeded: (nameKey, address) => {
      for (const { key, isPair } of keysOf(nameKey, address)) {
        const count = current(key);
        if (count === undefined) continue;
        count.failures -= 1;
        if (isPair || count.failures <= 0) counts.delete(key);
      }
    },
  };
}

/** Names are hashed, since users may type a password there. */
function keysOf(nameKey: string, address: string) {
  const name = createHash('sha256').update(nameKey).digest('base64url');
  const network = customerNetwork(address);
  const widerMax = limits.passwordFailuresWideMax;
  return [
    { key: `${name} ${network}`, max: limits.passwordFailuresMax, isPair: true },
    { key: name, max: widerMax, isPair: false },
    { key: network, max: widerMax, isPair: false },
  ];
}
