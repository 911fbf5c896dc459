// Marks each test for which the release was launched, in the test itself or in a hook before it:
// scripts/release/test-report.ts counts them.

import { afterEach, beforeEach } from 'vitest';
import { isRelease, launches } from './fixtures/under-test.ts';

let inHooks = 0;
let before = launches.count;

beforeEach(() => {
  inHooks += launches.count - before;
  before = launches.count;
});

afterEach(({ task }) => {
  const inTest = launches.count - before;
  before = launches.count;
  const isInUse = inHooks + inTest + launches.running.size > 0;
  if (isRelease && isInUse) Object.assign(task.meta, { launchedRelease: true });
});
