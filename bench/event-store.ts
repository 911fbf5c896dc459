// `npm run bench:event-store`: durable events, memory, uploads and pages of the Event Store, beside
// FastAPI with SQLite, PostgreSQL and the disk in the same run. Ends with 1 where it falls short.

import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  besideOurs,
  type Contender,
  fastApi,
  findOurs,
  postgres,
  rawPipe,
} from './event-store/contenders.ts';
import { refuseMemory } from './event-store/disk-sync.ts';
import { measureDurable } from './event-store/durable-writes.ts';
import { measureMemory } from './event-store/memory.ts';
import { installPackages } from './event-store/packages.ts';
import { measurePages } from './event-store/pages.ts';
import {
  formatDurable,
  formatPages,
  formatUploads,
  judgeDurable,
  judgeMemory,
  judgePages,
  judgeUploads,
  type Verdict,
} from './event-store/report.ts';
import { endAll } from './event-store/service.ts';
import { measureUploads } from './event-store/upload.ts';
import { Said } from './measure/said.ts';

const parts = ['durable', 'images', 'memory', 'upload', 'pages'] as const;
type Part = (typeof parts)[number];

const usage = `Usage: npm run bench:event-store -- [--seconds N] [--repeats R] [--sizes N,N,N]
    [--only PART,PART] [--server FILE] [--beside FILE] [--write]
  --seconds N    measured seconds of each load, after four to warm up (8)
  --repeats R    rounds, every contender once in each (5)
  --sizes N,N,N  events in the store whose pages are measured (100000,1000000,10000000)
  --only PARTS   some of ${parts.join(', ')}
  --server FILE  measure this fovea in place of the built one
  --beside FILE  another fovea, for example of an earlier release, in the rounds of durable events
  --write        put what is said into docs/benchmarks.md`;

interface Settings {
  readonly seconds: number;
  readonly repeats: number;
  readonly sizes: readonly number[];
  readonly only: readonly Part[];
  readonly server: string | undefined;
  readonly beside: string | undefined;
  readonly write: boolean;
}

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const settings = readArguments();
  if (process.platform !== 'linux') throw new Error('This bench reads /proc: run it on Linux.');
  installPackages();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fovea-bench-')));
  // PostgreSQL runs as a user of its own and must reach its folder in it.
  chmodSync(folder, 0o711);
  process.once('exit', () => {
    endAll();
    rmSync(folder, { recursive: true, force: true });
  });
  refuseMemory(folder);
  const ours = findOurs(settings.server);
  let isShort = false;
  for (const part of settings.only) {
    const output = new Said();
    const { table, verdict } = await measure(part, ours, folder, settings);
    output.say(['', ...table, ...verdict.said, ...verdict.short, ''].join('\n'));
    isShort ||= verdict.short.length > 0;
    if (settings.write) output.write(`npm run bench:event-store -- --only ${part}`);
  }
  return isShort ? 1 : 0;
}

interface PartReport {
  readonly table: readonly string[];
  readonly verdict: Verdict;
}

async function measure(
  part: Part,
  ours: Contender,
  folder: string,
  settings: Settings,
): Promise<PartReport> {
  const { repeats, seconds } = settings;
  if (part === 'memory') {
    return { table: [], verdict: judgeMemory(await measureMemory(ours, folder, settings)) };
  }
  if (part === 'upload') {
    const results = await measureUploads([ours, rawPipe, fastApi], folder, repeats);
    const table = [`Median (range) of ${repeats} rounds`, formatUploads(results), ''];
    return { table, verdict: judgeUploads(results) };
  }
  if (part === 'pages') {
    const measured = await measurePages(ours, folder, settings.sizes);
    return { table: [formatPages(measured.results), ''], verdict: judgePages(measured) };
  }
  const kind = part === 'durable' ? 'small' : 'images';
  const beside = settings.beside === undefined ? [] : [besideOurs(settings.beside)];
  const contenders = [ours, ...beside, fastApi, postgres];
  const result = await measureDurable(kind, contenders, folder, settings);
  const title = `Median (range) of ${repeats} rounds of ${seconds} s`;
  return { table: [title, formatDurable(result), ''], verdict: judgeDurable(result) };
}

function readArguments(): Settings {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '8' },
      repeats: { type: 'string', default: '5' },
      sizes: { type: 'string', default: '100000,1000000,10000000' },
      only: { type: 'string', default: parts.join() },
      server: { type: 'string' },
      beside: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [seconds = 0, repeats = 0] = [values.seconds, values.repeats].map(Number);
  const sizes = values.sizes.split(',').map(Number);
  for (const count of [seconds, repeats, ...sizes]) {
    if (!Number.isInteger(count) || count < 1) {
      throw new Error(`--seconds, --repeats and --sizes are whole numbers from 1 on.\n${usage}`);
    }
  }
  const names = values.only.split(',');
  const only = parts.filter((part) => names.includes(part));
  if (only.length !== names.length) throw new Error(`--only takes ${parts.join(', ')}.\n${usage}`);
  const { server, beside, write } = values;
  return { seconds, repeats, sizes: sizes.toSorted((a, b) => a - b), only, server, beside, write };
}
