// A line to PostgreSQL that somebody stands in: what goes over it passes through their hands.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface PostgresLine {
  /** Of a database behind it. */
  urlOf(database: string): string;
  /** The near ends of all connections. */
  readonly open: ReadonlySet<Socket>;
  close(): void;
}

/** `socketPath`: where the server listens. `join` passes on what comes from either end. */
export async function openPostgresLine(
  socketPath: string,
  join: (near: Socket, far: Socket) => void,
): Promise<PostgresLine> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(socketPath);
    open.add(near);
    const end = () => {
      open.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    join(near, far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    urlOf: (database) => `postgres://fovea@127.0.0.1:${port}/${database}`,
    open,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
