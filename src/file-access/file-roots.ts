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
  /** Told what was left out, where something was. */
  readonly onLeftOut?: (left: LeftOut) => void;
}

export interface LeftOut {
  /** Links that lead outside the roots. */
  readonly outside: number;
  /** Links to folders below the roots: nothing behind them was looked at. */
  readonly linkedFolders: readonly string[];
}

/** A file as it is called below the roots, by links on the way, and its real path. */
export interface NamedFile {
  readonly path: string;
  readonly real: string;
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
  /** The same, each with the path by which it was found, in the natural order of these. */
  find(
    patterns: readonly string[],
    argument: string,
    options?: ExpandOptions,
  ): Promise<readonly NamedFile[]>;
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
    expand: async (patterns, argument, options = {}) => {
      const found = await find(access, patterns, argument, options);
      return found.map(({ real }) => real).sort(byNaturalOrder);
    },
    find: async (patterns, argument, options = {}) => {
      const found = await find(access, patterns, argument, options);
      return found.sort((a, b) => byNaturalOrder(a.path, b.path));
    },
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
  /** That part as it was given, as an absolute path. */
  readonly given: string;
}

async function locate(access: RootAccess, path: string, argument: string): Promise<Located> {
  const wrong = wrongWith(path);
  if (wrong !== undefined) throw invalidArgument(argument, wrong);
  const base = access.base();
  if (base === undefined && !isAbsolute(path)) throw outside(access, path, argument);
  const { real, rest, given, problem } = await deepest(resolve(base ?? sep, path));
  // Whether a path exists is told only below the roots. A root may itself have to be made.
  if (!isAllowed(access, join(real, ...rest))) throw outside(access, path, argument);
  if (problem !== undefined) throw invalidArgument(argument, `"${path}" ${problem}`);
  return { real, rest, given };
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
      return { real, rest, given: at, ...(problem !== undefined && { problem }) };
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

/** In no order. */
async function find(
  access: RootAccess,
  patterns: readonly string[],
  argument: string,
  options: ExpandOptions,
): Promise<NamedFile[]> {
  const files = new Map<string, NamedFile>();
  const links = new Map<string, string>();
  const plain: string[] = [];
  let outsideCount = 0;
  for (const [index, pattern] of patterns.entries()) {
    const at = patterns.length > 1 ? `${argument}[${index}]` : argument;
    const before = files.size;
    let seen = 0;
    for await (const { path, named, isPlain, isLink, isWanted } of namedBy(
      pattern,
      at,
      candidates(access, pattern, at, options),
    )) {
      const found = isPlain ? { real: path } : await fileBelowRoots(access, path);
      // A link without extension may be one to a folder.
      if (found === 'outside' && (isWanted || extname(path) === '')) outsideCount += 1;
      if (typeof found === 'object' && 'folder' in found) {
        if (isLink) links.set(named, found.folder);
        continue;
      }
      if (found === 'none' || !isWanted) continue;
      seen += 1;
      if (found === 'outside') continue;
      if (isPlain) plain.push(found.real);
      if (isPlain || !files.has(found.real)) {
        files.set(found.real, { path: named, real: found.real });
      }
      if (files.size > limits.expandedFilesMax) {
        throw invalidArgument(at, `stands for more than ${limits.expandedFilesMax} files`);
      }
    }
    if (seen === 0 && files.size === before) {
      throw nothingFound(pattern, at, options.extensions, [...links.keys()]);
    }
  }
  const linkedFolders = unseenFolders(links, plain);
  if (outsideCount + linkedFolders.length > 0) {
    options.onLeftOut?.({ outside: outsideCount, linkedFolders });
  }
  return [...files.values()];
}

/** Of links to folders, those behind which no file was found by a walk through that folder. */
function unseenFolders(
  links: ReadonlyMap<string, string>,
  reals: readonly string[],
): readonly string[] {
  const seen = new Set<string>();
  for (const real of reals) {
    for (let at = dirname(real); !seen.has(at); at = dirname(at)) seen.add(at);
  }
  return [...links].flatMap(([named, folder]) => (seen.has(folder) ? [] : [named]));
}

interface Candidate extends Omit<Found, 'isMatch'> {
  /** As it is called below the roots. */
  readonly named: string;
  readonly isWanted: boolean;
}

/** The error of an invalid pattern, naming its argument. */
async function* namedBy(
  pattern: string,
  argument: string,
  paths: AsyncGenerator<Candidate>,
): AsyncGenerator<Candidate> {
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
): AsyncGenerator<Candidate> {
  const hasExtension = (path: string) =>
    extensions === undefined || extensions.includes(extname(path).toLowerCase());
  if (hasWildcard(pattern)) checkLength(pattern);
  checkUpwards(pattern, argument);
  const located = await locate(access, pattern, argument);
  const wildcardAt = located.rest.findIndex(hasWildcard);
  if (wildcardAt > 0) {
    throw invalidArgument(argument, `the folder of "${pattern}" does not exist`);
  }
  if (wildcardAt < 0 && located.rest.length > 0) throw missing(access, pattern, argument);
  const real = wildcardAt < 0 ? await existing(located.real, pattern, argument) : located.real;
  const top = await nameBelowRoots(access, located.given, real);
  if (wildcardAt < 0 && !(await stat(real)).isDirectory()) {
    if (!hasExtension(pattern)) return;
    yield { path: real, named: top, isPlain: false, isLink: false, isWanted: true };
    return;
  }
  const mayRead = (folder: string) => isAllowed(access, folder);
  const found =
    wildcardAt === 0 ? walkGlob(real, parseGlob(located.rest.join('/')), mayRead) : walkAll(real);
  for await (const { path, isPlain, isLink, isMatch } of found) {
    const isWanted = isMatch && hasExtension(path);
    const named = join(top, relative(real, path));
    if (isWanted || isLink) yield { path, named, isPlain, isLink, isWanted };
  }
}

/**
 * What a path that was given is called, with its links below the roots. Links above a root say
 * nothing: one file would have several names.
 */
async function nameBelowRoots(access: RootAccess, given: string, real: string): Promise<string> {
  if (given === real) return real;
  const parts = given.split(sep);
  for (let count = 1; count <= parts.length; count += 1) {
    const above = await realpath(parts.slice(0, count).join(sep) || sep).catch(() => undefined);
    if (above === undefined || !isAllowed(access, above)) continue;
    return join(above, ...parts.slice(count));
  }
  return real;
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
): Promise<{ readonly real: string } | { readonly folder: string } | 'outside' | 'none'> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return (await isLink(path)) ? 'outside' : 'none';
  if (!isAllowed(access, real)) return 'outside';
  const found = await stat(real).catch(() => undefined);
  if (found?.isDirectory()) return { folder: real };
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
  // As the system writes it, like the paths that are compared with it, and in one call.
  try {
    return realpathSync.native(path);
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
  linkedFolders: readonly string[],
): FoveaError {
  const [link] = linkedFolders;
  const kind = extensions === undefined ? 'file' : `file ending in ${extensions.join(', ')}`;
  const problem = `"${pattern}" stands for no ${kind}`;
  if (link === undefined) return invalidArgument(argument, problem);
  const unseen = 'folders behind links are not looked into';
  return invalidArgument(argument, `${problem}; ${unseen}: name them, such as "${link}"`);
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
}
