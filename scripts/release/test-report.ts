// What a report of vitest in JSON says of the tests that launched the release.

import { readFileSync } from 'node:fs';

interface Report {
  readonly testResults: readonly {
    /** The path of the file. */
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly meta?: { readonly launchedRelease?: boolean };
    }[];
  }[];
}

/** How many tests passed for which the release was launched (test/count-launches.ts). */
export function testsOfRelease(path: string): number {
  const tests = resultsIn(path).flatMap(({ assertionResults }) => assertionResults);
  return tests.filter(({ status, meta }) => status === 'passed' && meta?.launchedRelease).length;
}

/** The files with such a test, passed or not. */
export function filesOfRelease(path: string): readonly string[] {
  const files = resultsIn(path).filter(({ assertionResults }) =>
    assertionResults.some(({ meta }) => meta?.launchedRelease),
  );
  return files.map(({ name }) => name);
}

function resultsIn(path: string): Report['testResults'] {
  const report: Report = JSON.parse(readFileSync(path, 'utf8'));
  return report.testResults;
}
