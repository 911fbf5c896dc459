// Long reads on PostgreSQL: how long they may take, and who waits for whom.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConsistentReads } from '../../../src/platform/postgres/consistent-reads.ts';
import type { AsyncReader } from '../../../src/storage/async-database.ts';
import { openPostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';

let server: PostgresServer;

async function openReads(msMax?: number): Promise<ConsistentReads> {
  const database = await openPostgresDatabase(await server.database(), 'fovea_reads', []);
  onTestFinished(() => database.close());
  return new ConsistentReads(database, msMax);
}

const one = (reader: AsyncReader) => reader.get('SELECT 1 AS n', [], (row) => row.integer('n'));

/** A read that is at work until it is told to end. */
async function hold(reads: ConsistentReads, asker: string) {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const held = reads.read(asker, async () => {
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  return async () => {
    end.resolve();
    await held;
  };
}

describe.skipIf(!hasPostgres)('long reads on PostgreSQL', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  it('are given up when they take too long, and the next one is served', async () => {
    const reads = await openReads(50);
    const slow = reads.read('acme', (reader) =>
      reader.get('SELECT 1 AS n FROM pg_sleep(20)', [], (row) => row.integer('n')),
    );
    await expect(slow).rejects.toMatchObject({ code: 'invalid_input', status: 400 });
    expect(await reads.read('acme', one)).toBe(1);
  });

  it('of one workspace take turns, and others do not wait for them', async () => {
    const reads = await openReads();
    const end = await hold(reads, 'acme');
    const order: string[] = [];
    const waiting = ['first', 'second'].map((name) =>
      reads.read('acme', async (reader) => {
        await one(reader);
        order.push(name);
      }),
    );
    expect(await reads.read('globex', one)).toBe(1);
    expect(order).toEqual([]);
    await end();
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
  });

  it('are refused where too many of their workspace wait', async () => {
    const reads = await openReads();
    const end = await hold(reads, 'acme');
    const waiting = Array.from({ length: 100 }, () => reads.read('acme', one));
    await expect(reads.read('acme', one)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await reads.read('globex', one)).toBe(1);
    await end();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([1]));
  });

  it('that wait are given up when the platform stops', async () => {
    const reads = await openReads();
    const end = await hold(reads, 'acme');
    const waiting = reads.read('acme', one);
    reads.close();
    await end();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });
});
