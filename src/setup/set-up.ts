// Writes the entry of Fovea into the configuration of a host.

import type { Clock } from '../clock.ts';
import type { HostName } from '../commands.ts';
import { readConfigFile, textOf, writeConfigFile } from './config-file.ts';
import { writeMember } from './config-text.ts';
import { showDiff } from './diff.ts';
import {
  type EntryVariables,
  entryFor,
  namesFolders,
  pathOf,
  placesOf,
  whyOf,
} from './host-entry.ts';
import { type Host, hostNamed } from './hosts.ts';
import { launchOf, type Running, refuseTemporaryCopy } from './launch.ts';
import { withValueAt } from './nested-settings.ts';
import type { SetupOutcome } from './setup-outcome.ts';
import type { SystemEnvironment } from './system-environment.ts';

export interface SetUp {
  readonly system: SystemEnvironment;
  readonly running: Running;
  readonly clock: Clock;
  /** Written where they are given; nothing else of the environment ever is. */
  readonly variables: EntryVariables;
  /** Nothing is written. */
  readonly dryRun: boolean;
}

/**
 * Writes the entry into every configuration file of a host that is in use, else into the first.
 * Throws `invalid_input` where Fovea runs from the cache of npx.
 */
export async function setUp(name: HostName, options: SetUp): Promise<readonly SetupOutcome[]> {
  refuseTemporaryCopy(options.running);
  const host = hostNamed(name);
  const places = await placesOf(host, options.system, true);
  const outcomes: SetupOutcome[] = [];
  for (const { file } of places) outcomes.push(await setUpPlace(host, file, options));
  return outcomes;
}

async function setUpPlace(host: Host, file: string, options: SetUp): Promise<SetupOutcome> {
  const place = { host: host.name, title: host.title, file };
  const { running, system, variables } = options;
  const launch = launchOf(running, system);
  const entryIn = (text: string) => entryFor(host, text, launch, variables, system.platform);
  try {
    const found = await readConfigFile(file);
    const before = found.content && textOf(found.content);
    const entry = entryIn(before ?? '');
    const after = writeMember(host.format, before ?? '', pathOf(host), entry);
    const { afterwards } = host;
    const notes = { afterwards, ...(!namesFolders(host, after) && { note: noFolder }) };
    if (after === before) return { ...place, ...notes, kind: 'same' };
    const diff = showDiff(file, before, after, withValueAt({}, pathOf(host), entry));
    const change = { ...place, ...notes, kind: 'written' as const, diff };
    if (options.dryRun) return change;
    const backup = await writeConfigFile(found, Buffer.from(after), options.clock);
    return { ...change, backup };
  } catch (thrown) {
    const paste = writeMember(host.format, '', pathOf(host), entryIn(''));
    return { ...place, kind: 'refused', why: whyOf(thrown), paste };
  }
}

const noFolder =
  'Tools may use the folder that the host starts Fovea in, and no folder at all where that is ' +
  'your home or a root; --files FOLDER names others.';
