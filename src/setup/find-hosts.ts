// Finds the entries of Fovea in the hosts of this machine, and whether they still work.

import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { hostNames } from '../commands.ts';
import { findProgram } from './find-program.ts';
import { type FoundEntry, findEntries } from './host-entry.ts';
import type { HostEntry } from './machine-diagnostics.ts';
import type { SystemEnvironment } from './system-environment.ts';

/** `version` is that of the copy that looks. */
export async function findHosts(
  system: SystemEnvironment,
  version: string,
): Promise<readonly HostEntry[]> {
  const found = await findEntries(hostNames, system);
  return Promise.all(found.map((entry) => judged(entry, system, version)));
}

async function judged(
  entry: FoundEntry,
  system: SystemEnvironment,
  version: string,
): Promise<HostEntry> {
  const { command } = entry;
  if (command === undefined) return entry;
  const trouble = entry.trouble ?? (await troubleOf(command, system));
  const other = await versionOf(command);
  return {
    ...entry,
    ...(trouble !== undefined && { trouble }),
    ...(other !== undefined && other !== version && { otherVersion: other }),
  };
}

async function troubleOf(
  [program = '', ...args]: readonly string[],
  system: SystemEnvironment,
): Promise<string | undefined> {
  if (isAbsolute(program)) {
    if (!(await isFile(program))) return 'starts a program that is not there any more';
  } else if (system.platform === 'win32' && /^(npx|npm|fovea)(\.cmd)?$/i.test(program)) {
    return 'starts npx directly, which Windows cannot';
  } else if (program !== 'cmd' && !(await findProgram(program, system))) {
    return 'starts a program that is not on the PATH';
  }
  const script = scriptOf(args);
  if (script !== undefined && !(await isFile(script))) {
    return 'starts a copy of Fovea that is not there any more';
  }
  return undefined;
}

function scriptOf(args: readonly string[]): string | undefined {
  return args.find((arg) => isAbsolute(arg) && /\.[cm]?[jt]s$/.test(arg));
}

/**
 * The version of a copy that is started by path: its package lies one or two folders above the
 * script.
 */
async function versionOf([, ...args]: readonly string[]): Promise<string | undefined> {
  const script = scriptOf(args);
  if (script === undefined) return undefined;
  const above = dirname(dirname(script));
  for (const folder of [above, dirname(above)]) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '');
    const isFovea = /"name":\s*"fovea"/.test(text);
    if (isFovea) return /"version":\s*"([\w.+-]+)"/.exec(text)?.[1];
  }
  return undefined;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
