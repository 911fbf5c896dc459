// `npm run bench:versions`: how many images of a version Fovea makes per second and core, beside
// OpenCV in the same run, by the engine alone and stored through the platform, and whether its
// memory stays flat. Ends with 1 where it falls short.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseToTest } from '../scripts/release/install.ts';
import { Said } from './measure/said.ts';
import { type Contender, findContenders } from './versions/contenders.ts';
import { findImages, type Images } from './versions/images.ts';
import { measurePeak, type Peak } from './versions/memory.ts';
import { formatMeasured, judge, judgePeaks, type Measured } from './versions/report.ts';
import { type Answer, settings } from './versions/request.ts';
import { prepareProject } from './versions/stored-version.ts';

const usage = `Usage: npm run bench:versions -- [--images N] [--repeats R] [--memory N]
    [--server FILE] [--write]
  --images N   source images of the job (all of BCCD: 364)
  --repeats R  measured runs of each contender, after one warm-up (5)
  --memory N   images of the version whose memory is compared with that of 300 (3000); 30000 takes
               ten minutes and 4 GB of the disk, 0 leaves it out
  --server FILE  store with this fovea in place of the built and installed one
  --write      put what is said into docs/benchmarks.md`;

/** Of the version whose memory is the measure. */
const peakImages = 300;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { images: countMax, repeats, memory, server, write } = readArguments();
  if (process.platform !== 'linux') throw new Error('This bench reads /proc: run it on Linux.');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fovea-bench-')));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const images = await findImages(folder, countMax);
  const stored = join(folder, 'stored');
  mkdirSync(stored);
  const entry = server ?? (await releaseToTest());
  const contenders = findContenders(entry, stored);
  const output = new Said();
  process.stderr.write('The images are uploaded...\n');
  await prepareProject(entry, stored, images);
  const measured = await measure(contenders, images, repeats);
  const peaks: Peak[] = [];
  for (const count of memory > 0 ? [peakImages, memory] : []) {
    process.stderr.write(`A version of ${count} images through the platform...\n`);
    peaks.push(await measurePeak(entry, folder, images.train, count));
  }
  const [speed, peak] = [judge(measured), judgePeaks(peaks)];
  const short = [...speed.short, ...peak.short];
  if (contenders.length === 1) {
    short.push('DID NOT RUN: OpenCV; Debian and Ubuntu have python3-opencv and python3-pil.');
  }
  const title = [describeVersions(measured), describeJob(images, repeats)];
  const lines = [...title, '', formatMeasured(measured), '', ...speed.said, ...peak.said, ...short];
  output.say(lines.join('\n'));
  if (write) output.write('npm run bench:versions');
  return short.length === 0 ? 0 : 1;
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      images: { type: 'string', default: '364' },
      repeats: { type: 'string', default: '5' },
      memory: { type: 'string', default: '3000' },
      server: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const [images, repeats, memory] = [values.images, values.repeats, values.memory].map(Number);
  if (!isCount(images, 1) || !isCount(repeats, 1) || !isCount(memory, 0)) {
    throw new Error(`All of these are whole numbers; only --memory may be 0.\n${usage}`);
  }
  return { images, repeats, memory, server: values.server, write: values.write };
}

function isCount(value: number | undefined, least: number): value is number {
  return Number.isInteger(value) && Number(value) >= least;
}

/** One warm-up each, then round robin: what the machine does meanwhile hits all alike. */
async function measure(
  contenders: readonly Contender[],
  images: Images,
  repeats: number,
): Promise<readonly Measured[]> {
  const { train, others } = images;
  const measured = contenders.map((contender) => ({ contender, ...noRuns() }));
  const request = { ...settings, processes: 1, images: 300, train, others } as const;
  for (const contender of contenders) await contender.ask({ ...request, task: 'job' });
  const kinds = [
    ['job', { ...request, task: 'job' }],
    ['derive', { ...request, task: 'derive' }],
    ['limit', { ...request, task: 'limit' }],
    ['jobOnAllCores', { ...request, task: 'job', processes: availableParallelism() }],
  ] as const;
  for (let repeat = 1; repeat <= repeats; repeat++) {
    process.stderr.write(`Round ${repeat} of ${repeats}...\n`);
    for (const [kind, asked] of kinds) {
      for (const one of measured) one[kind].push(await one.contender.ask(asked));
    }
    for (const one of measured) one.stored.push(await one.contender.store(images));
  }
  return measured;
}

function noRuns(): Record<'job' | 'jobOnAllCores' | 'stored' | 'derive' | 'limit', Answer[]> {
  return { job: [], jobOnAllCores: [], stored: [], derive: [], limit: [] };
}

function describeVersions(measured: readonly Measured[]): string {
  const versions = new Set(measured.flatMap(({ job }) => job[0]?.versions ?? []));
  return `${[...versions].join(', ')}; median (range) of runs`;
}

function describeJob({ said, train, others }: Images, repeats: number): string {
  const made = train.length * settings.augmentation.image.versions + others.length;
  const counts = `${train.length} train and ${others.length} other images`;
  return `${said}: ${counts}, ${made} of 640 x 640 from them; ${repeats} runs of each kind`;
}
