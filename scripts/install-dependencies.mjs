// Runs before `npm run demo` and `npm test`, on whatever Node the machine has: a fresh clone
// installs its packages (among them the Node that runs everything else), once.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const installed = existsSync('node_modules/.package-lock.json') || install();
if (!installed) {
  process.exitCode = 1;
} else if (!existsSync('node_modules/node/bin')) {
  process.stderr.write(
    'Node 24 is missing: npm is set to run no install scripts (ignore-scripts). ' +
      'Run: npm rebuild node --ignore-scripts=false\n',
  );
  process.exitCode = 1;
}

function install() {
  process.stdout.write('Installing the packages (once, about a minute)...\n');
  const onWindows = process.platform === 'win32';
  const command = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(onWindows ? 'npm.cmd' : 'npm', command, {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: onWindows,
  });
  return status === 0;
}
