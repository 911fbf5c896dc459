// Wrong passwords in a row make a pause: for an account at an address, and for each more widely.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { LruCache } from '../lru-cache.ts';
import { customerNetwork } from '../network/client-address.ts';

/**
 * The pair pauses early and each alone late: whoever types wrong passwords for somebody else from
 * elsewhere does not keep them out, and many addresses together still guess slowly.
 */
export interface SignInAttempts {
  /**
   * Counts an attempt as a wrong one, before its password is looked at, so that many at the same
   * time count too. Gives the seconds to wait, and counts nothing, where there were too many.
   */
  begin(nameKey: string, address: string): { readonly waitSeconds: number };
  /** The password was right: the pair starts anew, and this attempt is taken back. */
  succeeded(nameKey: string, address: string): void;
}

interface Count {
  failures: number;
  /** Whether the log has a line on its pause. */
  isTold: boolean;
  /** Monotonic milliseconds; what is older is forgotten. */
  readonly ends: number;
}

export function createSignInAttempts(clock: Clock, log: Log): SignInAttempts {
  const counts = new LruCache<string, Count>({ weightMax: limits.passwordFailuresRememberedMax });
  const current = (key: string): Count | undefined => {
    const count = counts.peek(key);
    if (count === undefined || count.ends > clock.monotonic()) return count;
    counts.delete(key);
    return undefined;
  };
  const add = (key: string) => {
    const failures = (current(key)?.failures ?? 0) + 1;
    // The pause counts from the last attempt, and the order is that of the last attempts.
    counts.set(key, { failures, isTold: false, ends: clock.monotonic() + limits.passwordPauseMs });
  };
  /** Once for each pause, and without a name: it may be a password. */
  const tell = (full: readonly Count[], address: string) => {
    const isNew = full.some(({ isTold }) => !isTold);
    for (const count of full) count.isTold = true;
    if (isNew) log.warn('There were too many wrong passwords: a pause began.', { address });
  };
  return {
    begin: (nameKey, address) => {
      const full = keysOf(nameKey, address).flatMap(({ key, max }) => {
        const count = current(key);
        return count && count.failures >= max ? [count] : [];
      });
      if (full.length > 0) {
        tell(full, address);
        const ends = Math.max(...full.map((count) => count.ends));
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

/** Names as hashes: what people type there may be a password. */
function keysOf(nameKey: string, address: string) {
  const name = createHash('sha256').update(nameKey).digest('base64url');
  const place = customerNetwork(address);
  const wide = limits.passwordFailuresWideMax;
  return [
    { key: `${name} ${place}`, max: limits.passwordFailuresMax, isPair: true },
    { key: name, max: wide, isPair: false },
    { key: place, max: wide, isPair: false },
  ];
}
