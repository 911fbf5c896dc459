// What the Event Store takes of memory: at most while many producers send, and once they are gone.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from './contenders.ts';
import { producers, writeBodies } from './durable-writes.ts';
import { post } from './wrk.ts';

export interface MemoryRun {
  readonly startBytes: number;
  readonly peakBytes: number;
  readonly idleBytes: number;
}

/** One run after the other, each with an empty store and events of 1.5 KB. */
export async function measureMemory(
  contender: Contender,
  folder: string,
  { seconds, repeats }: { readonly seconds: number; readonly repeats: number },
): Promise<readonly MemoryRun[]> {
  const { file } = writeBodies('small', folder);
  const runs: MemoryRun[] = [];
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    process.stderr.write(`memory, round ${repeat} of ${repeats}...\n`);
    runs.push(await run(contender, file, join(folder, 'store'), seconds));
  }
  return runs;
}

async function run(
  contender: Contender,
  bodiesFile: string,
  folder: string,
  seconds: number,
): Promise<MemoryRun> {
  mkdirSync(folder);
  const service = await contender.start(folder);
  try {
    const startBytes = service.usage().residentBytes;
    await post(`${service.url}/v2/events`, bodiesFile, producers, seconds);
    const { peakBytes } = service.usage();
    await sleep(idleMs);
    return { startBytes, peakBytes, idleBytes: service.usage().residentBytes };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two looks of the service for idleness, and some seconds in which V8 gives pages back. */
const idleMs = 25_000;
