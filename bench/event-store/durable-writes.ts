// Durable events per second: every contender in turn, with an empty store, under the same load.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contenders.ts';
import { measureSyncs } from './disk-sync.ts';
import { eventBody, largeJpeg } from './events.ts';
import { post } from './wrk.ts';

export const producers = 64;

/** `small`: 1.5 KB of JSON. `images`: a JPEG of 200 KB in each, as base64. */
export type Kind = 'small' | 'images';

export interface DurableRun {
  readonly perSecond: number;
  /** Of all processes of the service, for one event. */
  readonly cpuMicroseconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly peakBytes: number;
  readonly openFiles: number;
}

export interface DurableResult {
  readonly kind: Kind;
  /** Bytes of one request. */
  readonly bytes: number;
  readonly runs: readonly { readonly contender: Contender; readonly runs: DurableRun[] }[];
  /** One writer that appends an event's bytes and syncs, again and again. */
  readonly syncsPerSecond: readonly number[];
}

/** Round robin: what the machine does meanwhile hits all alike. */
export async function measureDurable(
  kind: Kind,
  contenders: readonly Contender[],
  folder: string,
  { seconds, repeats }: { seconds: number; repeats: number },
): Promise<DurableResult> {
  const { file, bytes } = writeBodies(kind, folder);
  const runs = contenders.map((contender) => ({ contender, runs: noRuns() }));
  const syncsPerSecond: number[] = [];
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    for (const one of runs) {
      process.stderr.write(`${kind}, round ${repeat} of ${repeats}: ${one.contender.name}...\n`);
      one.runs.push(await run(one.contender, file, join(folder, 'store'), seconds));
    }
    syncsPerSecond.push(measureSyncs(folder, bytes, seconds));
  }
  return { kind, bytes, runs, syncsPerSecond };
}

function noRuns(): DurableRun[] {
  return [];
}

/** A service warm, then the seconds that count. */
async function run(
  contender: Contender,
  bodiesFile: string,
  folder: string,
  seconds: number,
): Promise<DurableRun> {
  mkdirSync(folder);
  const service = await contender.start(folder);
  try {
    const url = `${service.url}/v2/events`;
    await post(url, bodiesFile, producers, warmUpSeconds);
    const before = service.usage().cpuMs;
    const posting = post(url, bodiesFile, producers, seconds);
    const [load, openFiles] = await Promise.all([posting, midway(seconds, service.openFiles)]);
    const { cpuMs, peakBytes } = service.usage();
    return {
      perSecond: load.requests / load.seconds,
      cpuMicroseconds: ((cpuMs - before) * 1_000) / load.requests,
      p50Ms: load.p50Ms,
      p99Ms: load.p99Ms,
      peakBytes,
      openFiles,
    };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For the compilers of V8: a service that has run for a day is warm. */
const warmUpSeconds = 4;

async function midway<T>(seconds: number, look: () => T): Promise<T> {
  await sleep(seconds * 500);
  return look();
}

/** The bodies of requests, one a line. */
export function writeBodies(kind: Kind, folder: string): { file: string; bytes: number } {
  const bodies =
    kind === 'small'
      ? Array.from({ length: 2_000 }, (_, ordinal) => eventBody(ordinal))
      : Array.from({ length: 16 }, (_, ordinal) => eventBody(ordinal, largeJpeg()));
  const file = join(folder, `${kind}.jsonl`);
  writeFileSync(file, `${bodies.join('\n')}\n`);
  return { file, bytes: Buffer.byteLength(bodies[0] ?? '') };
}
