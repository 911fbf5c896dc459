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
