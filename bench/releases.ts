// `npm run bench:releases`: two installed releases in alternating pairs, each on a data folder of
// its own: start, memory, tokens, uploads, searches. Ends with 1 where the later one is worse.

import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endAll } from './mcp/session.ts';
import { Said } from './measure/said.ts';
import { pairsMin, report, verdictsExplained } from './releases/compare.ts';
import { writeImages } from './releases/labelled-images.ts';
import { measureStarts, measureWork } from './releases/stages.ts';

const usage = `Usage: npm run bench:releases -- --before FILE --after FILE [--pairs N] [--images N]
    [--write]
  --before FILE  dist/fovea.js of the earlier release, as npm run install-release installs it
  --after FILE   that of the later one
  --pairs N      pairs of each measurement (12; ${pairsMin} or more)
  --images N     images among which is searched (10000), imported in so many folders
  --write        puts what is said into docs/benchmarks.md`;

const singleUploads = 50;

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  // A server that runs on would keep this process.
  process.exit(1);
}

async function main(): Promise<number> {
  const { before, after, pairs, images, write } = readArguments();
  if (process.platform !== 'linux') throw new Error('This bench reads /proc: run it on Linux.');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fovea-bench-')));
  process.once('exit', () => {
    endAll();
    rmSync(folder, { recursive: true, force: true });
  });
  const said = new Said();
  const entries = { before, after };
  process.stderr.write('Starts...\n');
  const starts = await measureStarts(entries, folder, pairs);
  process.stderr.write('Uploads and searches...\n');
  const imagesOfEach = Math.ceil(images / pairs);
  const counts = { parts: pairs, imagesOfEach, singleOfEach: singleUploads };
  const work = await measureWork(entries, await writeImages(folder, counts), folder);
  const { table, isWorse } = report([...starts, ...work]);
  const title = `Medians of ${pairs} pairs; searches among ${imagesOfEach * pairs} images`;
  said.say([title, '', table, '', verdictsExplained].join('\n'));
  if (write) said.write('npm run bench:releases');
  return isWorse ? 1 : 0;
}

function readArguments() {
  const { values } = parseArgs({
    options: {
      before: { type: 'string' },
      after: { type: 'string' },
      pairs: { type: 'string', default: '12' },
      images: { type: 'string', default: '10000' },
      write: { type: 'boolean', default: false },
    },
  });
  const [pairs, images] = [Number(values.pairs), Number(values.images)];
  if (!Number.isInteger(pairs) || pairs < pairsMin) {
    throw new Error(`--pairs is a whole number from ${pairsMin} on.\n${usage}`);
  }
  if (!Number.isInteger(images) || images < pairs) {
    throw new Error(`--images is a whole number from the number of pairs on.\n${usage}`);
  }
  const entryOf = (name: 'before' | 'after') => {
    const file = values[name];
    if (file === undefined) throw new Error(`--${name} is missing.\n${usage}`);
    if (!existsSync(file)) throw new Error(`There is no ${file}: name a release with --${name}.`);
    return resolve(file);
  };
  return { before: entryOf('before'), after: entryOf('after'), pairs, images, write: values.write };
}
