// `npm run faults:event-store`: kills the Event Store, cuts its power, fills its disk and lets its
// calls fail, and holds what is there against what it acknowledged. Ends with 1 where something is
// lost, torn or stray, or a control loses nothing, with 2 where a trial could not run.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultNames, tryFailingCalls } from './faults-event-store/failing-system-calls.ts';
import { type FullDisk, tryFullDisk } from './faults-event-store/full-disk.ts';
import { indexDamages, tryIndexFault } from './faults-event-store/index-faults.ts';
import {
  type FileSystem,
  installTools,
  isRoot,
  restoreMachines,
  type Tool,
} from './faults-event-store/linux-disks.ts';
import { flood, type Loaded, mixed } from './faults-event-store/loads.ts';
import { tryPowerCuts } from './faults-event-store/power-cut.ts';
import { formatTable, type PlatformWithAccounts, problemsOf } from './faults-event-store/report.ts';
import { trySigkill } from './faults-event-store/sigkill.ts';
import { killStores } from './faults-event-store/trial.ts';
import { type Corners, tryControl } from './faults-event-store/unsafe-control.ts';

const { values } = parseArgs({
  options: {
    /** Of SIGKILL. */
    rounds: { type: 'string', default: '200' },
    /** Of power, on each file system. */
    cuts: { type: 'string', default: '10' },
    /** Milliseconds that calls fail, and that a disk is full. */
    'fault-ms': { type: 'string', default: '5000' },
    /** Trials whose names contain this text. */
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const cuts = Number(values.cuts);
const faultMs = Number(values['fault-ms']);

interface Planned {
  readonly name: string;
  readonly isControl?: boolean;
  /** A process of root can run it, where these are there. */
  readonly needs?: readonly Tool[];
  run(folder: string): Promise<PlatformWithAccounts>;
}

/** A library that overrides the syncs of the process that loads it. */
const noSyncs = 'libeatmydata.so';

const fileSystems: readonly FileSystem[] = ['ext4', 'xfs', 'btrfs'];

const corners: readonly Corners[] = [
  { fileSystem: 'ext4', synchronous: 'NORMAL', syncsFiles: true },
  { fileSystem: 'ext4', synchronous: 'FULL', syncsFiles: false },
  { fileSystem: 'xfs', synchronous: 'NORMAL', syncsFiles: true },
];

const fullDisks: readonly Omit<FullDisk, 'fullMs'>[] = [
  { disk: 'tmpfs', megabytes: 192, isOffline: false },
  { disk: 'tmpfs', megabytes: 192, isOffline: true },
  { disk: 'ext4', megabytes: 192, isOffline: false },
];

const plan: readonly Planned[] = [
  { name: 'sigkill', run: (folder) => kill(folder, mixed, rounds) },
  // Each has as many acknowledged writes as thirty of the others.
  { name: 'sigkill, flood', run: (folder) => kill(folder, flood, Math.ceil(rounds / 5)) },
  ...fileSystems.map((fileSystem) => ({
    name: `power cut ${fileSystem}`,
    needs: toolsFor(fileSystem),
    run: (folder: string) => tryPowerCuts(folder, { fileSystem, cuts }),
  })),
  {
    name: 'power cut ext4, flood',
    needs: toolsFor('ext4'),
    run: (folder) => tryPowerCuts(folder, { fileSystem: 'ext4', cuts, load: flood }),
  },
  {
    name: 'power cut control, no syncs',
    isControl: true,
    needs: ['mkfs.ext4', 'eatmydata'],
    run: (folder) => tryPowerCuts(folder, { fileSystem: 'ext4', cuts: 2, preload: noSyncs }),
  },
  ...corners.map((corner) => ({
    name: `power cut control, ${corner.fileSystem}`,
    isControl: true,
    needs: toolsFor(corner.fileSystem),
    run: (folder: string) => tryControl(folder, corner),
  })),
  ...indexDamages.map(({ name, isForRoot }) => ({
    name: `index ${name}`,
    ...(isForRoot && { needs: [] }),
    run: (folder: string) =>
      tryIndexFault(folder, { data: join(folder, 'data'), name, times: 3, acknowledged: 3_000 }),
  })),
  ...fullDisks.map((options) => ({
    name: `full disk ${options.disk}`,
    needs: toolsFor('ext4'),
    run: (folder: string) => tryFullDisk(folder, { ...options, fullMs: faultMs }),
  })),
  ...faultNames.map((name) => ({
    name: `failing calls ${name}`,
    needs: ['fiu-ctrl'] as const,
    run: (folder: string) => tryFailingCalls(folder, name, faultMs),
  })),
];

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killStores();
    void restoreMachines().finally(() => process.exit(1));
  });
}
process.exitCode = await main();
// The load of a trial that broke off would go on for ever.
killStores();
setTimeout(() => process.exit(), 1_000).unref();

async function main(): Promise<number> {
  const chosen = plan.filter(({ name }) => name.includes(values.only));
  const missing = isRoot ? await installTools(say) : new Set<Tool>();
  const results: PlatformWithAccounts[] = [];
  const notRun: string[] = [];
  for (const trial of chosen) {
    const reason = reasonAgainst(trial, missing);
    if (reason === undefined) {
      const result = await runTrial(trial);
      results.push(result);
      // All of them take hours: what ends is said at once.
      say([formatTable([result]), ...problemsIn([result])].join('\n'));
    } else notRun.push(`${trial.name}: ${reason}`);
  }
  const problems = problemsIn(results);
  say(['', formatTable(results), '', ...problems].join('\n'));
  for (const line of notRun) say(`NOT RUN ${line}`);
  if (problems.length > 0) return 1;
  return notRun.length > 0 || results.length === 0 ? 2 : 0;
}

function problemsIn(results: readonly PlatformWithAccounts[]): string[] {
  return results.flatMap((result) =>
    problemsOf(result).map((problem) => `${result.name}: ${problem}`),
  );
}

async function runTrial(trial: Planned): Promise<PlatformWithAccounts> {
  say(trial.name);
  const folder = await mkdtemp(join(tmpdir(), 'fovea-faults-'));
  await mkdir(join(folder, 'data'));
  try {
    return { ...(await trial.run(folder)), isControl: trial.isControl ?? false };
  } catch (thrown) {
    const findings = { lost: [], torn: [], ghosts: [], stray: [] };
    const failures = [thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)];
    return { name: trial.name, acknowledged: 0, findings, wrongAnswers: [], note: '', failures };
  } finally {
    // One that cannot be removed ends no other trial.
    await rm(folder, { recursive: true, force: true }).catch((error) => say(`  ${error.message}`));
  }
}

function reasonAgainst({ needs }: Planned, missing: ReadonlySet<Tool>): string | undefined {
  if (needs === undefined) return undefined;
  if (!isRoot) return 'it needs root, to mount disks';
  const absent = needs.filter((tool) => missing.has(tool));
  return absent.length > 0 ? `${absent.join(', ')} could not be installed` : undefined;
}

function kill(folder: string, load: Loaded, times: number): Promise<PlatformWithAccounts> {
  return trySigkill({ data: join(folder, 'data'), rounds: times, load }, say);
}

function toolsFor(fileSystem: FileSystem): readonly Tool[] {
  return [`mkfs.${fileSystem}`];
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
