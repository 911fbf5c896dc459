// `npm test`, `npm run test:machine`, `npm run test:oldest-node` and `npm run test:postgres-rows`:
// a suite of tests. Those that launch Fovea launch the release: built, packed and installed as
// users do, unless FOVEA_TEST_ENTRY names one that is installed. `--reports FOLDER` keeps what
// vitest reports, as SUITE.json there. Other words are parts of the paths of tests, in place of
// those of the suite. Over the sources, and with options of vitest: `npx vitest run FILE`.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { oldestNode } from './bundle/installed-programs.ts';
import { folderInMemory } from './release/folder-in-memory.ts';
import { releaseToTest } from './release/install.ts';
import { testsOfRelease } from './release/test-report.ts';

interface Suite {
  /** Of vitest.config.ts. */
  readonly projects: readonly string[];
  /** The Node that runs the release; without: that of development. */
  readonly node?: () => string;
  /** Whether its temporary files need no disk. */
  readonly isInMemory?: boolean;
  /** Parts of the paths of its tests; without: all of its projects. */
  readonly files?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const suites = {
  everyday: { projects: ['units', 'mocked', 'release'], isInMemory: true },
  machine: { projects: ['machine', 'alone'], isInMemory: true },
  // On the disk: what launches Fovea has run in memory by then. Commands, sign-in, MCP and the
  // tools call all that is below them; all everyday tests that launch Fovea: `-- test/`.
  'oldest-node': {
    projects: ['release'],
    node: oldestNode,
    files: [
      'test/authorization-server/connections',
      'test/bin/',
      'test/event-store/attachments',
      'test/http-client/',
      'test/mcp/',
      'test/sign-in/',
      'test/tools/',
    ],
  },
  // A part of `npm run test:postgres` that takes minutes: what judges the rows themselves.
  'postgres-rows': {
    projects: ['units', 'release'],
    isInMemory: true,
    files: [
      'test/authorization-server/',
      'test/platform/access-control/',
      'test/platform/active-learning/',
      'test/platform/activity',
      'test/platform/annotation/',
      'test/platform/api-keys',
      'test/platform/background-tasks/',
      'test/platform/evaluations.test.ts',
      'test/platform/evaluations/',
      'test/platform/exports',
      'test/platform/folders',
      'test/platform/image-trash',
      'test/platform/images.test.ts',
      'test/platform/images/',
      'test/platform/isolation',
      'test/platform/mend-labels',
      'test/platform/projects.test.ts',
      'test/platform/projects/',
      'test/platform/search/bounds',
      'test/platform/search/catalog',
      'test/platform/search/exports',
      'test/platform/search/indexing',
      'test/platform/search/large-pages',
      'test/platform/search/others-words',
      'test/platform/search/search',
      'test/platform/trash',
      'test/platform/use-cases',
      'test/platform/version-diff',
      'test/platform/versions.test.ts',
      'test/platform/vision-event',
      'test/platform/workflows',
    ],
    environment: { FOVEA_TEST_DATABASE: 'postgres' },
  },
} satisfies Readonly<Record<string, Suite>>;

// Not through npx, which took seconds to find it.
const vitest = 'node_modules/vitest/vitest.mjs';

const [name = '', ...rest] = process.argv.slice(2);
if (!isSuite(name)) throw new Error(`The suite is one of: ${Object.keys(suites).join(', ')}.`);
const { values, positionals } = parseArgs({
  args: rest,
  options: { reports: { type: 'string' } },
  allowPositionals: true,
});
const reports = values.reports ?? mkdtempSync(join(tmpdir(), 'fovea-reports-'));
const entry = await releaseToTest();
try {
  runSuite(suites[name], resolve(reports, `${name}.json`));
} finally {
  if (values.reports === undefined) rmSync(reports, { recursive: true });
}

function isSuite(word: string): word is keyof typeof suites {
  return Object.hasOwn(suites, word);
}

/** A whole suite in which nothing launched the release has failed. */
function runSuite(suite: Suite, report: string): void {
  const { projects, node, isInMemory = false, files = [], environment } = suite;
  const words = projects.map((project) => `--project=${project}`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const other = node?.();
  const ofNode = other && { FOVEA_TEST_NODE: other };
  const memory = isInMemory ? folderInMemory() : undefined;
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...words, ...reporters, ...(positionals.length > 0 ? positionals : files)],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        FOVEA_TEST_ENTRY: entry,
        ...ofNode,
        ...environment,
        ...(memory && { TMPDIR: memory }),
      },
    },
  );
  if (memory !== undefined) rmSync(memory, { recursive: true, force: true });
  const count = existsSync(report) ? testsOfRelease(report) : 0;
  const isWhole = positionals.length === 0;
  if (status !== 0 || (isWhole && count === 0)) process.exitCode = 1;
  const version = execFileSync(other ?? process.execPath, ['--version'], { encoding: 'utf8' });
  process.stdout.write(`${count} tests passed against the installed release on Node ${version}`);
}
