// Writes the entry of Fovea into the configuration of a host.

import type { Clock } from '../clock.ts';
import type { HostName } from '../command-line.ts';
import type { SurfaceName } from '../config.ts';
import { readConfigFile, textOf, writeConfigFile } from './config-file.ts';
import { writeMember } from './config-text.ts';
import { showDiff } from './diff.ts';
import { entryFor, pathOf, placesOf, whyOf } from './host-entry.ts';
import { type Host, hostNamed } from './hosts.ts';
import { launchOf, type Running } from './launch.ts';
import type { Outcome } from './outcome.ts';
import type { Surroundings } from './surroundings.ts';

export interface SetUp {
  readonly surroundings: Surroundings;
  readonly running: Running;
  readonly clock: Clock;
  /** Written as FOVEA_SURFACE where it is given; nothing else of the environment ever is. */
  readonly surface: SurfaceName | undefined;
  /** Nothing is written. */
  readonly dryRun: boolean;
}

/** Writes the entry into every place of a host that is in use, else into the first. */
export async function setUp(name: HostName, options: SetUp): Promise<readonly Outcome[]> {
  const host = hostNamed(name);
  const places = await placesOf(host, options.surroundings, true);
  const outcomes: Outcome[] = [];
  for (const { file } of places) outcomes.push(await setUpPlace(host, file, options));
  return outcomes;
}

async function setUpPlace(host: Host, file: string, options: SetUp): Promise<Outcome> {
  const place = { host: host.name, title: host.title, file };
  const launch = launchOf(options.running, options.surroundings);
  try {
    const found = await readConfigFile(file);
    const before = found.content && textOf(found.content);
    const entry = entryFor(host, before ?? '', launch, options.surface);
    const after = writeMember(host.format, before ?? '', pathOf(host), entry);
    if (after === before) return { ...place, kind: 'same' };
    const change = { ...place, kind: 'written' as const, diff: showDiff(file, before, after) };
    if (options.dryRun) return change;
    const backup = await writeConfigFile(found, Buffer.from(after), options.clock);
    return { ...change, backup, afterwards: host.afterwards };
  } catch (thrown) {
    return {
      ...{ ...place, kind: 'refused', why: whyOf(thrown) },
      paste: writeMember(
        host.format,
        '',
        pathOf(host),
        entryFor(host, '', launch, options.surface),
      ),
    };
  }
}
