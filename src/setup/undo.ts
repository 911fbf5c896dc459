// Takes back what the setup wrote, and nothing that others wrote since.

import type { HostName } from '../commands.ts';
import { isPlainObject } from '../json-object.ts';
import {
  type Backup,
  backupsOf,
  type ConfigFile,
  digest,
  readBackup,
  readConfigFile,
  replaceConfigFile,
  restoreBackup,
  textOf,
} from './config-file.ts';
import { readMember, writeMember } from './config-text.ts';
import { showDiff } from './diff.ts';
import { pathOf, whyOf } from './host-entry.ts';
import { type Host, hostNamed } from './hosts.ts';
import { launchOf } from './launch.ts';
import { newIn, withValueAt } from './nested-settings.ts';
import type { SetUp } from './set-up.ts';
import type { SetupOutcome } from './setup-outcome.ts';

/** Undoes the last change of each place of a host. */
export async function undoSetUp(
  name: HostName,
  options: Pick<SetUp, 'system' | 'running' | 'dryRun'>,
): Promise<readonly SetupOutcome[]> {
  const host = hostNamed(name);
  const places = await host.places(options.system);
  const outcomes: SetupOutcome[] = [];
  for (const { file } of places) outcomes.push(await undoPlace(host, file, options));
  const done = outcomes.filter(({ kind }) => kind !== 'nothing');
  return done.length > 0 ? done : outcomes.slice(0, 1);
}

type Undo = Parameters<typeof undoSetUp>[1];

async function undoPlace(host: Host, file: string, options: Undo): Promise<SetupOutcome> {
  const { dryRun } = options;
  const place = { host: host.name, title: host.title, file };
  try {
    const found = await readConfigFile(file);
    const { content } = found;
    const backups = await backupsOf(found);
    const [newest] = backups;
    if (content === undefined || newest === undefined) return { ...place, kind: 'nothing' };
    const fitting = backups.find(({ written }) => written === digest(content));
    if (fitting === undefined) return await putBack(host, file, found, newest, options);
    const copy = await readBackup(fitting);
    const before = copy && textOf(copy);
    const diff = showDiff(file, textOf(content), before, writtenThen(host, content, before));
    if (!dryRun) await restoreBackup(found, fitting);
    return { ...place, kind: 'restored', diff, ...(!dryRun && { afterwards: afterUndo(host) }) };
  } catch (thrown) {
    return { ...place, kind: 'refused', why: whyOf(thrown) };
  }
}

/** The entry that setup wrote, in a file that was not changed since. */
function writtenThen(host: Host, content: Buffer, before = ''): unknown {
  const path = pathOf(host);
  const now = readMember(host.format, textOf(content), path);
  return withValueAt({}, path, newIn(now, readMember(host.format, before, path)));
}

/** Somebody changed the file since: their changes stay. */
async function putBack(
  host: Host,
  file: string,
  found: ConfigFile,
  backup: Backup,
  { system, running, dryRun }: Undo,
): Promise<SetupOutcome> {
  const path = pathOf(host);
  const old = await readBackup(backup);
  const text = textOf(found.content ?? Buffer.alloc(0));
  const earlier = old && readMember(host.format, textOf(old), path);
  const without = writeMember(host.format, text, path, undefined);
  const after = isPlainObject(earlier) ? writeMember(host.format, without, path, earlier) : without;
  const place = { host: host.name, title: host.title, file };
  if (after === text) return { ...place, kind: 'nothing' };
  // Of the entry too: people may have put their secrets beside what the setup writes.
  const ours = withValueAt({}, path, host.entry(launchOf(running, system)));
  const diff = showDiff(file, text, after, ours);
  const change = { ...place, kind: 'put-back' as const, diff, backup: backup.path };
  if (dryRun) return change;
  await replaceConfigFile(found, Buffer.from(after));
  return { ...change, afterwards: afterUndo(host) };
}

function afterUndo({ afterwards, afterUndo: other = afterwards }: Host): string {
  return other;
}
