// `npm run profile -- start|import|version|event [--seconds N] [--out FOLDER]`: where time goes and
// what is allocated, in all threads of the built release. Prints the places with most, and leaves
// flame graphs (HTML) and the files of V8, which DevTools opens. Runs the work twice: with both at
// once, each would measure the other.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildRelease } from './build/build-release.ts';
import { flameGraphPage } from './profile/flame-graph.ts';
import { type Measure, measures } from './profile/measures.ts';
import { createLocate } from './profile/source-places.ts';
import { summarize } from './profile/summary.ts';
import { readThreads } from './profile/threads.ts';
import { type Workbench, workloads } from './profile/workloads.ts';

const root = join(import.meta.dirname, '..');
const names = Object.keys(workloads);

const { values, positionals } = parseArgs({
  options: {
    /** How long the work goes on, in each of the two runs. */
    seconds: { type: 'string', default: '10' },
    /** Where the files go; what is there of a profile before is removed. */
    out: { type: 'string' },
  },
  allowPositionals: true,
});
const [name = ''] = positionals;
const seconds = Number(values.seconds);
if (isWorkload(name) && seconds > 0)
  await profile(name, resolve(values.out ?? join('profile', name)));
else {
  process.stderr.write(`npm run profile -- ${names.join('|')} [--seconds N] [--out FOLDER]\n`);
  process.exitCode = 2;
}

function isWorkload(word: string): word is keyof typeof workloads {
  return names.includes(word);
}

async function profile(workload: keyof typeof workloads, out: string): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fovea-profile-')));
  try {
    const dist = join(folder, 'dist');
    await buildRelease(dist, { compression: 'quick', sourceMaps: true });
    for (const measure of measures) {
      const work = join(folder, measure.name);
      const raw = join(out, measure.name);
      for (const each of [work, raw]) {
        rmSync(each, { recursive: true, force: true });
        mkdirSync(each, { recursive: true });
      }
      const done = await workloads[workload](workbench(measure, join(dist, 'fovea.js'), work, raw));
      await report(measure, `${workload}: ${done}`, out);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function workbench(measure: Measure, entry: string, folder: string, raw: string): Workbench {
  const environment = { FOVEA_TOOL_PROFILE: 'full', PROFILE_FOLDER: raw };
  const plain = { entry, nodeFlags: [], folder, environment };
  return { folder, seconds, plain, profiled: { ...plain, nodeFlags: measure.nodeFlags(raw) } };
}

async function report(measure: Measure, done: string, out: string): Promise<void> {
  const threads = readThreads(measure, join(out, measure.name), createLocate(root));
  const page = join(out, `${measure.name}.html`);
  writeFileSync(page, await flameGraphPage(`${measure.title}. ${done}`, threads, measure));
  process.stdout.write(`${done}\n\n${summarize(threads, measure)}\n\nFlame graph: ${page}\n\n`);
}
