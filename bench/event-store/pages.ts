// Latency of pages at several sizes of one store that grows, and how fast a large one grows beside
// a small one.

import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod';
import { median } from '../measure/text-table.ts';
import type { Contender } from './contenders.ts';
import { fill, index } from './fill-store.ts';
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
  readonly diskBytes: number;
  readonly times: readonly QueryTime[];
}

/** Events in a second, by rounds. */
export interface Inserts {
  readonly small: readonly number[];
  readonly large: readonly number[];
}

export interface PagesMeasured {
  readonly results: readonly PagesResult[];
  readonly inserts: Inserts | undefined;
}

/** The sizes go up; every query is asked over HTTP, of a service that is warm. */
export async function measurePages(
  ours: Contender,
  folder: string,
  sizes: readonly number[],
): Promise<PagesMeasured> {
  const data = join(folder, 'pages');
  mkdirSync(data);
  const results: PagesResult[] = [];
  let from = 0;
  for (const size of sizes) {
    process.stderr.write(`pages: filling the store up to ${size} events...\n`);
    const fillSeconds = await fill(data, from, size);
    const indexSeconds = index(data);
    from = size;
    const seconds = `${Math.round(fillSeconds)} s, the index ${Math.round(indexSeconds)} s`;
    process.stderr.write(`pages: ${seconds}; asking...\n`);
    const service = await ours.start(data);
    try {
      const times = await askAll(service.url, size);
      results.push({ size, diskBytes: bytesOf(data), times });
    } finally {
      await service.stop();
    }
  }
  const inserts = await measureInserts(data, join(folder, 'pages-small'), sizes);
  rmSync(data, { recursive: true, force: true });
  return { results, inserts };
}

/**
 * Events in a second that a store of the last size takes, beside one of the size before it, in
 * turn: what the machine does meanwhile hits both alike. Undefined: there is one size.
 */
async function measureInserts(
  largeData: string,
  smallData: string,
  sizes: readonly number[],
): Promise<Inserts | undefined> {
  const [smallSize, largeSize] = sizes.slice(-2);
  if (smallSize === undefined || largeSize === undefined) return undefined;
  mkdirSync(smallData);
  process.stderr.write(`inserts: filling another store up to ${smallSize} events...\n`);
  await fill(smallData, 0, smallSize);
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < insertRounds; round += 1) {
    process.stderr.write(`inserts: round ${round + 1} of ${insertRounds}...\n`);
    const added = round * insertedAtOnce;
    small.push(await rateOf(smallData, smallSize + added));
    large.push(await rateOf(largeData, largeSize + added));
  }
  rmSync(smallData, { recursive: true, force: true });
  return { small, large };
}

async function rateOf(data: string, from: number): Promise<number> {
  return insertedAtOnce / (await fill(data, from, from + insertedAtOnce));
}

/** Some seconds each. */
const insertRounds = 7;
const insertedAtOnce = 100_000;

async function askAll(url: string, size: number): Promise<readonly QueryTime[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const middle = await middleTime(url, agent);
  const measure = async (query: Query) => {
    const ms: number[] = [];
    for (let nth = 0; nth < asked; nth += 1) {
      const path = query.path(nth, size, middle);
      const start = performance.now();
      await ask(url + path, agent);
      ms.push(performance.now() - start);
    }
    return { query, medianMs: median(ms), worstMs: Math.max(...ms) };
  };
  // All of them once before any counts, as of a service that has run for a day: what is asked
  // first would measure V8's compilers, and what was not read lately the disk.
  for (const query of queries) await measure(query);
  const times: QueryTime[] = [];
  for (const query of queries) times.push(await measure(query));
  agent.destroy();
  return times;
}

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
