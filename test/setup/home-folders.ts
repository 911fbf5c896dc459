// A home folder for each platform, on which hosts have been used.

import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { HostName } from '../../src/commands.ts';
import { hostNamed } from '../../src/setup/hosts.ts';
import type { SetUp } from '../../src/setup/set-up.ts';
import type { SystemEnvironment } from '../../src/setup/system-environment.ts';

export const platforms = ['linux', 'darwin', 'win32'] as const;

export type Platform = (typeof platforms)[number];

export async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'fovea-hosts-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** How the setup is called on a machine of that platform. */
export async function makeSetUp(
  platform: Platform,
  changes: Partial<SetUp> & { readonly environment?: SystemEnvironment['environment'] } = {},
): Promise<SetUp> {
  const { environment = {}, ...rest } = changes;
  return {
    system: { platform, homeFolder: await makeHome(), environment },
    running: { node: '/opt/node/bin/node', script: '/opt/fovea/dist/fovea.js' },
    clock: systemClock,
    variables: { toolProfile: undefined, files: undefined },
    dryRun: false,
    ...rest,
  };
}

/** The usual file of a host; its folder is made, as the host would. */
export async function fileOf(name: HostName, { system }: SetUp): Promise<string> {
  const [place] = await hostNamed(name).places(system);
  if (place === undefined) throw new Error(`${name} has no place.`);
  await mkdir(dirname(place.file), { recursive: true });
  return place.file;
}

/** All files of a folder with what is in them, by their relative path. */
export async function filesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  return Object.fromEntries(
    files.map((file, at) => [file.slice(folder.length + 1), texts[at] ?? '']),
  );
}
