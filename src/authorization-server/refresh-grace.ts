// A refresh token is used up once; for a moment after that it still leads to its successor.

import type { Clock } from '../clock.ts';
import { limits } from '../limits.ts';
import { hashId, seal, unseal } from './sealed.ts';
import type { KeptRow, Row, Rows } from './store/store.ts';

/** Successors of a token that was used up within the grace: each refresh makes one. */
const successorsMax = 5;

export const refreshToken = 'RefreshToken';

export interface RefreshGrace {
  /**
   * The token that stands for this one now: itself, or what followed it less than the grace ago
   * (RFC 9700 section 4.14.2). Used up for longer: itself, for the library to revoke its family.
   */
  current(id: string): { readonly id: string; readonly row: KeptRow } | undefined;
  /**
   * Uses `old` up for the successor `id`, at once. Gives the token to answer with: of several that
   * race, all get the first one's. Undefined when the sign-in has ended meanwhile.
   */
  rotate(old: string, id: string, row: Row): string | undefined;
}

export function createRefreshGrace(rows: Rows, clock: Clock): RefreshGrace {
  const isWithin = ({ consumed }: KeptRow) =>
    // A clock that was set back must not make it longer.
    consumed !== undefined && Math.abs(clock.now() - consumed) < limits.refreshGraceMs;
  const current: RefreshGrace['current'] = (start) => {
    let id = start;
    for (let step = 0; step <= successorsMax; step += 1) {
      const row = rows.find(hashId(refreshToken, id));
      if (row === undefined) return undefined;
      if (row.successor === undefined || !isWithin(row)) return { id, row };
      id = unseal(row.successor, id, 'successor');
    }
    return undefined;
  };
  return {
    current,
    rotate: (old, id, row) => {
      const successor = seal(id, old, 'successor');
      const done = rows.rotate(
        { hash: hashId(refreshToken, old), successor, now: clock.now() },
        row,
      );
      if (done === 'done') return id;
      if (done === 'gone') return undefined;
      const first = current(old);
      return first === undefined || first.id === old ? undefined : first.id;
    },
  };
}
