// Prints what failed, how many tests launched the release, and the closing line of .ci/run, from
// the JSON reports of vitest that are named as the arguments, one per suite. Ends with 1 where
// something failed or nothing ran. A suite that did not end has no report, and is one failure.

import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { testsOfRelease } from '../scripts/release/test-report.ts';

const messageMax = 1500;

let passed = 0;
let failed = 0;
let skipped = 0;
for (const path of process.argv.slice(2)) {
  const suite = basename(path, '.json');
  if (!existsSync(path)) {
    failed += 1;
    process.stdout.write(`✗ ${suite} did not end: there is no report of it\n`);
    continue;
  }
  const report = JSON.parse(readFileSync(path, 'utf8'));
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failures = assertionResults.filter((test) => test.status === 'failed');
    for (const { fullName, failureMessages } of failures) {
      process.stdout.write(
        `✗ ${name}: ${fullName}\n${failureMessages.join('\n').slice(0, messageMax)}\n`,
      );
    }
    // A file that does not load has no tests to count, so it counts as one that failed.
    if (status === 'failed' && failures.length === 0) {
      failed += 1;
      process.stdout.write(`✗ ${name}\n${String(message).slice(0, messageMax)}\n`);
    }
  }
  process.stdout.write(`${suite}: ${testsOfRelease(path)} passed against the installed release\n`);
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + report.numTodoTests;
}

process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
