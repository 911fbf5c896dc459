import { matchesGlob } from 'node:path';
import { defineConfig } from 'vitest/config';
import { frontDoorTests } from './test/front-door.ts';

// Chromium, keychains, many processes, whole datasets: npm run test:machine.
const machineTests = 'test/**/*.{browser,keychain,processes,dataset}.test.ts';
// They use what a machine has once: port 8001. A Fovea of another test would attach to it.
const aloneTests = 'test/**/*.alone.test.ts';
// They replace a module: others must not meet it.
const mockedTests = 'test/**/*.mocked.test.ts';

// Against the installed release (scripts/test-release.ts) those that do not launch it would be the
// same tests again; of a machine they run once, with the release under the Node of development.
const { FOVEA_TEST_ENTRY, FOVEA_TEST_NODE } = process.env;
const frontDoor = FOVEA_TEST_ENTRY === undefined ? undefined : [...frontDoorTests()];
const ofMachine = FOVEA_TEST_NODE === undefined ? undefined : frontDoor?.filter(isOf(machineTests));
const ofPort = FOVEA_TEST_NODE === undefined ? undefined : frontDoor?.filter(isOf(aloneTests));

function isOf(pattern: string): (file: string) => boolean {
  return (file) => matchesGlob(file, pattern);
}

export default defineConfig({
  test: {
    setupFiles: ['test/count-launches.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
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
          name: 'main',
          include: frontDoor ?? ['test/**/*.test.ts'],
          exclude: [machineTests, aloneTests, mockedTests, '**/node_modules/**'],
          // Modules are loaded once for all files of a worker: a quarter of the processor's time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'mocked', include: [mockedTests] } },
      { extends: true, test: { name: 'machine', include: ofMachine ?? [machineTests] } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ofPort ?? [aloneTests],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
