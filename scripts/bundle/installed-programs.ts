// Programs that only the bundle and the tests of the release need, installed when first asked for.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Lock, tryLock } from '../../src/storage/file-lock.ts';

const folder = join(import.meta.dirname, 'node_modules');

/** The program that makes and checks bundles for desktop hosts. Throws where npm cannot. */
export function mcpbCommand(): string {
  return installed('@anthropic-ai/mcpb/dist/cli/cli.js');
}

/** The oldest Node that is promised (src/limits/node.ts). Throws where npm cannot. */
export function oldestNode(): string {
  return installed('node/bin/node');
}

function installed(path: string): string {
  const file = join(folder, path);
  if (isWhole()) return file;
  // Tests that need them run at once, and npm begins with an empty folder.
  const lock = waitForLock(join(tmpdir(), 'fovea-bundle-programs.lock'));
  try {
    if (!isWhole()) {
      const words = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
      execFileSync('npm', words, { cwd: import.meta.dirname, stdio: ['ignore', 2, 2] });
    }
  } finally {
    lock.release();
  }
  return file;
}

/** npm writes this file last. */
function isWhole(): boolean {
  return existsSync(join(folder, '.package-lock.json'));
}

function waitForLock(path: string): Lock {
  for (;;) {
    const lock = tryLock(path, 'exclusive');
    if (lock !== undefined) return lock;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}
