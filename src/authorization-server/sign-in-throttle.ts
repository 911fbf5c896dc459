// Throttles password guessing: per account and network together, and with higher limits per each.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { customerNetwork } from '../network/client-address.ts';
import type { AsyncDatabase } from '../storage/async-database.ts';
import { passwordFailures } from './store/password-failures.ts';

/**
 * The limit of the pair is low and those of account and network alone are high: guesses from one
 * network do not lock out the owner elsewhere, and many networks together still guess slowly. All
 * processes of one database count together, also over a restart.
 */
export interface SignInThrottle {
  /**
   * Counts an attempt as failed before its password is checked, so that concurrent attempts count
   * too. Over a limit it counts nothing and returns the seconds to wait.
   */
  begin(nameKey: string, address: string): Promise<{ readonly waitSeconds: number }>;
  /** The password was right: resets the pair and takes this attempt back. */
  succeeded(nameKey: string, address: string): Promise<void>;
}

/** Over an open `sign-in.db`, with all its migrations. */
export function createSignInThrottle(
  database: AsyncDatabase,
  { clock, log }: { readonly clock: Pick<Clock, 'now'>; readonly log: Log },
): SignInThrottle {
  const failures = passwordFailures(database);
  return {
    begin: async (nameKey, address) => {
      const now = clock.now();
      const pause = await failures.begin(countedOf(nameKey, address), now);
      if (pause === undefined) return { waitSeconds: 0 };
      // Without the name, which may be a mistyped password.
      if (pause.isNew) {
        log.warn('There were too many wrong passwords: a pause began.', { address });
      }
      return { waitSeconds: Math.ceil((pause.ends - now) / 1_000) };
    },
    succeeded: async (nameKey, address) => {
      const counted = countedOf(nameKey, address);
      await failures.takeBack(counted, counted[0].key);
    },
  };
}

/** The pair comes first. Names are hashed, since users may type a password there. */
function countedOf(nameKey: string, address: string) {
  const name = createHash('sha256').update(nameKey).digest('base64url');
  const network = customerNetwork(address);
  const widerMax = limits.passwordFailuresWideMax;
  return [
    { key: `${name} ${network}`, max: limits.passwordFailuresMax },
    { key: name, max: widerMax },
    { key: network, max: widerMax },
  ] as const;
}
