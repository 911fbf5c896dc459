// `fovea trainer`: sets up the trainers in Python that come along, and lists them.

import type { TrainerSetupCommand } from '../commands.ts';
import { readSettings } from '../config.ts';
import { environmentOfOthers } from '../environment.ts';
import { FoveaError } from '../errors.ts';
import { type PythonTrainer, pythonTrainers, trainerLicences } from '../trainer-names.ts';
import {
  environmentFolder,
  examinePythonTrainer,
  installPythonTrainer,
} from '../trainers/python-trainers.ts';

export async function runTrainer(command: TrainerSetupCommand): Promise<void> {
  const { home, trainer } = readSettings();
  if (command.action === 'list') {
    for (const name of pythonTrainers) print(await describe(name, home, trainer));
    return;
  }
  const { name } = command;
  const environment = environmentOfOthers();
  // Before anything is fetched.
  const licence = trainerLicences[name];
  print(`${name} is under ${licence.name}. ${licence.means}`);
  await installPythonTrainer({ ...command, home, environment });
  const found = await examinePythonTrainer(name, home, environment);
  if (found.state !== 'ready') {
    const words = found.state === 'broken' ? found.words : 'no environment';
    throw new FoveaError('upstream_failed', `${name} does not run: ${words}`, {
      hint: command.systemSitePackages
        ? `That Python has not all packages; leave out --system-site-packages to fetch them.`
        : `Install it again; fovea doctor looks at it too.`,
    });
  }
  print(`${name} is installed in ${environmentFolder(name, home)}: ${found.versions.join(', ')}.`);
  print(`Set FOVEA_TRAINER=${name} to train with it.`);
}

async function describe(
  name: PythonTrainer,
  home: string,
  trainer: string | undefined,
): Promise<string> {
  const found = await examinePythonTrainer(name, home, environmentOfOthers());
  const licence = trainerLicences[name].name;
  const isUsed = trainer === name ? '; FOVEA_TRAINER names it' : '';
  switch (found.state) {
    case 'ready':
      return `${name} (${licence}): ${found.versions.join(', ')}${isUsed}`;
    case 'broken':
      return `${name} (${licence}): is installed and does not run: ${found.words}${isUsed}`;
    case 'absent':
      return `${name} (${licence}): not installed (fovea trainer install ${name})${isUsed}`;
  }
}

/** Words of other programs may hold terminal escape sequences. */
function print(text: string): void {
  process.stdout.write(`${text.replace(/\p{C}+/gu, ' ')}\n`);
}
