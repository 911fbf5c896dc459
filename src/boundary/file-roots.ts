// The one guard between tools and the disk: nothing is read or written outside the roots.

import { realpathSync, type Stats } from 'node:fs';
import { glob, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';

export interface ExpandOptions {
  /** Lower case, with the dot, for example `.jpg`; left out: all files. */
  readonly extensions?: readonly string[];
  /** Told how many files were left out because a link leads outside the roots. */
  readonly onOutside?: (count: number) => void;
}

export interface FileRoots {
  /** The folders below which tools may read and write, as real paths. */
  readonly roots: readonly string[];
  /**
   * A file or folder that may be read, as its real path. Throws `invalid_input` naming `argument`
   * and FOVEA_FILE_ROOTS when it lies outside, is no file or folder, or does not exist.
   */
  readable(path: string, argument: string): Promise<string>;
  /** A new or existing file that may be written; its folder is made. Throws likewise. */
  writable(path: string, argument: string): Promise<string>;
  /**
   * The files that paths, folders (with all below them) and globs stand for: real paths, each
   * once, in natural order. Throws likewise, and for a pattern that stands for no file.
   */
  expand(
    patterns: readonly string[],
    argument: string,
    options?: ExpandOptions,
  ): Promise<readonly string[]>;
}

/**
 * The guard for some roots. A relative path counts from the working folder where that lies below
 * a root, else from the first root. A root that does not exist yet is looked for at each use.
 */
export function openFileRoots(
  roots: readonly string[],
  workingFolder: string = process.cwd(),
): FileRoots {
  const guard: Guard = {
    roots: () => roots.map(realOrSame),
    base: () => {
      const real = realOrSame(workingFolder);
      return roots.map(realOrSame).some((root) => isBelow(root, real)) ? real : roots[0];
    },
  };
  return {
    get roots() {
      return guard.roots();
    },
    readable: (path, argument) => readable(guard, path, argument),
    writable: (path, argument) => writable(guard, path, argument),
    expand: (patterns, argument, options = {}) => expand(guard, patterns, argument, options),
  };
}

interface Guard {
  roots(): readonly string[];
  base(): string | undefined;
}

async function readable(guard: Guard, path: string, argument: string): Promise<string> {
  return existing(await locate(guard, path, argument), path, argument);
}

async function existing({ real, rest }: Located, path: string, argument: string): Promise<string> {
  if (rest.length > 0) throw invalidArgument(argument, `"${path}" does not exist`);
  const found = await stat(real);
  if (!found.isFile() && !found.isDirectory()) throw notPlain(path, argument);
  return real;
}

async function writable(guard: Guard, path: string, argument: string): Promise<string> {
  const { real, rest } = await locate(guard, path, argument);
  const file = join(real, ...rest);
  if (rest.length === 0) {
    const found = await stat(real);
    if (found.isDirectory()) throw invalidArgument(argument, `"${path}" is a folder, not a file`);
    if (!found.isFile()) throw notPlain(path, argument);
    return file;
  }
  if (/[/\\]$/.test(path)) throw invalidArgument(argument, `"${path}" names a folder, not a file`);
  try {
    await mkdir(dirname(file), { recursive: true });
  } catch (cause) {
    throw invalidArgument(argument, `the folder of "${path}" cannot be made (${codeOf(cause)})`);
  }
  const folder = await realpath(dirname(file));
  if (!isAllowed(guard, folder)) throw outside(guard, path, argument);
  return join(folder, basename(file));
}

interface Located {
  /** The deepest part of the path that exists, as its real path; it lies below a root. */
  readonly real: string;
  /** The names below it that do not exist yet. */
  readonly rest: readonly string[];
}

async function locate(guard: Guard, path: string, argument: string): Promise<Located> {
  const wrong = wrongWith(path);
  if (wrong !== undefined) throw invalidArgument(argument, wrong);
  const base = guard.base();
  if (base === undefined && !isAbsolute(path)) throw outside(guard, path, argument);
  const located = await deepest(resolve(base ?? sep, path), path, argument);
  // Whether a path exists is told only below the roots. A root may itself have to be made.
  const target = join(located.real, ...located.rest);
  if (!isAllowed(guard, target)) throw outside(guard, path, argument);
  return located;
}

function wrongWith(path: string): string | undefined {
  if (path === '') return 'must be a path';
  if (path.includes('\0')) return 'must not contain a NUL character';
  if (/^~(?:[/\\]|$)/.test(path)) {
    return `"${path}": "~" is not expanded; give the absolute path`;
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return `"${path}" is a URL; give a path`;
  // On Windows a colon after the drive names a stream or a device.
  if (sep === '\\' && /[:]/.test(path.replace(/^[a-z]:/i, ''))) return `"${path}" is no plain path`;
  return undefined;
}

async function deepest(absolute: string, path: string, argument: string): Promise<Located> {
  const rest: string[] = [];
  let at = absolute;
  for (;;) {
    try {
      return { real: await realpath(at), rest };
    } catch (cause) {
      await refuseUnreadable(cause, at, path, argument);
    }
    rest.unshift(basename(at));
    at = dirname(at);
  }
}

/** A link that leads nowhere could lead anywhere by the time it is written through. */
async function refuseUnreadable(cause: unknown, at: string, path: string, argument: string) {
  const code = codeOf(cause);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') {
    throw invalidArgument(argument, `"${path}" cannot be opened (${code})`);
  }
  const link = await lstat(at).catch(() => undefined);
  if (link) throw invalidArgument(argument, `"${path}" leads through a link to nowhere`);
}

async function expand(
  guard: Guard,
  patterns: readonly string[],
  argument: string,
  options: ExpandOptions,
): Promise<readonly string[]> {
  const files = new Set<string>();
  let outsideCount = 0;
  for (const [index, pattern] of patterns.entries()) {
    const at = patterns.length > 1 ? `${argument}[${index}]` : argument;
    const before = files.size;
    let seen = 0;
    for await (const path of candidates(guard, pattern, at, options.extensions)) {
      const real = await realFile(path);
      if (real === undefined) continue;
      seen += 1;
      if (isAllowed(guard, real)) files.add(real);
      else outsideCount += 1;
      if (files.size > limits.expandedFilesMax) {
        throw invalidArgument(at, `stands for more than ${limits.expandedFilesMax} files`);
      }
    }
    if (seen === 0 && files.size === before) throw nothingFound(pattern, at, options.extensions);
  }
  if (outsideCount > 0) options.onOutside?.(outsideCount);
  return [...files].sort(byNaturalOrder);
}

const byNaturalOrder = new Intl.Collator('en', { numeric: true }).compare;

/** Paths that one pattern may stand for. The part that exists as it is is never read as a glob. */
async function* candidates(
  guard: Guard,
  pattern: string,
  argument: string,
  extensions: readonly string[] | undefined,
): AsyncGenerator<string> {
  const isWanted = (path: string) =>
    extensions === undefined || extensions.includes(extname(path).toLowerCase());
  const located = await locate(guard, pattern, argument);
  const wildcardAt = located.rest.findIndex(hasWildcard);
  if (wildcardAt !== -1) {
    checkGlob(pattern, wildcardAt, argument);
    for await (const path of glob(located.rest.join('/'), { cwd: located.real })) {
      if (isWanted(path)) yield join(located.real, path);
    }
    return;
  }
  const real = await existing(located, pattern, argument);
  if (!(await stat(real)).isDirectory()) {
    if (isWanted(pattern)) yield real;
    return;
  }
  for (const entry of await readdir(real, { recursive: true, withFileTypes: true })) {
    if (!entry.isDirectory() && isWanted(entry.name)) yield join(entry.parentPath, entry.name);
  }
}

function hasWildcard(name: string): boolean {
  return /[*?[{]/.test(name);
}

function checkGlob(pattern: string, wildcardAt: number, argument: string): void {
  const parts = pattern.split(sep === '\\' ? /[/\\]/ : '/');
  if (parts.slice(parts.findIndex(hasWildcard)).includes('..')) {
    throw invalidArgument(argument, `"${pattern}" must not have ".." after a wildcard`);
  }
  if (wildcardAt > 0) {
    throw invalidArgument(argument, `the folder of "${pattern}" does not exist`);
  }
}

async function realFile(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    const found: Stats = await stat(real);
    return found.isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function isAllowed(guard: Guard, path: string): boolean {
  return guard.roots().some((root) => isBelow(root, path));
}

/** By path parts: `/a-evil` is not below `/a`. On Windows also without regard to case. */
function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function outside(guard: Guard, path: string, argument: string): FoveaError {
  const roots = guard.roots();
  const allowed = roots.length === 0 ? 'no folder is allowed' : `allowed: ${roots.join(', ')}`;
  return invalidArgument(
    argument,
    `"${path}" lies outside the folders that tools may use (${allowed})`,
    'FOVEA_FILE_ROOTS names the folders that tools may read and write: in the "env" of the ' +
      "host's entry. fovea setup HOST --files FOLDER writes it.",
  );
}

function notPlain(path: string, argument: string): FoveaError {
  return invalidArgument(argument, `"${path}" is neither a file nor a folder`);
}

function nothingFound(
  pattern: string,
  argument: string,
  extensions: readonly string[] | undefined,
): FoveaError {
  const kind = extensions === undefined ? 'file' : `file ending in ${extensions.join(', ')}`;
  return invalidArgument(argument, `"${pattern}" stands for no ${kind}`);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
}
