// Latency of pages at several sizes of one store that grows, and how fast it grows.

import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { median } from '../measure/table.ts';
import type { Contender } from './contenders.ts';
import { type Fill, fill } from './fill.ts';
import { type Query, queries } from './queries.ts';

/** How often each query is asked. */
const asked = 50;

export interface QueryTime {
  readonly query: Query;
  readonly medianMs: number;
  readonly worstMs: number;
}

export interface PagesResult {
  /** Events in the store. */
  readonly size: number;
  readonly fill: Fill;
  readonly diskBytes: number;
  readonly times: readonly QueryTime[];
}

/** The sizes go up; every query is asked over HTTP, of a service that was just started. */
export async function measurePages(
  ours: Contender,
  folder: string,
  sizes: readonly number[],
): Promise<readonly PagesResult[]> {
  const data = join(folder, 'pages');
  mkdirSync(data);
  const results: PagesResult[] = [];
  let from = 0;
  for (const size of sizes) {
    process.stderr.write(`pages: filling the store up to ${size} events...\n`);
    const filled = await fill(data, from, size);
    from = size;
    process.stderr.write(`pages: ${Math.round(filled.seconds)} s; asking...\n`);
    const service = await ours.start(data);
    try {
      const times = await askAll(service.url, size);
      results.push({ size, fill: filled, diskBytes: bytesOf(data), times });
    } finally {
      await service.stop();
    }
  }
  rmSync(data, { recursive: true, force: true });
  return results;
}

async function askAll(url: string, size: number): Promise<readonly QueryTime[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const middle = await middleTime(url, agent);
  const times: QueryTime[] = [];
  for (const query of queries) {
    // What was read once lies in memory: this measures the store and not the disk.
    for (let nth = 0; nth < warmUps; nth += 1) {
      await ask(url + query.path(nth, size, middle), agent);
    }
    const ms: number[] = [];
    for (let nth = 0; nth < asked; nth += 1) {
      const path = query.path(nth, size, middle);
      const start = performance.now();
      await ask(url + path, agent);
      ms.push(performance.now() - start);
    }
    times.push({ query, medianMs: median(ms), worstMs: Math.max(...ms) });
  }
  agent.destroy();
  return times;
}

const warmUps = 5;

/** Half way between the first event and the last one. */
async function middleTime(url: string, agent: Agent): Promise<string> {
  const counts = z
    .object({ oldest_timestamp: z.string(), newest_timestamp: z.string() })
    .parse(JSON.parse(await ask(`${url}/events/count/stats`, agent)));
  const [from, until] = [counts.oldest_timestamp, counts.newest_timestamp].map(Date.parse);
  return new Date(((from ?? 0) + (until ?? 0)) / 2).toISOString();
}

/** The whole answer, which must be a 200. */
function ask(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`${url} was answered with ${response.statusCode}: ${body}`));
      });
    }).on('error', reject);
  });
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
