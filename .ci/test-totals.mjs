// Prints the closing line of .ci/run from the JSON reports of vitest, named as the arguments.
// Ends with 1 where something failed or nothing ran.

import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
let skipped = 0;
for (const path of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  // A file that does not load has no tests to count, so it counts as one that failed.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  passed += report.numPassedTests;
  failed += report.numFailedTests + broken.length;
  skipped += report.numPendingTests + report.numTodoTests;
}

process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
