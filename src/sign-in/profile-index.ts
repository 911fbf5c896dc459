// The index of sign-ins and of the stores that keep their secrets. It holds no secrets.

import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FoveaError } from '../errors.ts';
import {
  type PrivateFiles,
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
} from './private-file.ts';
import type { StoreKind } from './secret-stores/choose-secret-store.ts';

/** The owner of tokens: those of one authorization server are never sent to another. */
export interface Binding {
  readonly profile: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The URL of the service that gets the tokens: after a change of the settings it gets none. */
  readonly service: string;
}

export interface IndexEntry extends Binding {
  readonly workspaceUrl: string | undefined;
  readonly place: StoreKind;
  readonly signInId: string;
}

export interface ProfileIndex {
  read(binding: Binding): Promise<IndexEntry | undefined>;
  write(entry: IndexEntry): Promise<void>;
  remove(binding: Binding): Promise<void>;
  list(): Promise<readonly IndexEntry[]>;
}

/** Unlike for each binding, also where names differ in nothing but a blank. */
export function bindingName({ profile, issuer, clientId, service }: Binding): string {
  const whose = JSON.stringify([issuer, clientId, service]);
  const hash = createHash('sha256').update(whose).digest('hex');
  return `${profile}.${hash.slice(0, 16)}`;
}

/** `PROFILE.HASH.json` in the folder, each replaced as a whole. */
export function indexFolder(folder: string, files: PrivateFiles): ProfileIndex {
  const pathOf = (binding: Binding) => join(folder, `${bindingName(binding)}.json`);
  const readFile = async (path: string): Promise<IndexEntry | undefined> => {
    const content = await readPrivateFile(path, files);
    return content === undefined ? undefined : parseEntry(content.toString('utf8'));
  };
  return {
    read: async (binding) => {
      const entry = await readFile(pathOf(binding));
      if (entry !== undefined && bindingName(entry) !== bindingName(binding)) throw damaged();
      return entry;
    },
    write: (entry) =>
      replacePrivateFile(pathOf(entry), Buffer.from(`${JSON.stringify(entry)}\n`), files),
    remove: (binding) => removePrivateFile(pathOf(binding)),
    list: async () => {
      const names = await readdir(folder).catch(() => []);
      const entries: IndexEntry[] = [];
      for (const name of names.filter((each) => each.endsWith('.json')).sort()) {
        // A damaged entry does not hide the others.
        const entry = await readFile(join(folder, name)).catch(() => undefined);
        if (entry !== undefined) entries.push(entry);
      }
      return entries;
    },
  };
}

/** In memory, for one process. */
export function memoryIndex(): ProfileIndex {
  const entries = new Map<string, IndexEntry>();
  return {
    read: async (binding) => entries.get(bindingName(binding)),
    write: async (entry) => void entries.set(bindingName(entry), entry),
    remove: async (binding) => void entries.delete(bindingName(binding)),
    list: async () => [...entries.values()],
  };
}

function parseEntry(text: string): IndexEntry {
  const value: unknown = parsed(text);
  if (typeof value !== 'object' || value === null) throw damaged();
  const members: Partial<Record<string, unknown>> = { ...value };
  const { profile, issuer, clientId, service, workspaceUrl, place, signInId } = members;
  if (
    typeof profile !== 'string' ||
    typeof issuer !== 'string' ||
    typeof clientId !== 'string' ||
    typeof service !== 'string' ||
    typeof signInId !== 'string' ||
    (place !== 'keychain' && place !== 'keytar' && place !== 'file')
  ) {
    throw damaged();
  }
  const workspace = typeof workspaceUrl === 'string' ? workspaceUrl : undefined;
  return { profile, issuer, clientId, service, workspaceUrl: workspace, place, signInId };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(): FoveaError {
  return new FoveaError('internal', 'What is noted of the sign-in is damaged.', {
    hint: 'Run fovea sign-out, then sign in again.',
  });
}
