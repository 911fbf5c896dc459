// The two things that are sampled, each in a run of its own: time and allocations. Every thread
// of every process leaves a file, as DevTools reads it.

import type { HeapProfiler, Profiler, Runtime } from 'node:inspector';

/** A place with what was sampled in it, in microseconds or bytes, and the places that it calls. */
export interface Sampled {
  readonly callFrame: Runtime.CallFrame;
  readonly self: number;
  readonly children: readonly Sampled[];
}

export interface Measure {
  readonly name: 'cpu' | 'allocations';
  readonly title: string;
  /** In which it is told: so much of what was sampled. */
  readonly unit: { readonly name: string; readonly size: number };
  readonly extension: string;
  /** With which Node leaves its files in that folder. */
  nodeFlags(folder: string): readonly string[];
  /** Reads the text of such a file. */
  read(text: string): Sampled;
}

/** Between two looks at what a thread does. */
const samplingMicroseconds = 250;

const recorder = new URL('./allocation-recorder.ts', import.meta.url).href;

const cpu: Measure = {
  name: 'cpu',
  title: 'Time',
  unit: { name: 'ms', size: 1_000 },
  extension: '.cpuprofile',
  nodeFlags: (folder) => [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    `--cpu-prof-interval=${samplingMicroseconds}`,
  ],
  read: readCpuProfile,
};

const allocations: Measure = {
  name: 'allocations',
  title: 'Allocated by JavaScript',
  unit: { name: 'MB', size: 1_000_000 },
  extension: '.heapprofile',
  nodeFlags: () => [`--import=${recorder}`],
  read: (text) => {
    const { head }: HeapProfiler.SamplingHeapProfile = JSON.parse(text);
    const read = (node: HeapProfiler.SamplingHeapProfileNode): Sampled => ({
      callFrame: node.callFrame,
      self: node.selfSize,
      children: node.children.filter(({ callFrame }) => !isOfRecorder(callFrame)).map(read),
    });
    return read(head);
  },
};

function isOfRecorder({ url }: Runtime.CallFrame): boolean {
  return url === recorder || url === 'node:inspector';
}

export const measures: readonly Measure[] = [cpu, allocations];

/** Without the time in which the thread had nothing to do. */
function readCpuProfile(text: string): Sampled {
  const { nodes, samples = [], timeDeltas = [] }: Profiler.Profile = JSON.parse(text);
  const times = new Map<number, number>();
  for (const [at, id] of samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[at] ?? 0));
  }
  const known = new Map(nodes.map((node) => [node.id, node]));
  const read = ({ id, callFrame, children = [] }: Profiler.ProfileNode): Sampled => ({
    callFrame,
    self: times.get(id) ?? 0,
    children: children.flatMap((child) => {
      const node = known.get(child);
      return node && node.callFrame.functionName !== '(idle)' ? [read(node)] : [];
    }),
  });
  const [root] = nodes;
  if (root === undefined) throw new Error('A profile is empty.');
  return read(root);
}
