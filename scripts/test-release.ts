// `npm run test:release`: builds, packs and installs the release as users do, unless
// FOVEA_TEST_ENTRY names one that is installed, and runs the tests that launch Fovea against it,
// under the Node of development and then under the oldest one that is promised. `--node 24` or
// `--node 22.16` takes one of them, `--reports FOLDER` keeps what vitest reports, and all other
// words go to vitest.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { oldestNode } from './mcpb/tools.ts';
import { releaseToTest } from './release/install.ts';
import { testsOfRelease } from './release/totals.ts';

/** Undefined: that of development. */
const nodes = { '24': () => undefined, '22.16': oldestNode } as const;

const { values, positionals } = parseArgs({
  options: { node: { type: 'string' }, reports: { type: 'string' } },
  allowPositionals: true,
});
const chosen = Object.entries(nodes).filter(([name]) => name === (values.node ?? name));
if (chosen.length === 0) throw new Error(`--node takes ${Object.keys(nodes).join(' or ')}.`);
const entry = await releaseToTest();
const reports = values.reports ?? mkdtempSync(join(tmpdir(), 'fovea-reports-'));
const lines = chosen.map(([name, node]) => testUnder(name, node()));
process.stdout.write(`${lines.join('\n')}\n`);
if (values.reports === undefined) rmSync(reports, { recursive: true });

/** Gives a line for the end. A run in which nothing launched the release has failed. */
function testUnder(name: string, node: string | undefined): string {
  const report = resolve(reports, `release-${name}.json`);
  const projects = ['main', 'machine', 'alone'].map((project) => `--project=${project}`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { status } = spawnSync(
    'npx',
    ['vitest', 'run', ...projects, ...reporters, ...positionals],
    {
      stdio: 'inherit',
      env: { ...process.env, FOVEA_TEST_ENTRY: entry, ...(node && { FOVEA_TEST_NODE: node }) },
    },
  );
  const count = testsOfRelease(report);
  if (status !== 0 || count === 0) process.exitCode = 1;
  return `Node ${name}: ${count} tests passed against the installed release.`;
}
