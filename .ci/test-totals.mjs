// Prints the closing line of .ci/run from the JSON report of vitest, named as the only argument.
// Ends with 1 where something failed or nothing ran.

import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// A file that does not load has no tests to count, so it counts as one that failed.
const broken = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
);
const passed = report.numPassedTests;
const failed = report.numFailedTests + broken.length;
const skipped = report.numPendingTests + report.numTodoTests;

process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
