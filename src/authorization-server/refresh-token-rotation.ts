// Refresh token rotation with a grace period: a just consumed token still leads to its successor.

import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';
import { hashId, seal, unseal } from './row-encryption.ts';
import type {
  AuthorizationRow,
  AuthorizationStore,
  StoredAuthorizationRow,
} from './store/authorization-store.ts';

/** Successors followed from a consumed token: each refresh within the grace period makes one. */
const successorsMax = 5;

export const refreshToken = 'RefreshToken';

export interface CurrentToken {
  readonly id: string;
  readonly row: StoredAuthorizationRow;
}

export interface RefreshRotation {
  /**
   * The token that replaces this one now: itself, or its successor within the grace period
   * (RFC 9700 section 4.14.2). After it: itself, so that the library revokes its family.
   */
  current(id: string): Promise<CurrentToken | undefined>;
  /**
   * Atomically consumes `old` and stores its successor `id`. Returns the token to answer with:
   * racing requests all get the first one's successor. Undefined when the sign-in has ended.
   */
  rotate(old: string, id: string, row: AuthorizationRow): Promise<string | undefined>;
}

export function createRefreshRotation(
  authorizations: AuthorizationStore,
  clock: Clock,
): RefreshRotation {
  const isWithin = ({ consumed }: StoredAuthorizationRow) =>
    // A clock that was set back must not prolong the grace period.
    consumed !== undefined && Math.abs(clock.now() - consumed) < limits.refreshGraceMs;
  const current: RefreshRotation['current'] = async (start) => {
    let id = start;
    for (let step = 0; step <= successorsMax; step += 1) {
      const row = await authorizations.find(hashId(refreshToken, id));
      if (row === undefined) return undefined;
      if (row.successor === undefined || !isWithin(row)) return { id, row };
      id = unseal(row.successor, id, 'successor');
    }
    return undefined;
  };
  return {
    current,
    rotate: async (old, id, row) => {
      const successor = seal(id, old, 'successor');
      const done = await authorizations.rotate(
        { hash: hashId(refreshToken, old), successor, now: clock.now() },
        row,
      );
      if (done === 'done') return id;
      if (done === 'gone') return undefined;
      const first = await current(old);
      return first === undefined || first.id === old ? undefined : first.id;
    },
  };
}
