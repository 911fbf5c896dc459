// `npm run measure:loop`: the loop of a model on BCCD, by MCP tools alone against the release:
// damage labels in known ways, train, judge, find mistakes, mend them by a rule, train again.

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Said } from '../bench/measure/said.ts';
import { formatTable } from '../bench/measure/text-table.ts';
import { bccdArchive } from '../test/fixtures/bccd.ts';
import { unzip } from '../test/fixtures/read-zip.ts';
import { type LoopResult, runLoop } from './measure-loop/loop.ts';
import { foundTable, modelTable, rankTable } from './measure-loop/report.ts';
import { releaseToTest } from './release/install.ts';
import { findPython } from './test-reference/find-python.ts';

const usage = `Usage: npm run measure:loop -- [--epochs N] [--image-size N] [--share S] [--write]
  --epochs N      of each of the two trainings (6: some ten minutes each on two cores)
  --image-size N  of the model, in pixels (256)
  --share S       of labels and images that are damaged (0.05)
  --write         puts what is said into docs/benchmarks.md
FOVEA_BCCD names the archive of BCCD.`;

const { values } = parseArgs({
  options: {
    epochs: { type: 'string', default: '6' },
    'image-size': { type: 'string', default: '256' },
    share: { type: 'string', default: '0.05' },
    write: { type: 'boolean', default: false },
  },
});
const python = findPython(['torch', 'torchvision', 'onnx', 'PIL']);
if (existsSync(bccdArchive) && python !== undefined) await measure(python);
else {
  const missing = python === undefined ? 'Python with torch, torchvision and onnx' : bccdArchive;
  process.stderr.write(`There is no ${missing}.\n${usage}\n`);
  process.exitCode = 1;
}

async function measure(withPython: string): Promise<void> {
  const output = new Said();
  const entry = await releaseToTest();
  const dataset = await mkdtemp(join(tmpdir(), 'fovea-loop-'));
  const [epochs, imageSize] = [Number(values.epochs), Number(values['image-size'])];
  const share = Number(values.share);
  try {
    await unzip(bccdArchive, dataset);
    const clean = join(dataset, 'BCCD');
    const options = { entry, clean, share, python: withPython, epochs, imageSize };
    const result = await runLoop(options, (line) => void process.stderr.write(`${line}\n`));
    const damage = `${share * 100} % of labels, and as many images, damaged`;
    output.say(
      `BCCD, ${damage}; two trainings from random weights, ${epochs} epochs, ${imageSize} px`,
    );
    report(output, result);
    if (values.write) output.write('npm run measure:loop');
  } finally {
    await rm(dataset, { recursive: true, force: true });
  }
}

function report(output: Said, result: LoopResult): void {
  for (const table of [foundTable(result), rankTable(result), modelTable(result)]) {
    output.say(`\n${formatTable(table)}`);
  }
  const { better, worse, same } = result.images;
  output.say(
    `\nTest images by errors of the second model, labels as they were: ${better} better, ` +
      `${worse} worse, ${same} as before`,
  );
}
