// The command with which a host starts this copy of Fovea.

import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { FoveaError } from '../errors.ts';
import type { SystemEnvironment } from './system-environment.ts';

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

export interface Running {
  /** The Node that runs, `process.execPath`. */
  readonly node: string;
  /** The script that runs, absolute, links followed. */
  readonly script: string;
}

/** Node and the script by their paths, since hosts do not know the PATH of a shell. */
export function launchOf({ node, script }: Running, system: SystemEnvironment): Launch {
  return { command: stableNode(node, system), args: [script] };
}

/**
 * Throws `invalid_input` where this copy lies in the cache of npx: npm may empty it, and the entry
 * of a host would then start nothing.
 */
export function refuseTemporaryCopy({ script }: Running): void {
  if (!/[/\\]_npx[/\\]/.test(script)) return;
  throw new FoveaError(
    'invalid_input',
    'This copy of Fovea is in the cache of npx, which npm may empty.',
    {
      hint: 'Install it (npm install --global, with the packed file), then run fovea setup.',
    },
  );
}

/**
 * The link on the PATH to this Node, where there is one: package managers keep the program in a
 * folder named by its version, which the next upgrade removes.
 */
function stableNode(node: string, { environment, platform }: SystemEnvironment): string {
  const name = platform === 'win32' ? 'node.exe' : 'node';
  const folders = (environment.PATH ?? environment.Path ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '');
  const links = folders.map((folder) => join(folder, name));
  return links.find((link) => !isShortLived(link) && leadsTo(link, node)) ?? node;
}

/** Temporary: made for one shell, or for one run of npm. */
function isShortLived(path: string): boolean {
  return /fnm_multishells|[/\\]node_modules[/\\]|[/\\]_npx[/\\]/.test(path);
}

function leadsTo(link: string, node: string): boolean {
  try {
    return realpathSync(link) === realpathSync(node);
  } catch {
    return false;
  }
}
