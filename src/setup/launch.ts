// The command with which a host starts this copy of Fovea.

import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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

/**
 * By path where Fovea is installed; through npx where it was started by npx, which empties its
 * cache. Windows cannot start `.cmd` files such as npx directly: hosts would report ENOENT.
 */
export function launchOf(running: Running, system: SystemEnvironment): Launch {
  const { node, script } = running;
  if (!/[/\\]_npx[/\\]/.test(script)) {
    return { command: stableNode(node, system), args: [script] };
  }
  return system.platform === 'win32'
    ? { command: 'cmd', args: ['/c', 'npx', '-y', 'fovea'] }
    : { command: 'npx', args: ['-y', 'fovea'] };
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
