// A line to PostgreSQL that counts what goes over it, and holds back each answer.

import { join } from 'node:path';
import { openPostgresLine, type PostgresLine } from '../../scripts/postgres-line.ts';

export interface CountingLine extends Pick<PostgresLine, 'urlOf' | 'close'> {
  /** Of all connections since the start. */
  readonly counts: { readonly statements: number; readonly roundTrips: number };
  /** Each answer comes so much later: what a network takes there and back. */
  delay(ms: number): void;
}

/** Where the server of a database listens. */
export function socketOf(database: URL): string {
  return join(database.searchParams.get('host') ?? '', '.s.PGSQL.5432');
}

/** `socketPath`: where the server listens. */
export async function openCountingLine(socketPath: string): Promise<CountingLine> {
  const counts = { statements: 0, roundTrips: 0 };
  let delayMs = 0;
  const { urlOf, close } = await openPostgresLine(socketPath, (near, far) => {
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
  return {
    urlOf,
    close,
    counts,
    delay: (ms) => {
      delayMs = ms;
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
