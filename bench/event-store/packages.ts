// The Debian packages of the bench: reports those that are missing, and installs them if it may.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

interface Need {
  readonly package: string;
  /** A file that is there once the package is installed. */
  readonly file: string;
}

export const postgresFolder = '/usr/lib/postgresql/15/bin';

const pythonModules = '/usr/lib/python3/dist-packages';

const needs: readonly Need[] = [
  { package: 'wrk', file: '/usr/bin/wrk' },
  { package: 'curl', file: '/usr/bin/curl' },
  { package: 'python3-fastapi', file: `${pythonModules}/fastapi` },
  { package: 'python3-multipart', file: `${pythonModules}/multipart` },
  { package: 'python3-uvicorn', file: `${pythonModules}/uvicorn` },
  { package: 'python3-uvloop', file: `${pythonModules}/uvloop` },
  { package: 'python3-httptools', file: `${pythonModules}/httptools` },
  { package: 'postgresql-15', file: `${postgresFolder}/postgres` },
];

/** Throws with the command to run where packages are missing and cannot be installed. */
export function installPackages(): void {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const command = `apt-get install -y ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) {
    throw new Error(`The bench needs packages of Debian. Run this as root:\n  ${command}`);
  }
  process.stderr.write(`${command}...\n`);
  spawnSync('apt-get', ['update'], { stdio: ['ignore', 2, 2] });
  spawnSync('apt-get', ['install', '-y', ...missing], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 2, 2],
  });
  const still = missingPackages();
  if (still.length > 0) throw new Error(`Could not be installed: ${still.join(', ')}.`);
}

function missingPackages(): readonly string[] {
  return needs.filter(({ file }) => !existsSync(file)).map((need) => need.package);
}
