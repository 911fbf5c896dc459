// What a process holds, as Linux tells it: memory, descriptors, threads, and files in its folders.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface ProcessState {
  readonly rssBytes: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly files: ReadonlySet<string>;
}

export function readState(pid: number, folder: string): ProcessState {
  const descriptors = listed(`/proc/${pid}/fd`).length;
  const threads = listed(`/proc/${pid}/task`).length;
  return { rssBytes: readRss(pid), descriptors, threads, files: filesBelow(folder) };
}

export function readRss(pid: number): number {
  return kilobytes(pid, 'VmRSS') * 1024;
}

/** The highest resident size since `resetPeak`. */
export function readPeak(pid: number): number {
  return kilobytes(pid, 'VmHWM') * 1024;
}

export function resetPeak(pid: number): void {
  // proc(5): 5 resets the peak resident set size to the current one.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** Of the main thread: time on a processor, and time that it waited for one, in milliseconds. */
export function readProcessorTime(pid: number): {
  readonly ranMs: number;
  readonly waitedMs: number;
} {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
  } catch {
    return { ranMs: 0, waitedMs: 0 };
  }
}

export function isRunning(pid: number): boolean {
  return kilobytes(pid, 'VmRSS') > 0;
}

function kilobytes(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function listed(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Without the files that SQLite makes and removes as it likes. */
function filesBelow(folder: string): ReadonlySet<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .filter((path) => !/-(wal|shm|journal)$/.test(path)),
  );
}
