// Packages that are large and needed by one command alone: npm brings them on its first run.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs what the lock file of `folder` names, unless `file` below its node_modules is there.
 * Gives the path of `file`. Ends the process with 2 where npm cannot: nothing was tried, which is
 * neither a success nor a failure.
 */
export function installed(folder: string, file: string): string {
  const path = join(folder, 'node_modules', file);
  if (existsSync(path)) return path;
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', words, {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status === 0 && existsSync(path)) return path;
  process.stderr.write(`DID NOT RUN: npm ci in ${folder} did not work. Is there a network?\n`);
  process.exit(2);
}
