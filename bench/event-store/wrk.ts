// Load by wrk: many producers at once, each waiting for its answer before it sends again.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

export interface Load {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The bodies are the lines of `bodiesFile`. Throws when a request was not answered with 2xx. */
export async function post(
  url: string,
  bodiesFile: string,
  producers: number,
  seconds: number,
): Promise<Load> {
  const { stdout } = await promisify(execFile)('wrk', [
    '--threads',
    '1',
    '--connections',
    String(producers),
    '--duration',
    `${seconds}s`,
    '--timeout',
    '20s',
    '--script',
    join(import.meta.dirname, 'wrk.lua'),
    url,
    '--',
    bodiesFile,
  ]);
  const line = stdout.split('\n').findLast((text) => text.startsWith('{')) ?? '';
  const said = summary.parse(JSON.parse(line));
  if (said.refused + said.broken > 0) {
    throw new Error(`${url}: ${said.refused} refused, ${said.broken} broken of ${said.requests}`);
  }
  return {
    requests: said.requests,
    seconds: said.microseconds / 1e6,
    p50Ms: said.p50 / 1_000,
    p99Ms: said.p99 / 1_000,
  };
}

const summary = z.object({
  requests: z.number(),
  microseconds: z.number(),
  refused: z.number(),
  broken: z.number(),
  p50: z.number(),
  p99: z.number(),
});
