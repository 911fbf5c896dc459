// The line between the processes and PostgreSQL: it can be cut, and it can be slow.

import { Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { openPostgresLine, type PostgresLine } from '../postgres-line.ts';

export interface DatabaseLine extends Pick<PostgresLine, 'urlOf' | 'close'> {
  /** Cuts each connection with this chance: what is on its way is lost, either way. */
  cut(isCut: () => boolean): void;
  /** Holds back each piece for so long. */
  delay(ms: number): void;
}

/** `socketPath`: where the server listens. */
export async function openDatabaseLine(socketPath: string): Promise<DatabaseLine> {
  let delayMs = 0;
  const slow = () =>
    new Transform({
      transform: async (piece, _encoding, done) => {
        if (delayMs > 0) await wait(delayMs);
        done(null, piece);
      },
    });
  const { urlOf, open, close } = await openPostgresLine(socketPath, (near, far) => {
    near.pipe(slow()).pipe(far);
    far.pipe(slow()).pipe(near);
  });
  return {
    urlOf,
    close,
    cut: (isCut) => {
      for (const socket of open) if (isCut()) socket.resetAndDestroy();
    },
    delay: (ms) => {
      delayMs = ms;
    },
  };
}
