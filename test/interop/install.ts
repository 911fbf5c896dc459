// Brings the clients of other ages onto this machine: once, and from npm's cache where it can.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const folder = join(import.meta.dirname, 'packages');
const manifest = z.object({ dependencies: z.record(z.string(), z.string()) });
const installed = z.object({ version: z.string() });

/** Far longer than it takes; a registry that is out of reach is found out sooner. */
const installDeadlineMs = 25_000;

/** Whether the clients are there. Says so on stderr where they could not be brought. */
export function installClients(): boolean {
  if (areInstalled()) return true;
  const offlineTolerant = ['--prefer-offline', '--fetch-retries=0', '--fetch-timeout=10000'];
  const { status } = spawnSync(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...offlineTolerant],
    {
      cwd: folder,
      stdio: ['ignore', 2, 2],
      timeout: installDeadlineMs,
      shell: process.platform === 'win32',
    },
  );
  if (status === 0 && areInstalled()) return true;
  process.stderr.write(
    'SKIPPED: clients of other ages; npm ci in test/interop/packages did not work.\n',
  );
  return false;
}

function areInstalled(): boolean {
  const { dependencies } = manifest.parse(readJson('package.json'));
  return Object.entries(dependencies).every(([alias, wanted]) => {
    const file = join('node_modules', alias, 'package.json');
    if (!existsSync(join(folder, file))) return false;
    return wanted.endsWith(`@${installed.parse(readJson(file)).version}`);
  });
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}
