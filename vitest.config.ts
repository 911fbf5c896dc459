import { defineConfig } from 'vitest/config';

const machineTests = 'test/**/*.{browser,keychain}.test.ts';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Many tests wait for processes: on the two cores of CI four files at once use both.
    maxWorkers: 4,
    // What needs Chromium or a keychain is a command of its own: npm run test:machine.
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
