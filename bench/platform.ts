// `npm run bench:platform`: uploads, searches and a rebalance of the platform, beside plain file
// copies, plain SQL and another product's tables on the same rows. Ends with 1 where a search takes
// too long.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Said } from './measure/said.ts';
import { formatTable, median } from './measure/text-table.ts';
import type { TimedKind } from './platform/query-kinds.ts';
import type { Filling, Moving, Searching, Uploading } from './platform/stages.ts';
import { fill, find, rebalance, type StageInput, upload } from './platform/stages.ts';

const stages = ['upload', 'search', 'rebalance'] as const;
type Stage = (typeof stages)[number];

const usage = `Usage: npm run bench:platform -- [--only PART,PART] [--sizes N,N] [--runs R]
    [--photos N] [--moves N] [--keep FOLDER] [--write]
  --only STAGES some of ${stages.join(', ')} (all)
  --sizes N,N    images among which is searched (10000,1000000)
  --runs R       runs of each search (9)
  --photos N     photos that are uploaded (1000)
  --moves N      images that are rebalanced (100000)
  --keep FOLDER  keeps what was filled there, and takes what lies there from before
  --write        puts what is said into docs/benchmarks.md
The stage "search" alone with a million images takes some four minutes, nearly all to fill.`;

/** A search among any number of images: most of them, and the slowest. */
const usualMsMax = 50;
const slowestMsMax = 100;
/** CPU time of a query of any kind, and of each condition of one with very many. */
const kindCpuMsMax = 60;
const kindsShown = 15;

const stageFunctions = { fill, find, rebalance, upload };
type StageFunction = keyof typeof stageFunctions;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
try {
  const [name, input] = process.argv.slice(2);
  if (name?.startsWith('stage:')) await runStage(name.slice(6), input ?? '{}');
  else process.exitCode = main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

/** In the process of a stage: its result, and the most memory that it had, as JSON. */
async function runStage(name: string, input: string): Promise<void> {
  if (!isStageFunction(name)) throw new Error(`there is no stage ${name}`);
  const result = await stageFunctions[name](JSON.parse(input));
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  process.stdout.write(JSON.stringify({ result, peakBytes }));
}

function isStageFunction(name: string): name is StageFunction {
  return name in stageFunctions;
}

interface Measured<Result> {
  readonly result: Result;
  readonly peakBytes: number;
}

/** Results are our own JSON, which our own process wrote. */
function inProcess<Result>(name: StageFunction, input: StageInput): Measured<Result> {
  const { status, stdout } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), `stage:${name}`, JSON.stringify(input)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`the stage ${name} ended with ${status}`);
  return JSON.parse(stdout);
}

function main(): number {
  const { only, sizes, runs, photos, moves, keep, write } = readArguments();
  const folder = keep ?? realpathSync(mkdtempSync(join(tmpdir(), 'fovea-bench-')));
  if (keep === undefined) {
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  let isShort = false;
  const say = (stage: Stage, measure: () => StageReport) => {
    const output = new Said();
    const { said, fallsShort } = measure();
    output.say(['', ...said, ...fallsShort, ''].join('\n'));
    isShort ||= fallsShort.length > 0;
    if (write) output.write(`npm run bench:platform -- --only ${stage}`);
  };
  if (only.includes('upload')) say('upload', () => measureUpload(join(folder, 'upload'), photos));
  if (only.includes('search')) say('search', () => measureSearches(folder, sizes, runs));
  if (only.includes('rebalance')) {
    say('rebalance', () => measureRebalance(join(folder, `rebalance-${moves}`), moves));
  }
  return isShort ? 1 : 0;
}

interface StageReport {
  readonly said: readonly string[];
  readonly fallsShort: readonly string[];
}

function measureSearches(folder: string, sizes: readonly number[], runs: number): StageReport {
  const reports = sizes.map((size) => measureSearch(join(folder, `${size}`), size, runs));
  return {
    said: reports.flatMap(({ said }, at) => (at === 0 ? said : ['', ...said])),
    fallsShort: reports.flatMap(({ fallsShort }) => fallsShort),
  };
}

function measureUpload(folder: string, photos: number): StageReport {
  process.stderr.write(`Uploading ${photos} photos...\n`);
  const { result, peakBytes } = inProcess<Uploading>('upload', { folder, images: photos, runs: 1 });
  const { uploadMs, copyMs, bytes } = result;
  const perSecond = (ms: number) => ((photos * 1000) / ms).toFixed(0);
  const said = [
    `Uploads of ${photos} photos of ${(bytes / photos / 1024).toFixed(0)} KB, four at a time: ` +
      `${perSecond(uploadMs)}/s, on the disk and in the index before each answer`,
    `  plain files, written and synced: ${perSecond(copyMs)}/s; peak memory ${mib(peakBytes)}`,
  ];
  return { said, fallsShort: [] };
}

function measureSearch(folder: string, size: number, runs: number): StageReport {
  process.stderr.write(`Searching among ${size} images...\n`);
  const filled = fillOnce(folder, size);
  const input = { folder, images: size, runs };
  const { result, peakBytes } = inProcess<Searching>('find', input);
  const all = result.timed.flatMap(({ ms }) => ms).toSorted((a, b) => a - b);
  const usual = all[Math.floor(all.length * 0.95)] ?? Number.NaN;
  const slowest = all.at(-1) ?? Number.NaN;
  const rows = result.timed.map(({ query, found, ms, sqlMs, peerMs }) => [
    query,
    String(found),
    median(ms).toFixed(1),
    Math.max(...ms).toFixed(1),
    ...[sqlMs, peerMs].map((all) => (all.length === 0 ? '-' : median(all).toFixed(1))),
  ]);
  const header = ['query', 'found', 'median ms', 'worst ms', 'plain SQL ms', 'Label Studio ms'];
  const said = [
    `Among ${size} images (${filled}), each with its exact total and 50 images:`,
    formatTable([header, ...rows]),
    "Label Studio: its storage model in SQLite (a task's JSON, an annotation's JSON), not its server",
    `median ${median(all).toFixed(1)} ms, 95 % within ${usual.toFixed(1)} ms, worst ` +
      `${slowest.toFixed(1)} ms; likeness ${median(result.similarityMs).toFixed(1)} ms ` +
      `(worst ${Math.max(...result.similarityMs).toFixed(1)}); peak memory ${mib(peakBytes)}, SQL included`,
    '',
    ...tellKinds(result.kinds),
  ];
  const fallsShort = [
    ...(usual > usualMsMax ? [`FALLS SHORT: ${size} images, 95 % above ${usualMsMax} ms`] : []),
    ...(slowest > slowestMsMax
      ? [`FALLS SHORT: ${size} images, worst above ${slowestMsMax} ms`]
      : []),
    ...result.kinds
      .filter((kind) => cpuOf(kind) > kindCpuMsMax)
      .map((kind) => `FALLS SHORT: ${size} images, ${kind.name}: ${cpuOf(kind).toFixed(0)} ms`),
  ];
  return { said, fallsShort };
}

/** The slowest of all kinds of queries. */
function tellKinds(kinds: readonly TimedKind[]): readonly string[] {
  const rows = kinds
    .toSorted((a, b) => cpuOf(b) - cpuOf(a))
    .slice(0, kindsShown)
    .map((kind) => [
      kind.name,
      String(kind.found),
      cpuOf(kind).toFixed(1),
      kind.conditions === 1 ? '' : median(kind.cpuMs).toFixed(0),
      Math.max(...kind.ms).toFixed(1),
    ]);
  const header = ['query', 'found', 'CPU ms a condition', 'of all', 'worst ms'];
  return [
    `The slowest of ${kinds.length} kinds of queries, by the median of their CPU time:`,
    formatTable([header, ...rows]),
  ];
}

function cpuOf({ cpuMs, conditions }: TimedKind): number {
  return median(cpuMs) / conditions;
}

function measureRebalance(folder: string, images: number): StageReport {
  process.stderr.write(`Rebalancing ${images} images...\n`);
  // Three quarters of all images are in the project.
  fillOnce(folder, Math.ceil(images / 0.75));
  const { result, peakBytes } = inProcess<Moving>('rebalance', { folder, images, runs: 1 });
  const said = [
    `Rebalance of ${images} images, as a task over HTTP: ${(result.ms / 1000).toFixed(2)} s, ` +
      `${result.moved} moved; peak memory ${mib(peakBytes)}`,
    `  one plain UPDATE of the splits of as many rows: ${(result.sqlMs / 1000).toFixed(2)} s; ` +
      'it keeps no index, says no progress and holds the lock throughout',
  ];
  return { said, fallsShort: [] };
}

function fillOnce(folder: string, images: number): string {
  const { result } = inProcess<Filling>('fill', { folder, images, runs: 1 });
  const { rowsMs, indexMs, indexCpuMs } = result;
  if (rowsMs === 0) return 'filled before';
  const perSecond = (ms: number) => ((images * 1000) / ms).toFixed(0);
  return `indexed at ${perSecond(indexMs)}/s, at ${perSecond(indexCpuMs)}/s of CPU time`;
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: stages.join(',') },
      sizes: { type: 'string', default: '10000,1000000' },
      runs: { type: 'string', default: '9' },
      photos: { type: 'string', default: '1000' },
      moves: { type: 'string', default: '100000' },
      keep: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const only = values.only
    .split(',')
    .filter((name): name is Stage => stages.some((p) => p === name));
  const sizes = values.sizes.split(',').map(Number);
  const [runs = 0, photos = 0, moves = 0] = [values.runs, values.photos, values.moves].map(Number);
  const counts = [...sizes, runs, photos, moves];
  if (only.length === 0 || counts.some((count) => !Number.isInteger(count) || count < 1)) {
    throw new Error(usage);
  }
  return { only, sizes, runs, photos, moves, keep: values.keep, write: values.write };
}
