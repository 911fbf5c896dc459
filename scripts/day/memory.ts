// What a stdio process takes of memory during the day, a minute after it, and what ten such
// processes on one data folder take together.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { proportionalBytes, usageOfTree } from '../../bench/measure/process-tree.ts';
import { type Fovea, launchFovea } from '../../test/fixtures/fovea.ts';
import { type Day, runDay } from './agent-day.ts';

export interface Sample {
  readonly seconds: number;
  readonly residentBytes: number;
}

export interface DayMemory {
  /** One each second, from the start to a minute after the work. */
  readonly samples: readonly Sample[];
  /** When each tool had answered for the first time. */
  readonly steps: readonly { readonly tool: string; readonly seconds: number }[];
  readonly workSeconds: number;
  readonly peakBytes: number;
  readonly endBytes: number;
  readonly afterBytes: number;
  /** Of ten processes together, each a minute after its last work. */
  readonly tenBytes: number;
}

const sampleMs = 1_000;
const restMs = 60_000;
const processes = 10;

/** Of the Fovea whose script is `entry`. Throws as the day does. */
export async function measureDayMemory(
  archive: string,
  entry: string,
  say: (line: string) => void,
): Promise<DayMemory> {
  const samples: Sample[] = [];
  const steps = new Map<string, number>();
  const started = performance.now();
  const now = () => (performance.now() - started) / 1_000;
  const listen = (line: string) => {
    const [tool = ''] = line.split(':');
    if (!steps.has(tool)) steps.set(tool, now());
    say(line);
  };
  let measured: Omit<DayMemory, 'samples' | 'steps'> | undefined;
  await runDay(archive, listen, {
    entry,
    around: async (day, work) => {
      const resident = () => usageOfTree(day.fovea.pid).residentBytes;
      const look = () => samples.push({ seconds: now(), residentBytes: resident() });
      const sampling = setInterval(look, sampleMs);
      try {
        await work();
        const workSeconds = now();
        const endBytes = resident();
        await sleep(restMs);
        const afterBytes = resident();
        clearInterval(sampling);
        // Of the samples: the process of the threads has ended meanwhile.
        const peakBytes = Math.max(endBytes, ...samples.map(({ residentBytes }) => residentBytes));
        const tenBytes = await measureTen(day, entry);
        measured = { workSeconds, peakBytes, endBytes, afterBytes, tenBytes };
      } finally {
        clearInterval(sampling);
      }
    },
  });
  if (measured === undefined) throw new Error('Nothing was measured.');
  const all = [...steps].map(([tool, seconds]) => ({ tool, seconds }));
  return { samples, steps: all, ...measured };
}

/** The one of the day and others, which start one after another and work on its data. */
async function measureTen(day: Day, entry: string): Promise<number> {
  const others: Fovea[] = [];
  try {
    while (others.length < processes - 1) {
      const settings = { FOVEA_HOME: day.fovea.home, FOVEA_FILE_ROOTS: day.dataset };
      const other = await launchFovea(settings, { entry });
      others.push(other);
      await workALittle(other);
    }
    await sleep(restMs);
    const pids = [day.fovea, ...others].map(({ pid }) => pid);
    return pids.reduce((sum, pid) => sum + proportionalBytes(pid), 0);
  } finally {
    await Promise.all(others.map((other) => other.close()));
  }
}

/** With the platform, its threads for images and for searches, and the Event Store. */
async function workALittle(fovea: Fovea): Promise<void> {
  const query = 'class:Platelets sort:class:Platelets-desc';
  await fovea.ok('workspace_search', { query, fields: ['name', 'annotations'] });
  await fovea.ok('versions_preview', {
    project: 'bccd',
    preprocessing: { resize: { width: 320, height: 240, format: 'Stretch to' } },
    augmentation: { flip: { horizontal: true } },
  });
  await fovea.ok('vision_events_create', {
    eventId: randomUUID(),
    eventType: 'quality_check',
    useCaseId: 'slides',
    timestamp: new Date().toISOString(),
    eventData: { result: 'pass' },
  });
}
