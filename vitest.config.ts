import { defineConfig } from 'vitest/config';

const browserTests = 'test/**/*.browser.test.ts';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // Many tests wait for processes: on the two cores of CI three files at once use both.
    maxWorkers: 3,
    // What needs a browser is a command of its own: npm run test:browser.
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [browserTests, '**/node_modules/**'],
        },
      },
      { extends: true, test: { name: 'browser', include: [browserTests] } },
    ],
  },
});
