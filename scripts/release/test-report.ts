// What a report of vitest in JSON says of the tests that launched the release.

import { readFileSync } from 'node:fs';

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly meta?: { readonly launchedRelease?: boolean };
    }[];
  }[];
}

/** How many tests passed for which the release was launched (test/count-launches.ts). */
export function testsOfRelease(path: string): number {
  const report: Report = JSON.parse(readFileSync(path, 'utf8'));
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return tests.filter(({ status, meta }) => status === 'passed' && meta?.launchedRelease).length;
}
