// The commands that run a suite of tests, as far as they end before the release is built.

import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';

function runSuite(argv: readonly string[]): Promise<{ code: unknown; log: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/test.ts', ...argv], (error, _output, log) =>
      resolve({ code: error?.code ?? 0, log }),
    );
  });
}

test('the report of a suite that did not end is named, without a stack trace', async () => {
  const argv = ['oldest-node', '--after', 'test', '--after', 'no-folder/everyday.json'];
  expect(await runSuite(argv)).toEqual({
    code: 1,
    log:
      '--after: there is no report "no-folder/everyday.json": that suite did not end, or kept its ' +
      'reports elsewhere (--reports FOLDER). Run it again, or leave --after out.\n',
  });
});
