import { join, matchesGlob } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { releaseTests } from './test/release-tests.ts';

// Chromium, keychains, many processes, whole datasets.
const machineTests = 'test/**/*.{browser,keychain,processes,dataset}.test.ts';
// They need port 8001 for themselves: a Fovea of another test would attach to what listens there.
const aloneTests = 'test/**/*.alone.test.ts';
// They replace a module: they share no modules with others.
const mockedTests = 'test/**/*.mocked.test.ts';

const special = [machineTests, aloneTests, mockedTests];
const everydayLaunching = releaseTests().filter(
  (file) => !special.some((pattern) => matchesGlob(file, pattern)),
);

// Without it every thread that a test starts compiles TypeScript again: half of the tests' time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node');

export default defineConfig({
  test: {
    setupFiles: ['test/count-launches.ts'],
    // Of tests that start many processes, on a slow machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes, on a slow machine too: one second is no judgement.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // Threads that read TypeScript use WebAssembly. Where many begin and end in one process, V8 now
    // and then frees code of their imports twice, and ends the process (nodejs/node#64500): so such
    // code is not made.
    execArgv: ['--wasm-wrapper-tiering-budget=2000000000'],
    // Many tests wait for processes: on the two cores of CI three files at once use both.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...special, ...everydayLaunching],
          // A worker loads its modules once for all files: a quarter of the time went there.
          isolate: false,
        },
      },
      // What launches Fovea, takes seconds and needs no special program.
      { extends: true, test: { name: 'release', include: everydayLaunching, isolate: false } },
      { extends: true, test: { name: 'mocked', include: [mockedTests] } },
      { extends: true, test: { name: 'machine', include: [machineTests], isolate: false } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: [aloneTests],
          maxWorkers: 1,
          isolate: false,
          // After all others.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
