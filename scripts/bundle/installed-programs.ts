// Programs that only the bundle and the tests of the release need, installed when first asked for.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

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
  if (existsSync(file)) return file;
  const words = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', words, { cwd: import.meta.dirname, stdio: ['ignore', 2, 2] });
  return file;
}
