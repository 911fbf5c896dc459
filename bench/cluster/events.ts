// Vision events of many devices, each of which sends one batch after the other.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { visionEventExtensions, visionEvents } from '../../src/contract/vision-events.ts';
import type { Client } from '../../src/http-client/client.ts';
import { startPlatforms } from './platforms.ts';

export interface EventOptions {
  readonly platforms: readonly number[];
  readonly devices: number;
  /** Of a batch. */
  readonly events: number;
  readonly seconds: number;
}

export async function measureEvents(
  newDatabase: () => Promise<string>,
  { platforms, ...options }: EventOptions,
): Promise<string[][]> {
  const rows = [
    [
      'platforms',
      'events/s',
      'batches/s',
      'told to wait',
      'sent again',
      'slowest, s',
      'bytes an event',
    ],
  ];
  for (const count of platforms) {
    process.stderr.write(`events, ${count} platforms...\n`);
    const url = await newDatabase();
    const { clients, close } = await startPlatforms(count, url);
    try {
      rows.push([`${count}`, ...(await measure(clients, options)), await bytesOfOne(url)]);
    } finally {
      await close();
    }
  }
  return rows;
}

async function measure(
  clients: readonly Client[],
  { devices, events, seconds }: Omit<EventOptions, 'platforms'>,
): Promise<string[]> {
  const [first] = clients;
  if (first === undefined) throw new Error('no platform');
  const { body } = await first.call(visionEventExtensions.use_cases_create, { name: 'line' });
  const useCaseId = String(body.id);
  const counts = { taken: 0, waits: 0, again: 0, slowestMs: 0 };
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  const send = async (client: Client, device: number) => {
    const sentMs = performance.now();
    const batch = Array.from({ length: events }, () => eventOf(useCaseId, device));
    // As a device does: what may be there already is not added twice.
    for (let isTaken = false; !isTaken && performance.now() < endMs; ) {
      isTaken = await client.call(visionEvents.vision_events_create_batch, { events: batch }).then(
        () => true,
        (thrown) => {
          counts[isToldToWait(thrown) ? 'waits' : 'again'] += 1;
          return false;
        },
      );
      if (isTaken) counts.taken += 1;
    }
    counts.slowestMs = Math.max(counts.slowestMs, performance.now() - sentMs);
  };
  await Promise.all(
    Array.from({ length: devices }, async (_, device) => {
      const client = clients[device % clients.length];
      while (client !== undefined && performance.now() < endMs) await send(client, device);
    }),
  );
  const took = (performance.now() - startMs) / 1000;
  const { taken, waits, again, slowestMs } = counts;
  const rates = [(taken * events) / took, taken / took].map((rate) => rate.toFixed(0));
  return [...rates, `${waits}`, `${again}`, (slowestMs / 1000).toFixed(1)];
}

/** Of rows and indexes. */
async function bytesOfOne(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT sum(pg_total_relation_size(oid)) / (SELECT count(*) FROM fovea_platform.vision_events)
         AS bytes FROM pg_class WHERE relname LIKE 'vision_events%' AND relkind IN ('r', 'p')`,
    );
    return Number(rows[0].bytes).toFixed(0);
  } finally {
    await client.end();
  }
}

function isToldToWait(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'rate_limited';
}

function eventOf(useCaseId: string, device: number) {
  return {
    eventId: randomUUID(),
    eventType: 'quality_check' as const,
    useCaseId,
    timestamp: new Date().toISOString(),
    eventData: { result: 'pass', score: 0.93 },
    deviceId: `device-${device}`,
    customMetadata: { shift: 'early', line: device % 12 },
  };
}
