// A configuration file of another program: read, replaced as a whole, and backed up.

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
  /** Undefined: there is no file. */
  readonly content: Buffer | undefined;
  /** Permissions; a new file is private to its owner, since hosts keep secrets in it. */
  readonly mode: number;
}

/** The state of a file before Fovea wrote it. */
export interface Backup {
  readonly path: string;
  /** A prefix of the digest of the content that was written. */
  readonly written: string;
  /** There was no file, and the copy holds nothing. */
  readonly isNew: boolean;
}

/** A file cannot be used; the message ends a sentence that begins with its name. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Throws `Unusable` for a file that is not regular, too large, or unreadable. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const real = await realPath(path);
  const found = await stat(real).catch(absent('read'));
  if (found === undefined) return { path: real, content: undefined, mode: 0o600 };
  if (!found.isFile()) throw new Unusable('is no file');
  if (found.size > limits.configFileBytesMax) throw new Unusable('is too large for settings');
  const content = await readFile(real).catch(absent('read'));
  return { path: real, content, mode: found.mode & 0o777 };
}

/**
 * The earlier content of a file; undefined: there was no file. Throws `Unusable` for an unreadable
 * backup, since there is nothing to restore then.
 */
export async function readBackup({ path, isNew }: Backup): Promise<Buffer | undefined> {
  if (isNew) return undefined;
  const { content } = await readConfigFile(path).catch(() => ({ content: undefined }));
  if (content === undefined) throw new Unusable(`has a copy that cannot be read, "${path}"`);
  return content;
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
 * Writes new content atomically after a backup of the old content, and returns the path of the
 * backup. Throws `Unusable` where the file was changed meanwhile; then nothing is written.
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
  } catch (thrown) {
    throw unusable(thrown, 'written');
  }
  try {
    await replace(file, content);
  } catch (thrown) {
    await rm(copy, { force: true }).catch(() => undefined);
    throw unusable(thrown, 'written');
  }
  return copy;
}

/** The file as it was before a change; the copy of that is gone then. Throws `Unusable`. */
export async function restoreBackup(file: ConfigFile, backup: Backup): Promise<void> {
  const content = await readBackup(backup);
  try {
    if (content === undefined) await remove(file);
    else await replace(file, content);
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
  return sorted.map(({ name, ...rest }) => ({ path: join(dirname(path), name), ...rest }));
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
    await refuseChanged(file);
    await rename(draft, file.path);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

async function remove(file: ConfigFile): Promise<void> {
  await refuseChanged(file);
  await rm(file.path);
}

async function refuseChanged(file: ConfigFile): Promise<void> {
  const now = await readFile(file.path).catch(absent('read'));
  const isSame = file.content === undefined ? now === undefined : now?.equals(file.content);
  if (isSame !== true) throw new Unusable('was changed by another program meanwhile');
}

async function writeNew(path: string, content: Buffer, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    // The mask of the process may have taken something away.
    await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.sync();
  } catch (thrown) {
    await rm(path, { force: true }).catch(() => undefined);
    throw thrown;
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
