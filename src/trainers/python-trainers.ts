// Trainers in Python that come along: each in an environment of its own, in the data folder.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Environment } from '../config.ts';
import { FoveaError } from '../errors.ts';
import { membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { PythonTrainerState } from '../setup/machine-diagnostics.ts';
import { type PythonTrainer, trainerLicences } from '../trainer-names.ts';
import type { TrainerCommand } from './trainer-protocol.ts';

export interface Installation {
  readonly name: PythonTrainer;
  /** The data folder. */
  readonly home: string;
  /** The Python that the environment is made with; undefined: the one on the PATH. */
  readonly python: string | undefined;
  /** Whether it uses the packages of that Python, and fetches none. */
  readonly systemSitePackages: boolean;
  readonly environment: Environment;
}

/** How a training is started. It may not be installed: then the remedy is said. */
export function pythonTrainerCommand(name: PythonTrainer, home: string): TrainerCommand {
  const path = pythonIn(environmentFolder(name, home));
  const args = ['-B', scriptOf(name, 'train.py')];
  return { path, args, name, remedy: `run "fovea trainer install ${name}"` };
}

/** Where its environment is. */
export function environmentFolder(name: PythonTrainer, home: string): string {
  return join(home, 'trainers', name);
}

/**
 * Makes the environment anew; what pip says goes to standard error. Throws `not_found` where there
 * is no Python, `upstream_failed` where it or pip fails.
 */
export async function installPythonTrainer(installation: Installation): Promise<void> {
  const { name, home, systemSitePackages, environment } = installation;
  const python = installation.python ?? (await findPython(environment));
  const folder = environmentFolder(name, home);
  await mkdir(join(home, 'trainers'), { recursive: true, mode: 0o700 });
  await rm(folder, { recursive: true, force: true });
  // With the packages of the system nothing is fetched, and Debian has pip as a package of its own.
  const without = systemSitePackages ? ['--system-site-packages', '--without-pip'] : [];
  try {
    await run(python, ['-m', 'venv', ...without, folder], environment, noEnvironment(python));
    if (systemSitePackages) return;
    const requirements = scriptOf(name, 'requirements.txt');
    const words = ['-m', 'pip', 'install', '--disable-pip-version-check', '-r', requirements];
    await run(pythonIn(folder), words, environment, noPackages);
  } catch (thrown) {
    // Without its packages it would count as installed, and each training would fail.
    await rm(folder, { recursive: true, force: true });
    throw thrown;
  }
}

/** Whether its packages can be loaded, and which they are. */
export async function examinePythonTrainer(
  name: PythonTrainer,
  home: string,
  environment: Environment,
): Promise<PythonTrainerState> {
  const python = pythonIn(environmentFolder(name, home));
  if (!(await isThere(python))) return { state: 'absent' };
  try {
    const { stdout } = await promisify(execFile)(python, ['-B', scriptOf(name, 'versions.py')], {
      env: environment,
      timeout: limits.trainerCheckMsMax,
      windowsHide: true,
    });
    const versions = Object.entries(membersOf(JSON.parse(stdout)));
    return {
      state: 'ready',
      versions: versions.map(([part, version]) => `${part} ${version}`),
      licence: trainerLicences[name].name,
    };
  } catch (thrown) {
    return { state: 'broken', words: lastLineOf(thrown) };
  }
}

/** What a program said last, which names the package that is missing. */
function lastLineOf(thrown: unknown): string {
  const { stderr } = membersOf(thrown);
  const lines = String(stderr ?? '').trim();
  return lines.split('\n').at(-1) || 'it gave no answer';
}

/** In the checkout and in the package the folder lies two above this module. */
function scriptOf(name: PythonTrainer, file: string): string {
  return fileURLToPath(new URL(`../../trainers/${name}/${file}`, import.meta.url));
}

function pythonIn(folder: string): string {
  const isWindows = process.platform === 'win32';
  return isWindows ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

async function findPython(environment: Environment): Promise<string> {
  for (const name of ['python3', 'python']) {
    const isFound = await promisify(execFile)(name, ['--version'], { env: environment }).then(
      () => true,
      () => false,
    );
    if (isFound) return name;
  }
  throw new FoveaError('not_found', 'No Python was found on the PATH.', {
    hint: 'Install Python 3.10 or newer, or name one with --python.',
  });
}

async function run(
  program: string,
  words: readonly string[],
  environment: Environment,
  failure: FoveaError,
): Promise<void> {
  const child = spawn(program, words, {
    stdio: ['ignore', process.stderr, 'inherit'],
    shell: false,
    windowsHide: true,
    env: environment,
  });
  const [code] = await once(child, 'exit').catch(() => [undefined]);
  if (code !== 0) throw failure;
}

function noEnvironment(python: string): FoveaError {
  return new FoveaError('upstream_failed', `${python} could not make an environment.`, {
    hint: 'On Debian and Ubuntu install python3-venv, or name another Python with --python.',
  });
}

const noPackages = new FoveaError('upstream_failed', 'pip could not install the packages.', {
  hint:
    'It needs the network, or a package index that PIP_INDEX_URL names. Where the packages are there ' +
    'already: --python /usr/bin/python3 --system-site-packages.',
});

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
