// `fovea setup`: writes Fovea into the configuration of hosts, and says what it did.

import { realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, resolve } from 'node:path';
import { systemClock } from '../clock.ts';
import { type HostName, hostNames, type SetupCommand } from '../commands.ts';
import { createReader, folders as foldersOf } from '../config.ts';
import { environmentOfOthers } from '../environment.ts';
import { invalidArgument } from '../errors.ts';
import { thisMachine } from '../machine.ts';
import { type EntryVariables, findEntries } from '../setup/host-entry.ts';
import type { Running } from '../setup/launch.ts';
import { type SetUp, setUp } from '../setup/set-up.ts';
import type { SetupOutcome } from '../setup/setup-outcome.ts';
import type { SystemEnvironment } from '../setup/system-environment.ts';
import { undoSetUp } from '../setup/undo.ts';

/** Exit code 0: all is as asked; 1: a file was refused. */
export async function runSetup(command: SetupCommand): Promise<void> {
  const system = readSystemEnvironment();
  const { hosts, all, dryRun, undo } = command;
  refuseWithoutHost(command);
  if (hosts.length === 0 && !all && !dryRun && !undo) return listHosts(system);
  const options = {
    system,
    running: thisProgram(),
    dryRun,
    clock: systemClock,
    variables: undo ? noVariables : variablesOf(command),
  };
  const names = hosts.length > 0 ? hosts : undo ? hostNames : await usedHosts(system);
  const outcomes = await runAll(names, undo, options);
  const shown = hosts.length > 0 ? outcomes : outcomes.filter(({ kind }) => kind !== 'nothing');
  if (shown.length === 0) print(undo ? 'There is nothing to undo.' : noHost);
  for (const outcome of shown) show(outcome, dryRun);
  if (shown.some(({ kind }) => kind === 'refused')) process.exitCode = 1;
}

/** An option that would be written into no file is a mistake. */
function refuseWithoutHost({ hosts, all, toolProfile, files }: SetupCommand): void {
  if (hosts.length > 0 || all) return;
  if (toolProfile !== undefined) throw invalidArgument('--tool-profile', 'needs a host, or --all');
  if (files.length > 0) throw invalidArgument('--files', 'needs a host, or --all');
}

const noVariables: EntryVariables = { toolProfile: undefined, files: undefined };

/** A host has another environment than this shell: folders that are named here are meant there. */
function variablesOf({ toolProfile, files }: SetupCommand): EntryVariables {
  if (files.length > 0) {
    return { toolProfile, files: { folders: files.map(folderNamed), isAsked: true } };
  }
  const reader = createReader();
  const folders = reader.read('FOVEA_FILE_ROOTS', foldersOf(thisMachine()), undefined);
  reader.finish();
  return { toolProfile, files: folders && { folders, isAsked: false } };
}

/** Hosts start in another folder than this shell, so relative paths are made absolute. */
function folderNamed(name: string): string {
  const path = resolve(name);
  if (path.includes(delimiter)) throw invalidArgument('--files', `must not have a "${delimiter}"`);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw invalidArgument('--files', `there is no folder "${path}"`);
}

/** Where hosts keep their files depends on the machine and on variables of others. */
export function readSystemEnvironment(): SystemEnvironment {
  const { platform } = process;
  return { platform, homeFolder: homedir(), environment: environmentOfOthers() };
}

/** The command that hosts start: the Node and the script that run now. */
export function thisProgram(): Running {
  return { node: process.execPath, script: realpathSync(process.argv[1] ?? '') };
}

async function runAll(
  names: readonly HostName[],
  undo: boolean,
  options: SetUp,
): Promise<readonly SetupOutcome[]> {
  const outcomes: SetupOutcome[] = [];
  for (const name of names) {
    outcomes.push(...(await (undo ? undoSetUp(name, options) : setUp(name, options))));
  }
  return outcomes;
}

async function usedHosts(system: SystemEnvironment): Promise<readonly HostName[]> {
  const entries = await findEntries(hostNames, system);
  return [...new Set(entries.map(({ host }) => host))];
}

const noHost = `No host was found here. Known are ${hostNames.join(', ')}.`;

async function listHosts(system: SystemEnvironment): Promise<void> {
  const entries = await findEntries(hostNames, system);
  for (const { host, title, file, command, trouble } of entries) {
    const state = trouble ?? (command === undefined ? 'does not know Fovea' : 'knows Fovea');
    print(`${host.padEnd(16)}${title}: ${file} ${state}`);
  }
  if (entries.length === 0) print(noHost);
  print('\nfovea setup NAME writes the entry; --dry-run shows it first; --all takes every host.');
}

function show(outcome: SetupOutcome, dryRun: boolean): void {
  const { title, file, diff, paste } = outcome;
  print(`${title}: ${file}`);
  if (diff !== undefined) print(diff.trimEnd());
  print(`  ${sentence(outcome, dryRun)}\n`);
  if (paste !== undefined) print(`${paste.trimEnd()}\n`);
}

function sentence(outcome: SetupOutcome, dryRun: boolean): string {
  const { kind, backup, why, paste, afterwards, note } = outcome;
  const notes = [afterwards, note].flatMap((words) => (words === undefined ? [] : [` ${words}`]));
  const next = notes.join('');
  switch (kind) {
    case 'written':
      if (dryRun) return `Nothing was written: this is what would change. Afterwards:${next}`;
      if (backup?.endsWith('.new')) return `Written; the file is new.${next}`;
      return `Written; ${backup} keeps what was there.${next}`;
    case 'restored':
      return dryRun ? 'This would be undone.' : `As it was before.${next}`;
    case 'put-back': {
      const done = dryRun ? 'Only the entry would go back' : 'Only the entry went back';
      return `The file was changed since. ${done}; ${backup} has the file as it was.${next}`;
    }
    case 'same':
      return `Has the entry already.${next}`;
    case 'nothing':
      return 'There is nothing to undo.';
    case 'refused':
      return `The file ${why}; nothing was changed.${paste === undefined ? '' : ' Put this in by hand:'}`;
  }
}

/** Files of other programs may hold terminal escape sequences. */
function print(text: string): void {
  process.stdout.write(`${text.replace(/[^\P{C}\n\t]+/gu, ' ')}\n`);
}
