// `npm run bench:import`: a folder of labelled images, imported by the installed release over MCP
// and by a Python script, and copied plainly. Ends with 1 where Fovea falls short.

import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseToTest } from '../scripts/release/install.ts';
import { bccdArchive } from '../test/fixtures/bccd.ts';
import { unzip } from '../test/fixtures/read-zip.ts';
import {
  type Contender,
  fovea,
  type Imported,
  type LabelledFolder,
  plainCopy,
  pythonScript,
} from './import/contenders.ts';
import { Said } from './measure/said.ts';
import { formatRange, formatTable, median } from './measure/text-table.ts';

const usage = `Usage: npm run bench:import -- [--rounds R] [--archive FILE] [--server FILE] [--write]
  --rounds R      each contender once in each (5)
  --archive FILE  the archive of BCCD (FOVEA_BCCD, else beside the checkout)
  --server FILE   measure this fovea in place of the built one
  --write         put what is said into docs/benchmarks.md`;

/** Of what a careful Python script takes. */
const scriptRatioMax = 1.5;

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { rounds, archive, server, write } = readArguments();
  if (!existsSync(archive)) throw new Error(`There is no ${archive}: name the archive of BCCD.`);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fovea-bench-')));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const data = await unpack(archive, folder);
  const ours = fovea(server ?? (await releaseToTest()));
  const script = pythonScript();
  const contenders = [ours, script, plainCopy];
  const said = new Said();
  const measured = new Map<Contender, Imported[]>(contenders.map((one) => [one, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const into = join(folder, `${round}-${contenders.indexOf(contender)}`);
      measured.get(contender)?.push(await contender.run(data, into));
      rmSync(into, { recursive: true, force: true });
    }
  }
  said.say(`Median (range) of ${rounds} rounds\n\n${table(measured)}\n`);
  const { lines, isShort } = judge(
    ratios(measured, ours, plainCopy),
    ratios(measured, ours, script),
    measured.get(ours),
  );
  for (const line of lines) said.say(line);
  if (write) said.write('npm run bench:import');
  return isShort ? 1 : 0;
}

/** Its images and annotations, beside each other. */
async function unpack(archive: string, folder: string): Promise<LabelledFolder> {
  const dataset = join(folder, 'dataset');
  mkdirSync(dataset);
  await unzip(archive, dataset);
  const root = ['BCCD', 'bccd', '.'].find((name) => existsSync(join(dataset, name, 'JPEGImages')));
  if (root === undefined) throw new Error(`${archive} has no folder JPEGImages.`);
  return {
    images: join(dataset, root, 'JPEGImages'),
    annotations: join(dataset, root, 'Annotations'),
  };
}

function table(measured: ReadonlyMap<Contender, readonly Imported[]>): string {
  const rows = [...measured].map(([{ name }, runs]) => {
    const [first] = runs;
    const peaks = runs.flatMap(({ peakBytes }) => (peakBytes ? [peakBytes / 1_000_000] : []));
    return [
      name,
      `${first?.images}`,
      `${first?.boxes}`,
      formatRange(
        runs.map(({ ms }) => ms / 1000),
        2,
      ),
      formatRange(runs.map(({ ms, images }) => (images / ms) * 1000)),
      Number.isNaN(first?.cpuMs)
        ? ''
        : formatRange(
            runs.map(({ cpuMs }) => cpuMs / 1000),
            2,
          ),
      peaks.length > 0 ? formatRange(peaks) : '',
    ];
  });
  const header = ['', 'images', 'boxes', 'seconds', 'images/s', 'CPU s', 'peak MB'];
  return formatTable([header, ...rows]);
}

/** Of the time of a peer, round by round. */
function ratios(
  measured: ReadonlyMap<Contender, readonly Imported[]>,
  ours: Contender,
  peer: Contender,
): readonly number[] {
  const runs = measured.get(ours) ?? [];
  return (measured.get(peer) ?? []).map(({ ms }, at) => (runs[at]?.ms ?? Number.NaN) / ms);
}

function judge(
  toCopy: readonly number[],
  toScript: readonly number[],
  runs: readonly Imported[] = [],
): { lines: readonly string[]; isShort: boolean } {
  const isWhole = runs.every(({ images, boxes }) => images === 364 && boxes === 4888);
  const isSlow = !(median(toScript) <= scriptRatioMax);
  const lines = [
    `The time of the plain copy:   ${formatRange(toCopy, 2)} x`,
    `The time of the script:       ${formatRange(toScript, 2)} x, at most ${scriptRatioMax}`,
    ...(isWhole ? [] : ['WRONG: BCCD has 364 images and 4,888 boxes.']),
    ...(isSlow ? ['TOO SLOW.'] : []),
  ];
  return { lines, isShort: !isWhole || isSlow };
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      archive: { type: 'string', default: bccdArchive },
      server: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(usage);
  return { ...values, rounds };
}
