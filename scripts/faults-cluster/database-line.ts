// The line between the processes and PostgreSQL: it can be cut, and it can be slow.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';

export interface DatabaseLine {
  /** Of the database behind it, for processes. */
  urlOf(database: string): string;
  /** Cuts each connection with this chance: what is on its way is lost, either way. */
  cut(isCut: () => boolean): void;
  /** Holds back each piece for so long. */
  delay(ms: number): void;
  close(): void;
}

/** `socketPath`: where the server listens. */
export async function openDatabaseLine(socketPath: string): Promise<DatabaseLine> {
  const open = new Set<Socket>();
  let delayMs = 0;
  const slow = () =>
    new Transform({
      transform: async (piece, _encoding, done) => {
        if (delayMs > 0) await wait(delayMs);
        done(null, piece);
      },
    });
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(socketPath);
    open.add(near);
    const end = () => {
      open.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    near.pipe(slow()).pipe(far);
    far.pipe(slow()).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    urlOf: (database) => `postgres://fovea@127.0.0.1:${port}/${database}`,
    cut: (isCut) => {
      for (const socket of open) if (isCut()) socket.resetAndDestroy();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
