// Memory of a process that has nothing to do, beside what a service was started with
// (memory-at-start.ts): V8 collects only when it needs room. And that of the threads of a service.

import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { limits } from '../limits.ts';

/** For the threads that start from now on: V8 reads this flag once for each. */
export function boundThreads(): void {
  setFlagsFromString(`--max-semi-space-size=${limits.threadSemiSpaceMegabytes}`);
}

/**
 * From now on, for all threads: the young generation of none grows. Buffers go with the objects
 * that hold them; where these have tens of MB of room, as much of buffers comes together before
 * they are collected, and the C library keeps most of it for good.
 */
export function keepYoungGenerations(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * For this thread. Two short pauses in place of a long one: the second collection, which also gives
 * back the pages that V8 keeps for itself, finds little to do.
 */
export function collectWhenIdle(): void {
  let due: readonly ('regular' | 'last-resort')[] = [];
  let heapBytes = 0;
  let cpu = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    if ((user + system) / 1_000 > limits.idleCpuMsMax) return;
    if (readHeapBytes() - heapBytes > limits.idleHeapGrowthBytesMin)
      due = ['regular', 'last-resort'];
    const [flavor, ...rest] = due;
    if (flavor === undefined) return;
    collector()({ type: 'major', execution: 'sync', flavor });
    heapBytes = readHeapBytes();
    due = rest;
  }, limits.idleLookMs).unref();
}

/** Where the process was not started with `--expose-gc`: only contexts made later have it then. */
function collector(): NodeJS.GCFunction {
  if (globalThis.gc !== undefined) return globalThis.gc;
  setFlagsFromString('--expose-gc');
  return process.getBuiltinModule('node:vm').runInNewContext('gc');
}

function readHeapBytes(): number {
  return getHeapStatistics().total_physical_size;
}
