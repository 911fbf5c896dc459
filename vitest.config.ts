import { defineConfig } from 'vitest/config';

// Chromium, keychains, many processes, whole datasets: npm run test:machine.
const machineTests = 'test/**/*.{browser,keychain,processes,dataset}.test.ts';
// They use what a machine has once: port 8001. A Fovea of another test would attach to it.
const aloneTests = 'test/**/*.alone.test.ts';
// They replace a module: others must not meet it.
const mockedTests = 'test/**/*.mocked.test.ts';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // V8 ends a process now and then that begins and ends many threads, where code is guarded by
    // keys of the processor (nodejs/node#64500).
    execArgv: ['--no-memory-protection-keys'],
    // Many tests wait for processes: on the two cores of CI three files at once use both.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [machineTests, aloneTests, mockedTests, '**/node_modules/**'],
          // Modules are loaded once for all files of a worker: a quarter of the processor's time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'mocked', include: [mockedTests] } },
      { extends: true, test: { name: 'machine', include: [machineTests] } },
      {
        extends: true,
        test: { name: 'alone', include: [aloneTests], maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
