// The entry of Fovea in the configuration of a host: its location and content.

import { access } from 'node:fs/promises';
import type { HostName } from '../commands.ts';
import type { ToolProfile } from '../config.ts';
import { isPlainObject, type JsonObject } from '../json-object.ts';
import { readConfigFile, textOf, Unusable } from './config-file.ts';
import { NotUnderstood, readMember } from './config-text.ts';
import { type Host, hostNamed, type Place } from './hosts.ts';
import type { Launch } from './launch.ts';
import type { SystemEnvironment } from './system-environment.ts';

/** The entry of Fovea in the configuration of a host. */
export interface FoundEntry {
  readonly host: HostName;
  readonly title: string;
  readonly file: string;
  /** Command and arguments; undefined: the host does not know Fovea. */
  readonly command: readonly string[] | undefined;
  /** Whether its environment holds a secret in plain text. */
  readonly holdsSecret: boolean;
  /** Why the file cannot be understood: ends a sentence that begins with it. */
  readonly trouble?: string;
}

/**
 * The configuration files of a host that exist; where there are none, the first possible one if
 * `orFirst`.
 */
export async function placesOf(
  host: Host,
  system: SystemEnvironment,
  orFirst: boolean,
): Promise<readonly Place[]> {
  const places = await host.places(system);
  const states = await Promise.all(places.map(isUsed));
  const used = places.filter((_place, at) => states[at]);
  const first = used.length === 0 && orFirst ? places[0] : undefined;
  return first === undefined ? used : [first];
}

async function isUsed({ sign, file }: Place): Promise<boolean> {
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  return (await isThere(sign)) || isThere(file);
}

/** The entries of Fovea in the hosts of this machine; hosts that are not installed are left out. */
export async function findEntries(
  names: readonly HostName[],
  system: SystemEnvironment,
): Promise<readonly FoundEntry[]> {
  const found = names.map(async (name) => {
    const host = hostNamed(name);
    const places = await placesOf(host, system, false);
    return Promise.all(places.map(({ file }) => findEntry(host, file)));
  });
  return (await Promise.all(found)).flat();
}

async function findEntry(host: Host, file: string): Promise<FoundEntry> {
  const { name, title } = host;
  const place = { host: name, title, file };
  try {
    const { content } = await readConfigFile(file);
    const entry = content && readMember(host.format, textOf(content), pathOf(host));
    if (entry === undefined) return { ...place, command: undefined, holdsSecret: false };
    const command = commandOf(entry);
    const secrets = environmentOf(host, entry);
    return {
      ...place,
      command,
      holdsSecret: secrets.length > 0,
      ...(command === undefined && { trouble: anotherKind }),
    };
  } catch (thrown) {
    return { ...place, command: undefined, holdsSecret: false, trouble: whyOf(thrown) };
  }
}

const anotherKind = 'has an entry "fovea" of another kind';

/** Command and arguments of an entry; undefined: it starts no program. */
function commandOf(entry: unknown): readonly string[] | undefined {
  if (!isPlainObject(entry)) return undefined;
  const { command = entry.cmd, args = [] } = entry;
  if (typeof command !== 'string' || !Array.isArray(args)) return undefined;
  return [command, ...args.map(String)];
}

const secretVariables = ['FOVEA_API_KEY', 'FOVEA_DEVICE_API_KEY', 'FOVEA_CLIENT_SECRET'];

function environmentOf(host: Host, entry: unknown): readonly string[] {
  const environment = isPlainObject(entry) ? entry[host.environment] : undefined;
  if (!isPlainObject(environment)) return [];
  // A reference to a variable of the host, or an input that it asks for, is no secret.
  return secretVariables.filter((name) => /^[^$]/.test(String(environment[name] ?? '$')));
}

/** The members that lead to the entry. */
export function pathOf({ servers }: Host): readonly string[] {
  return [servers, 'fovea'];
}

/** Variables that are written into an entry. */
export interface EntryVariables {
  readonly toolProfile: ToolProfile | undefined;
  readonly files: EntryFiles | undefined;
}

/** Folders that tools may use, absolute. */
export interface EntryFiles {
  readonly folders: readonly string[];
  /**
   * Whether they were given on the command line; else they are only written where the entry has
   * none.
   */
  readonly isAsked: boolean;
}

/** The entry to write. Throws `NotUnderstood` for an entry that points to a remote service. */
export function entryFor(
  host: Host,
  text: string,
  launch: Launch,
  variables: EntryVariables,
  platform: NodeJS.Platform,
): JsonObject {
  const found = readMember(host.format, text, pathOf(host));
  if (found !== undefined && found !== null && commandOf(found) === undefined) {
    throw new NotUnderstood(anotherKind);
  }
  const { toolProfile, files } = variables;
  const keeps = files !== undefined && !files.isAsked && namesFolders(host, text);
  const separator = platform === 'win32' ? ';' : ':';
  const environment = {
    ...(toolProfile !== undefined && { FOVEA_TOOL_PROFILE: toolProfile }),
    ...(files && !keeps && { FOVEA_FILE_ROOTS: files.folders.join(separator) }),
  };
  return {
    ...host.entry(launch),
    ...(isPlainObject(found) ? {} : host.first),
    ...(Object.keys(environment).length > 0 && { [host.environment]: environment }),
  };
}

/** Whether the entry says which folders tools may use. */
export function namesFolders(host: Host, text: string): boolean {
  const path = [...pathOf(host), host.environment, 'FOVEA_FILE_ROOTS'];
  return readMember(host.format, text, path) !== undefined;
}

/** Ends a sentence that begins with the file; rethrows errors that are not about the file. */
export function whyOf(thrown: unknown): string {
  if (thrown instanceof Unusable || thrown instanceof NotUnderstood) return thrown.message;
  throw thrown;
}
