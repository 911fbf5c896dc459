// A line to PostgreSQL that counts what goes over it, and holds back each answer.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CountingLine {
  /** Of a database behind it. */
  urlOf(database: string): string;
  /** Of all connections since the start. */
  readonly counts: { readonly statements: number; readonly roundTrips: number };
  /** Each answer comes so much later: what a network takes there and back. */
  delay(ms: number): void;
  close(): void;
}

/** `socketPath`: where the server listens. */
export async function openCountingLine(socketPath: string): Promise<CountingLine> {
  const counts = { statements: 0, roundTrips: 0 };
  const open = new Set<Socket>();
  let delayMs = 0;
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(socketPath);
    open.add(near);
    const end = () => {
      open.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
    const count = createCounter();
    let isAnswered = true;
    near.on('data', (piece) => {
      counts.statements += count(piece);
      // All that is sent before the next answer is one trip.
      if (isAnswered) counts.roundTrips += 1;
      isAnswered = false;
      far.write(piece);
    });
    far.on('data', (piece) => {
      isAnswered = true;
      if (delayMs === 0) near.write(piece);
      else setTimeout(() => near.write(piece), delayMs);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    urlOf: (database) => `postgres://fovea@127.0.0.1:${port}/${database}`,
    counts,
    delay: (ms) => {
      delayMs = ms;
    },
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/**
 * How many statements begin to run with each piece: messages Query and Execute
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
function createCounter(): (piece: Buffer) => number {
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    let statements = 0;
    for (;;) {
      // The first message has no type.
      const typeBytes = isStarted ? 1 : 0;
      if (rest.length < typeBytes + 4) return statements;
      const bytes = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < bytes) return statements;
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : '';
      if (type === 'Q' || type === 'E') statements += 1;
      isStarted = true;
      rest = rest.subarray(bytes);
    }
  };
}
