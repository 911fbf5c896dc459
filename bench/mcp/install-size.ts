// How much of a disk a server takes once npm has installed it, and nothing beside it.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes after `npm install` of a package in an empty folder: a name and version, or a file. */
export function installBytes(wanted: string): number {
  return inEmptyFolder((folder) => {
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const quick = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    npm(['install', '--omit=dev', ...quick, wanted], folder);
    return bytesOf(join(folder, 'node_modules'));
  });
}

/** The same for what `npm pack` makes of a repository that is built. */
export function packedInstallBytes(repository: string): number {
  return inEmptyFolder((folder) => {
    npm(['pack', '--ignore-scripts', '--pack-destination', folder], repository);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    if (tarball === undefined) throw new Error('npm pack made no package.');
    return installBytes(join(folder, tarball));
  });
}

function inEmptyFolder<Value>(work: (folder: string) => Value): Value {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-install-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function npm(words: readonly string[], cwd: string): void {
  const { status } = spawnSync('npm', [...words, '--loglevel=error'], {
    cwd,
    stdio: ['ignore', 'ignore', 2],
  });
  if (status !== 0) throw new Error(`npm ${words.join(' ')} did not work; is npm offline?`);
}

function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + bytesOf(path);
    return entry.isFile() ? sum + statSync(path).size : sum;
  }, 0);
}
