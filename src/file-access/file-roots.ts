// File roots: tools read and write files below these folders only.

import { realpathSync } from 'node:fs';
import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { type FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { checkLength, hasWildcard, PatternProblem, parseGlob } from './glob-pattern.ts';
import { type Found, walkAll, walkGlob } from './glob-walk.ts';

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
 * File access below some roots. A relative path counts from the working folder if that lies below a
 * root, else from the first root. A root that does not exist yet is looked for at each use.
 */
export function openFileRoots(
  roots: readonly string[],
  workingFolder: string = process.cwd(),
): FileRoots {
  const access: RootAccess = {
    roots: () => roots.map(realOrSame),
    base: () => {
      const real = realOrSame(workingFolder);
      return roots.map(realOrSame).some((root) => isBelow(root, real)) ? real : roots[0];
    },
  };
  return {
    get roots() {
      return access.roots();
    },
    readable: (path, argument) => readable(access, path, argument),
    writable: (path, argument) => writable(access, path, argument),
    expand: (patterns, argument, options = {}) => expand(access, patterns, argument, options),
  };
}

interface RootAccess {
  roots(): readonly string[];
  base(): string | undefined;
}

async function readable(access: RootAccess, path: string, argument: string): Promise<string> {
  const { real, rest } = await locate(access, path, argument);
  if (rest.length > 0) throw missing(access, path, argument);
  return existing(real, path, argument);
}

function missing(access: RootAccess, path: string, argument: string): FoveaError {
  const hint = isAbsolute(path) ? undefined : `Relative paths count from "${access.base()}".`;
  return invalidArgument(argument, `"${path}" does not exist`, hint);
}

async function existing(real: string, path: string, argument: string): Promise<string> {
  const found = await stat(real);
  if (!found.isFile() && !found.isDirectory()) throw notPlain(path, argument);
  return real;
}

async function writable(access: RootAccess, path: string, argument: string): Promise<string> {
  const { real, rest } = await locate(access, path, argument);
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
  if (!isAllowed(access, folder)) throw outside(access, path, argument);
  return join(folder, basename(file));
}

interface Located {
  /** The deepest part of the path that exists, as its real path; it lies below a root. */
  readonly real: string;
  /** The names below it that do not exist yet. */
  readonly rest: readonly string[];
}

async function locate(access: RootAccess, path: string, argument: string): Promise<Located> {
  const wrong = wrongWith(path);
  if (wrong !== undefined) throw invalidArgument(argument, wrong);
  const base = access.base();
  if (base === undefined && !isAbsolute(path)) throw outside(access, path, argument);
  const { real, rest, problem } = await deepest(resolve(base ?? sep, path));
  // Whether a path exists is told only below the roots. A root may itself have to be made.
  if (!isAllowed(access, join(real, ...rest))) throw outside(access, path, argument);
  if (problem !== undefined) throw invalidArgument(argument, `"${path}" ${problem}`);
  return { real, rest };
}

function wrongWith(path: string): string | undefined {
  if (path === '') return 'must be a path';
  if (path.length > limits.pathCharactersMax) {
    return `has ${path.length} characters, more than the ${limits.pathCharactersMax} of a path`;
  }
  if (path.includes('\0')) return 'must not contain a NUL character';
  if (/^~(?:[/\\]|$)/.test(path)) {
    return `"${path}": "~" is not expanded; give the absolute path`;
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return `"${path}" is a URL; give a path`;
  // On Windows a colon after the drive names a stream or a device.
  if (sep === '\\' && /[:]/.test(path.replace(/^[a-z]:/i, ''))) return `"${path}" is no plain path`;
  return undefined;
}

/** `problem`: why a part of the path cannot be followed; told only below the roots. */
async function deepest(absolute: string): Promise<Located & { readonly problem?: string }> {
  const rest: string[] = [];
  let problem: string | undefined;
  let at = absolute;
  for (;;) {
    try {
      const real = await realpath(at);
      return problem === undefined ? { real, rest } : { real, rest, problem };
    } catch (cause) {
      problem = (await whyUnreadable(cause, at)) ?? problem;
    }
    rest.unshift(basename(at));
    at = dirname(at);
  }
}

/** A link that leads nowhere could lead anywhere by the time it is written through. */
async function whyUnreadable(cause: unknown, at: string): Promise<string | undefined> {
  const code = codeOf(cause);
  // A list in braces may be longer than a name: there is no file of such a name.
  if (code === 'ENAMETOOLONG' && hasWildcard(at)) return undefined;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return `cannot be opened (${code})`;
  const link = await lstat(at).catch(() => undefined);
  return link ? 'leads through a link to nowhere' : undefined;
}

async function expand(
  access: RootAccess,
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
    for await (const each of namedBy(pattern, at, candidates(access, pattern, at, options))) {
      const found = each.isPlain ? { real: each.path } : await fileBelowRoots(access, each.path);
      if (found === 'none') continue;
      seen += 1;
      if (found === 'outside') outsideCount += 1;
      else files.add(found.real);
      if (files.size > limits.expandedFilesMax) {
        throw invalidArgument(at, `stands for more than ${limits.expandedFilesMax} files`);
      }
    }
    if (seen === 0 && files.size === before) throw nothingFound(pattern, at, options.extensions);
  }
  if (outsideCount > 0) options.onOutside?.(outsideCount);
  return [...files].sort(byNaturalOrder);
}

/** The error of an invalid pattern, naming its argument. */
async function* namedBy(
  pattern: string,
  argument: string,
  paths: AsyncGenerator<Found>,
): AsyncGenerator<Found> {
  try {
    yield* paths;
  } catch (thrown) {
    if (!(thrown instanceof PatternProblem)) throw thrown;
    throw invalidArgument(argument, `${quotedPattern(pattern)} ${thrown.message}`);
  }
}

function quotedPattern(pattern: string): string {
  const shown =
    pattern.length > patternShownMax ? `${pattern.slice(0, patternShownMax)}…` : pattern;
  return `"${shown}"`;
}

const patternShownMax = 200;

const byNaturalOrder = new Intl.Collator('en', { numeric: true }).compare;

/** Paths that one pattern may stand for. The part that exists as it is is never read as a glob. */
async function* candidates(
  access: RootAccess,
  pattern: string,
  argument: string,
  { extensions }: ExpandOptions,
): AsyncGenerator<Found> {
  const isWanted = (path: string) =>
    extensions === undefined || extensions.includes(extname(path).toLowerCase());
  if (hasWildcard(pattern)) checkLength(pattern);
  checkUpwards(pattern, argument);
  const located = await locate(access, pattern, argument);
  const wildcardAt = located.rest.findIndex(hasWildcard);
  if (wildcardAt > 0) {
    throw invalidArgument(argument, `the folder of "${pattern}" does not exist`);
  }
  if (wildcardAt === 0) {
    const patterns = parseGlob(located.rest.join('/'));
    const mayRead = (folder: string) => isAllowed(access, folder);
    for await (const found of walkGlob(located.real, patterns, mayRead)) {
      if (isWanted(found.path)) yield found;
    }
    return;
  }
  if (located.rest.length > 0) throw missing(access, pattern, argument);
  const real = await existing(located.real, pattern, argument);
  if (!(await stat(real)).isDirectory()) {
    if (isWanted(pattern)) yield { path: real, isPlain: false };
    return;
  }
  for await (const found of walkAll(real)) if (isWanted(found.path)) yield found;
}

/** Checks before the path is resolved: ".." after a wildcard may lead anywhere. */
function checkUpwards(pattern: string, argument: string): void {
  const parts = pattern.split(sep === '\\' ? /[/\\]/ : '/');
  const first = parts.findIndex(hasWildcard);
  if (first >= 0 && parts.slice(first).includes('..')) {
    throw invalidArgument(argument, `"${pattern}" must not have ".." after a wildcard`);
  }
}

/**
 * The file at a path below the roots, links followed. A link that leads out of the roots is
 * `outside`, whether or not its target exists.
 */
async function fileBelowRoots(
  access: RootAccess,
  path: string,
): Promise<{ readonly real: string } | 'outside' | 'none'> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return (await isLink(path)) ? 'outside' : 'none';
  if (!isAllowed(access, real)) return 'outside';
  const found = await stat(real).catch(() => undefined);
  return found?.isFile() ? { real } : 'none';
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

function isAllowed(access: RootAccess, path: string): boolean {
  return access.roots().some((root) => isBelow(root, path));
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

function outside(access: RootAccess, path: string, argument: string): FoveaError {
  const roots = access.roots();
  const allowed = roots.length === 0 ? noneAllowed : `allowed: ${roots.join(', ')}`;
  return invalidArgument(
    argument,
    `"${path}" lies outside the folders that tools may use (${allowed})`,
    'FOVEA_FILE_ROOTS names the folders that tools may read and write: in the "env" of the ' +
      "host's entry. fovea setup HOST --files FOLDER writes it.",
  );
}

/** The default is the working folder: see `defaultRoots` (machine.ts). */
const noneAllowed =
  'no folder is allowed: FOVEA_FILE_ROOTS names none, and the folder in which the server was ' +
  'started is too wide to be meant, such as your home, or is its own';

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
