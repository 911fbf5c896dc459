// The machine as settings see it: its platform, the home of the person, and where the process runs.

import { homedir } from 'node:os';
import { dirname, posix, win32 } from 'node:path';

/** What the defaults of settings depend on beside the variables. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly homeFolder: string;
  readonly workingFolder: string;
  /** Where the program lies that runs. */
  readonly programFolder?: string;
}

/** The working folder, unless it is too wide to be meant: `/`, `/home`, `~`. */
export function defaultRoots(machine: Machine): readonly string[] {
  const path = pathOf(machine);
  const toHome = path.relative(machine.workingFolder, machine.homeFolder);
  const isOutside = toHome.startsWith('..') || path.isAbsolute(toHome);
  const isRoot = path.parse(machine.workingFolder).root === machine.workingFolder;
  // A plugin of Codex starts us there, wherever the person works.
  const isProgram = machine.workingFolder === machine.programFolder;
  return isOutside && !isRoot && !isProgram ? [machine.workingFolder] : [];
}

/** Its rules for paths. */
export function pathOf(machine: Machine) {
  return machine.platform === 'win32' ? win32 : posix;
}

export function thisMachine(): Machine {
  const { platform } = process;
  const [, program = ''] = process.argv;
  const programFolder = dirname(program);
  return { platform, homeFolder: homedir(), workingFolder: process.cwd(), programFolder };
}
