// Takes back what the setup wrote, and nothing that others wrote since.

import type { HostName } from '../command-line.ts';
import {
  type Backup,
  backupsOf,
  type ConfigFile,
  digest,
  readConfigFile,
  replaceConfigFile,
  restoreBackup,
  textOf,
} from './config-file.ts';
import { readMember, writeMember } from './config-text.ts';
import { showDiff } from './diff.ts';
import { pathOf, whyOf } from './host-entry.ts';
import { type Host, hostNamed } from './hosts.ts';
import { isRecord } from './members.ts';
import type { Outcome } from './outcome.ts';
import type { SetUp } from './set-up.ts';

/** Undoes the last change of each place of a host. */
export async function undoSetUp(
  name: HostName,
  { surroundings, dryRun }: Pick<SetUp, 'surroundings' | 'dryRun'>,
): Promise<readonly Outcome[]> {
  const host = hostNamed(name);
  const places = await host.places(surroundings);
  const outcomes: Outcome[] = [];
  for (const { file } of places) outcomes.push(await undoPlace(host, file, dryRun));
  const done = outcomes.filter(({ kind }) => kind !== 'nothing');
  return done.length > 0 ? done : outcomes.slice(0, 1);
}

async function undoPlace(host: Host, file: string, dryRun: boolean): Promise<Outcome> {
  const place = { host: host.name, title: host.title, file };
  try {
    const found = await readConfigFile(file);
    const { content } = found;
    const backups = await backupsOf(found);
    const [newest] = backups;
    if (content === undefined || newest === undefined) return { ...place, kind: 'nothing' };
    const fitting = backups.find(({ written }) => written === digest(content));
    if (fitting === undefined) return await putBack(host, file, found, newest, dryRun);
    const before = fitting.content && textOf(fitting.content);
    const diff = showDiff(file, textOf(content), before);
    if (!dryRun) await restoreBackup(found, fitting);
    return { ...place, kind: 'restored', diff, ...(!dryRun && { afterwards: host.afterwards }) };
  } catch (thrown) {
    return { ...place, kind: 'refused', why: whyOf(thrown) };
  }
}

/** Somebody changed the file since: their changes stay. */
async function putBack(
  host: Host,
  file: string,
  found: ConfigFile,
  { content: old, path: backup }: Backup,
  dryRun: boolean,
): Promise<Outcome> {
  const path = pathOf(host);
  const text = textOf(found.content ?? Buffer.alloc(0));
  const earlier = old && readMember(host.format, textOf(old), path);
  const without = writeMember(host.format, text, path, undefined);
  const after = isRecord(earlier) ? writeMember(host.format, without, path, earlier) : without;
  const place = { host: host.name, title: host.title, file };
  if (after === text) return { ...place, kind: 'nothing' };
  const change = { ...place, kind: 'put-back' as const, diff: showDiff(file, text, after), backup };
  if (dryRun) return change;
  await replaceConfigFile(found, Buffer.from(after));
  return { ...change, afterwards: host.afterwards };
}
