// A configuration file of somebody else's program: read, replaced as a whole, kept in a copy.

import { createHash, randomUUID } from 'node:crypto';
import {
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, isoTime } from '../clock.ts';
import { limits } from '../limits.ts';

export interface ConfigFile {
  /** Where it really is: links stay links. */
  readonly path: string;
  /** Undefined: there is none. */
  readonly content: Buffer | undefined;
  /** Permissions; of a new file, those of its owner alone, since hosts keep secrets in them. */
  readonly mode: number;
}

/** What a file was before Fovea wrote it. */
export interface Backup {
  readonly path: string;
  /** The start of the digest of what was written then. */
  readonly written: string;
  /** Undefined: there was no file. */
  readonly content: Buffer | undefined;
}

/** A file cannot be used; the message ends a sentence that begins with its name. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Throws `Unusable` for what is no plain file, is too large, or cannot be read. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const real = await realPath(path);
  const found = await stat(real).catch(absent('read'));
  if (found === undefined) return { path: real, content: undefined, mode: 0o600 };
  if (!found.isFile()) throw new Unusable('is no file');
  if (found.size > limits.configFileBytesMax) throw new Unusable('is too large for settings');
  const content = await readFile(real).catch(absent('read'));
  return { path: real, content, mode: found.mode & 0o777 };
}

/** Settings are UTF-8, with or without a mark at the start. Throws `Unusable`. */
export function textOf(content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new Unusable('is not written in UTF-8');
  }
}

/**
 * Writes new content in one step, after a copy of the old one. Says where the copy is. Throws
 * `Unusable` where somebody else wrote the file meanwhile; then nothing has changed.
 */
export async function writeConfigFile(
  file: ConfigFile,
  content: Buffer,
  clock: Clock,
): Promise<string> {
  const ending = file.content === undefined ? 'new' : 'bak';
  const at = isoTime(clock.now()).replace(/[-:.]/g, '');
  const copy = `${file.path}.fovea-${at}-${digest(content)}.${ending}`;
  try {
    await mkdir(dirname(file.path), { recursive: true, mode: 0o700 });
    await writeNew(copy, file.content ?? Buffer.alloc(0), file.mode);
    await replace(file, content);
  } catch (thrown) {
    await rm(copy, { force: true }).catch(() => undefined);
    throw unusable(thrown, 'written');
  }
  return copy;
}

/** The file as the copy has it; the copy is gone then. Throws `Unusable`. */
export async function restoreBackup(file: ConfigFile, backup: Backup): Promise<void> {
  try {
    if (backup.content === undefined) await rm(file.path);
    else await replace(file, backup.content);
    await rm(backup.path, { force: true });
  } catch (thrown) {
    throw unusable(thrown, 'written');
  }
}

/** Replaces a file without a copy. Throws `Unusable`. */
export async function replaceConfigFile(file: ConfigFile, content: Buffer): Promise<void> {
  await replace(file, content).catch((thrown) => {
    throw unusable(thrown, 'written');
  });
}

/** The copies of a file, the newest first. Throws `Unusable`. */
export async function backupsOf({ path }: ConfigFile): Promise<readonly Backup[]> {
  const start = `${basename(path)}.fovea-`;
  const names = (await readdir(dirname(path)).catch(absent('read'))) ?? [];
  const found = names.flatMap((name) => {
    const rest = name.startsWith(start) ? name.slice(start.length) : '';
    const parts = /^\d{8}T\d{9}Z-([0-9a-f]{16})\.(bak|new)$/.exec(rest);
    return parts ? [{ name, written: parts[1] ?? '', isNew: parts[2] === 'new' }] : [];
  });
  const sorted = found.toSorted((a, b) => (a.name < b.name ? 1 : -1));
  return Promise.all(
    sorted.map(async ({ name, written, isNew }) => {
      const at = join(dirname(path), name);
      const content = isNew ? undefined : await readFile(at).catch(absent('read'));
      return { path: at, written, content };
    }),
  );
}

/** Enough of a digest to tell two states of one file apart. */
export function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

async function realPath(path: string): Promise<string> {
  const real = await realpath(path).catch(absent('read'));
  if (real !== undefined) return real;
  const link = await lstat(path).catch(() => undefined);
  if (link !== undefined) throw new Unusable('is a link to nowhere');
  return path;
}

async function replace(file: ConfigFile, content: Buffer): Promise<void> {
  const draft = join(dirname(file.path), `.${basename(file.path)}.${randomUUID()}`);
  try {
    await writeNew(draft, content, file.mode);
    const now = await readFile(file.path).catch(absent('read'));
    const isSame = file.content === undefined ? now === undefined : now?.equals(file.content);
    if (isSame !== true) throw new Unusable('was changed by another program meanwhile');
    await rename(draft, file.path);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

async function writeNew(path: string, content: Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    // The mask of the process may have taken something away.
    await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For `catch`: undefined where there is nothing, `Unusable` for all else. */
function absent(verb: 'read' | 'written'): (thrown: unknown) => undefined {
  return (thrown) => {
    if (/^(ENOENT|ENOTDIR)$/.test(codeOf(thrown))) return undefined;
    throw unusable(thrown, verb);
  };
}

function unusable(thrown: unknown, verb: 'read' | 'written'): Unusable {
  if (thrown instanceof Unusable) return thrown;
  return new Unusable(`cannot be ${verb} (${codeOf(thrown)})`, { cause: thrown });
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
}
