// What a process and all its descendants have used so far, as Linux counts it.

import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  /** User and system time; the kernel counts in steps of 10 ms. */
  readonly cpuMs: number;
  /** The sum of the highest resident sizes (VmHWM). */
  readonly peakBytes: number;
  /** The sum of the resident sizes now (VmRSS). */
  readonly residentBytes: number;
}

export function usageOfTree(root: number): Usage {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)));
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid);
  }
  const members = processes.filter(({ pid }) => tree.has(pid));
  return {
    cpuMs: members.reduce((sum, { ticks }) => sum + ticks * msPerTick, 0),
    peakBytes: members.reduce((sum, { pid }) => sum + bytesOf('VmHWM', pid), 0),
    residentBytes: members.reduce((sum, { pid }) => sum + bytesOf('VmRSS', pid), 0),
  };
}

/** What a process takes of memory: of pages that several processes share, its part (PSS). */
export function proportionalBytes(pid: number): number {
  const [, kibibytes] = /^Pss:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/smaps_rollup`)) ?? [];
  return Number(kibibytes) * 1024;
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const msPerTick = 10;

function readStat(pid: number) {
  const text = readOrNothing(`/proc/${pid}/stat`);
  // The second field is the name in parentheses and may hold blanks: count behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const parent = Number(fields[1]);
  // The last two are those of children that have ended, which are nowhere else any more.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return fields[1] === undefined ? [] : [{ pid, parent, ticks }];
}

function bytesOf(name: 'VmHWM' | 'VmRSS', pid: number): number {
  const lines = readOrNothing(`/proc/${pid}/status`).split('\n');
  const [, kibibytes = '0'] = lines.find((line) => line.startsWith(`${name}:`))?.split(/\s+/) ?? [];
  return Number(kibibytes) * 1024;
}

/** A process may end between the listing and the reading. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
