import { defineConfig } from 'vitest/config';

const machineTests = 'test/**/*.{browser,keychain,processes,dataset}.test.ts';

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
    // Chromium, keychains, many processes, whole datasets: npm run test:machine.
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [machineTests, '**/node_modules/**'],
        },
      },
      { extends: true, test: { name: 'machine', include: [machineTests] } },
    ],
  },
});
